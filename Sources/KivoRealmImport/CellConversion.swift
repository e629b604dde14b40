import Foundation
import Kivo
import KivoEngine
import KivoRealmFiles

/// A value of a file converted to a column's type, or the reason why it does not fit.
enum ConvertedValue {
    case cell(Cell)
    case unfit(RealmFileImport.Reason)
}

extension RealmFile.Value {
    /// Converts the value to the type of a column that is neither a link nor of type any. A number converts to another numeric
    /// type if its value stays exactly the same.
    func converted(to type: ScalarType, isOptional: Bool) -> ConvertedValue {
        switch self {
        case .null: return isOptional ? .cell(.null) : .unfit(.null)
        case .malformedString: return .unfit(type == .string ? .malformedText : .otherType(typeName))
        default: break
        }
        switch type {
        case .int, .int64: return integer().map { .cell($0._cell) } ?? unfitNumber
        case .int8: return integer().flatMap { Int8(exactly: $0) }.map { .cell($0._cell) } ?? unfitNumber
        case .int16: return integer().flatMap { Int16(exactly: $0) }.map { .cell($0._cell) } ?? unfitNumber
        case .int32: return integer().flatMap { Int32(exactly: $0) }.map { .cell($0._cell) } ?? unfitNumber
        case .bool: return bool().map { .cell($0._cell) } ?? unfitNumber
        case .float: return float().map { .cell($0._cell) } ?? unfitNumber
        case .double: return double().map { .cell($0._cell) } ?? unfitNumber
        case .decimal128: return decimal().map { .cell($0._cell) } ?? unfitNumber
        case .string: if case .string(let text) = self { return .cell(.string(text)) }
        case .data: if case .data(let bytes) = self { return .cell(.bytes(bytes)) }
        case .date: if case .date(let time) = self { return .cell(time.date._cell) }
        case .uuid: if case .uuid(let id) = self { return .cell(.wide(id.words.0, id.words.1)) }
        case .objectId: if case .objectID(let id) = self { return .cell(.wide(id.words.0, id.words.1)) }
        case .any: break
        }
        return .unfit(.otherType(typeName))
    }

    /// The value as a cell of type any, or nil for objects, lists, dictionaries and malformed text.
    var anyCell: Cell? {
        switch self {
        case .null: .null
        case .int(let value): .typedWord(UInt64(bitPattern: value), .int)
        case .bool(let value): .typedWord(value._word, .bool)
        case .float(let value): .typedWord(value._word, .float)
        case .double(let value): .typedWord(value._word, .double)
        case .string(let text): .string(text)
        case .data(let bytes): .bytes(bytes)
        case .date(let time): .typedWord(time.date._word, .date)
        case .decimal128(let value): .typedWide(value.decimal.bits.0, value.decimal.bits.1, .decimal128)
        case .objectID(let id): .typedWide(id.words.0, id.words.1, .objectId)
        case .uuid(let id): .typedWide(id.words.0, id.words.1, .uuid)
        case .malformedString, .link, .list, .dictionary: nil
        }
    }

    private var unfitNumber: ConvertedValue {
        switch self {
        case .int, .bool, .float, .double, .decimal128: .unfit(.inexact)
        default: .unfit(.otherType(typeName))
        }
    }

    private func integer() -> Int64? {
        switch self {
        case .int(let value): value
        case .bool(let value): value ? 1 : 0
        case .float(let value): Int64(exactly: value)
        case .double(let value): Int64(exactly: value)
        case .decimal128(let value): value.integer
        default: nil
        }
    }

    private func bool() -> Bool? {
        if case .bool(let value) = self { return value }
        return switch integer() {
        case 0: false
        case 1: true
        default: nil
        }
    }

    private func double() -> Double? {
        switch self {
        case .double(let value): value
        case .float(let value): Double(value)
        default: integer().flatMap { Double(exactly: $0) }
        }
    }

    private func float() -> Float? {
        switch self {
        case .float(let value): value
        case .double(let value): value.isNaN ? .nan : Float(exactly: value)
        default: integer().flatMap { Float(exactly: $0) }
        }
    }

    private func decimal() -> Decimal128? {
        if case .decimal128(let value) = self { return value.decimal }
        return integer().map { Decimal128($0) }
    }

    /// The name of the type in Swift.
    var typeName: String {
        switch self {
        case .null: "no value"
        case .int: "Int"
        case .bool: "Bool"
        case .float: "Float"
        case .double: "Double"
        case .string, .malformedString: "String"
        case .data: "Data"
        case .date: "Date"
        case .decimal128: "Decimal128"
        case .objectID: "ObjectId"
        case .uuid: "UUID"
        case .link: "an object"
        case .list(let list): list.isSet ? "MutableSet" : "List"
        case .dictionary: "Map"
        }
    }

    /// The value as text; a long value is cut at its end.
    var summary: String {
        switch self {
        case .null: return "null"
        case .int(let value): return "\(value)"
        case .bool(let value): return "\(value)"
        case .float(let value): return "\(value)"
        case .double(let value): return "\(value)"
        case .string(let text): return "\"\(text.prefix(40))\"" + (text.count > 40 ? "…" : "")
        case .malformedString(let bytes), .data(let bytes): return "<\(bytes.count) bytes>"
        case .date(let time): return "\(time.date)"
        case .decimal128(let value): return "\(value)"
        case .objectID(let id): return "\(id)"
        case .uuid(let id): return "\(id)"
        case .link(let link): return "object #\(link.key)"
        case .list(let list): return "\(list.storedCount) elements"
        case .dictionary(let map): return "\(map.count) entries"
        }
    }
}

extension RealmFile.Timestamp {
    /// The time with the precision of `Date`.
    package var date: Date {
        let (seconds, overflow) = seconds.subtractingReportingOverflow(978_307_200)
        let whole = overflow ? Double(self.seconds) - 978_307_200 : Double(seconds)
        return Date(timeIntervalSinceReferenceDate: whole + Double(nanoseconds) / 1_000_000_000)
    }
}

extension RealmFile.Decimal128 {
    /// The number with the same value and without trailing zeros.
    package var decimal: Kivo.Decimal128 { Kivo.Decimal128(bits: (high, low)) }

    /// The number as an integer, or nil if it is not whole or exceeds 64 bits.
    fileprivate var integer: Int64? {
        if isNaN || isInfinite { return nil }
        let (high, low) = decimal.bits
        if (high, low) == (0, 0) { return 0 }
        // A whole number without trailing zeros has no negative exponent.
        let reduced = RealmFile.Decimal128(high: high, low: low)
        guard reduced.coefficient.high == 0, reduced.exponent >= 0 else { return nil }
        var digits = reduced.coefficient.low
        for _ in 0..<reduced.exponent {
            let (product, overflow) = digits.multipliedReportingOverflow(by: 10)
            if overflow { return nil }
            digits = product
        }
        if isNegative { return digits <= 1 << 63 ? Int64(truncatingIfNeeded: 0 &- digits) : nil }
        return Int64(exactly: digits)
    }
}

extension RealmFile.ObjectID {
    /// The bytes in the layout of a realm's column.
    fileprivate var words: (UInt64, UInt64) {
        let bytes = bytes
        return (
            bytes[0..<8].reduce(0) { $0 << 8 | UInt64($1) }, bytes[8..<12].reduce(0) { $0 << 8 | UInt64($1) }
        )
    }
}

extension RealmFile.UniqueID {
    /// The bytes in the layout of a realm's column.
    fileprivate var words: (UInt64, UInt64) {
        let bytes = bytes
        return (
            bytes[0..<8].reduce(0) { $0 << 8 | UInt64($1) }, bytes[8..<16].reduce(0) { $0 << 8 | UInt64($1) }
        )
    }
}
