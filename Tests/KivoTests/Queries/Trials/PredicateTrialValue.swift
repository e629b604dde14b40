import Foundation
import Kivo

extension Trial {
    indirect enum Value {
        case null, bool(Bool), int(Int), double(Double), decimal(Decimal128), text(String), data(Data), date(
            Date)
        case uuid(UUID), objectId(ObjectId), object(Int), list([Value]), dictionary([String: Value])

        init(_ value: Any?) {
            switch value {
            case let value as Int: self = .int(value)
            case let value as Double: self = .double(value)
            case let value as Decimal128: self = .decimal(value)
            case let value as String: self = .text(value)
            case let value as Data: self = .data(value)
            case let value as Date: self = .date(value)
            case let value as UUID: self = .uuid(value)
            case let value as ObjectId: self = .objectId(value)
            default: self = .null
            }
        }

        init(_ value: AnyRealmValue) {
            switch value {
            case .bool(let value): self = .bool(value)
            case .float(let value): self = .double(Double(value))
            case .object(let value): self = .object((value as! TrialThing).id)
            case .list(let list): self = .list(list.map { Value($0) })
            case .dictionary(let map):
                self = .dictionary(Dictionary(uniqueKeysWithValues: map.map { ($0.key, Value($0.value)) }))
            case .int(let value): self = .int(value)
            case .double(let value): self = .double(value)
            case .decimal128(let value): self = .decimal(value)
            case .string(let value): self = .text(value)
            case .data(let value): self = .data(value)
            case .date(let value): self = .date(value)
            case .uuid(let value): self = .uuid(value)
            case .objectId(let value): self = .objectId(value)
            case .none: self = .null
            }
        }

        var isNull: Bool { if case .null = self { true } else { false } }
        var number: Number? {
            switch self {
            case .int(let value): Number("\(value)")
            // Whole numbers are what they are; a fraction is the decimal that is read as it.
            case .double(let value):
                value.rounded() == value && value.magnitude < 1e34
                    ? Number("\(Int128(value))") : Number("\(value)")
            case .decimal(let value): Number("\(value)")
            default: nil
            }
        }
        var isNaN: Bool { if case .nan? = number { true } else { false } }
        var elements: [Value] {
            switch self {
            case .list(let values): values
            case .dictionary(let values): values.sorted { $0.key < $1.key }.map(\.value)
            default: []
            }
        }
    }

    /// A number as the digits before and behind the point, which are compared as texts.
    enum Number {
        case nan, infinite(isNegative: Bool), finite(isNegative: Bool, whole: String, fraction: String)

        init(_ text: String) {
            var text = text.lowercased()
            let isNegative = text.hasPrefix("-")
            if isNegative { text.removeFirst() }
            if text.hasPrefix("nan") { self = .nan; return }
            if text.hasPrefix("inf") { self = .infinite(isNegative: isNegative); return }
            let parts = text.split(separator: "e")
            let mantissa = parts[0].split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            var (whole, fraction) = (mantissa[0], mantissa.count > 1 ? mantissa[1] : "")
            let exponent = parts.count > 1 ? Int(parts[1].replacingOccurrences(of: "+", with: ""))! : 0
            if exponent >= 0 {
                fraction += String(repeating: "0", count: max(exponent - fraction.count, 0))
                (whole, fraction) = (whole + fraction.prefix(exponent), String(fraction.dropFirst(exponent)))
            } else {
                whole = String(repeating: "0", count: max(-exponent - whole.count, 0)) + whole
                (whole, fraction) = (String(whole.dropLast(-exponent)), whole.suffix(-exponent) + fraction)
            }
            whole = String(whole.drop { $0 == "0" })
            while fraction.hasSuffix("0") { fraction.removeLast() }
            self = .finite(isNegative: isNegative && whole + fraction != "", whole: whole, fraction: fraction)
        }

        /// Whether it is less than another; neither is NaN.
        static func < (a: Number, b: Number) -> Bool {
            switch (a, b) {
            case (.infinite(let x), .infinite(let y)): return x && !y
            case (.infinite(let x), _): return x
            case (_, .infinite(let y)): return !y
            case (.finite(let s, let x, let u), .finite(let t, let y, let v)):
                if s != t { return s }
                let isLess = (x.count, x, u) < (y.count, y, v)
                let isEqual = x == y && u == v
                return s ? !isLess && !isEqual : isLess
            default: return false
            }
        }
    }
}

extension Trial.Value {
    typealias Value = Trial.Value

    /// The order of types of any values.
    private var rank: Int {
        switch self {
        case .null: 0
        case .bool: 1
        case .int, .double, .decimal: 2
        case .text: 3
        case .data: 4
        case .date: 5
        case .objectId: 6
        case .uuid: 7
        case .object, .list, .dictionary: 8
        }
    }

    /// Negative, 0 or positive; values of different types in the order of types.
    static func compare(_ a: Value, _ b: Value) -> Int {
        func order<T: Comparable>(_ x: T, _ y: T) -> Int { x < y ? -1 : x == y ? 0 : 1 }
        func bytes(_ x: [UInt8], _ y: [UInt8]) -> Int { x == y ? 0 : x.lexicographicallyPrecedes(y) ? -1 : 1 }
        if a.rank != b.rank { return order(a.rank, b.rank) }
        switch (a, b) {
        case (.bool(let x), .bool(let y)): return order(x ? 1 : 0, y ? 1 : 0)
        case (.text(let x), .text(let y)): return bytes(Array(x.utf8), Array(y.utf8))
        case (.data(let x), .data(let y)): return bytes(Array(x), Array(y))
        case (.date(let x), .date(let y)): return order(x, y)
        case (.uuid(let x), .uuid(let y)): return order(x.uuidString, y.uuidString)
        case (.objectId(let x), .objectId(let y)): return order(x.stringValue, y.stringValue)
        case (.object(let x), .object(let y)): return order(x, y)
        case (.null, .null): return 0
        default:
            guard let x = a.number, let y = b.number else { return 1 }
            return x < y ? -1 : y < x ? 1 : 0
        }
    }

    /// Null equals null and differs from all else. NaN, and what is of another type, differs.
    static func holds(_ sign: Trial.Sign, _ a: Value, _ b: Value, _ options: String = "") -> Bool {
        if sign.isTextual || !options.isEmpty, case .text(let pattern) = b {
            guard case .text(let text) = a else { return sign == .notEqual }
            return Trial.matches(sign, text, pattern, options)
        }
        if case .data(let part) = b, sign.isTextual || !options.isEmpty {
            guard case .data(let data) = a else { return sign == .notEqual }
            let (text, pattern) = (
                String(decoding: data, as: UTF8.self), String(decoding: part, as: UTF8.self)
            )
            return Trial.matches(sign, text, pattern, options)
        }
        if a.isNull, b.isNull { return sign == .like || !sign.isTextual && sign.holds(0) }
        if sign.isTextual { return false }
        if a.isNull || b.isNull { return sign == .notEqual }
        if a.rank != b.rank || a.isNaN || b.isNaN { return sign == .notEqual }
        if a.rank == 8, sign != .equal, sign != .notEqual { return false }
        return sign.holds(compare(a, b))
    }
}

extension Trial {
    enum Sign: String, CaseIterable {
        case equal = "==", notEqual = "!=", less = "<", lessOrEqual = "<=", greater = ">", greaterOrEqual =
            ">="
        case begins = "BEGINSWITH", ends = "ENDSWITH", contains = "CONTAINS", like = "LIKE"

        static let order = Array(allCases.prefix(6))
        var isTextual: Bool { !Sign.order.contains(self) }

        func holds(_ result: Int) -> Bool {
            switch self {
            case .equal: result == 0
            case .notEqual: result != 0
            case .less: result < 0
            case .lessOrEqual: result <= 0
            case .greater: result > 0
            default: result >= 0
            }
        }
    }

    static func fold(_ text: String, _ options: String) -> String {
        var folding: String.CompareOptions = []
        if options.contains("c") { folding.insert(.caseInsensitive) }
        if options.contains("d") { folding.insert(.diacriticInsensitive) }
        return options.isEmpty ? text : text.folding(options: folding, locale: nil)
    }

    static func matches(_ sign: Sign, _ text: String, _ pattern: String, _ options: String) -> Bool {
        let (x, y) = (Array(fold(text, options).utf8), Array(fold(pattern, options).utf8))
        switch sign {
        // No text contains an empty one.
        case .begins: return !y.isEmpty && x.starts(with: y)
        case .ends: return !y.isEmpty && x.reversed().starts(with: y.reversed())
        case .contains: return !y.isEmpty && (0...x.count).contains { x[$0...].starts(with: y) }
        case .like:
            // Each scalar of the text, folded: `?` takes one of these, whatever folding makes of it.
            let scalars = text.unicodeScalars.map { Array(fold(String($0), options).unicodeScalars)[...] }
            return isLike(scalars[...], Array(fold(pattern, options).unicodeScalars)[...])
        default:
            return sign.holds(x == y ? 0 : x.lexicographicallyPrecedes(y) ? -1 : 1)
        }
    }

    private static func isLike(
        _ text: ArraySlice<ArraySlice<Unicode.Scalar>>, _ pattern: ArraySlice<Unicode.Scalar>
    )
        -> Bool
    {
        let text = text.drop { $0.isEmpty }
        guard let sign = pattern.first else { return text.isEmpty }
        if sign == "*" {
            if isLike(text, pattern.dropFirst()) { return true }
            guard let first = text.first else { return false }
            return isLike([first.dropFirst()] + text.dropFirst(), pattern)
        }
        // A backslash takes the next sign for what it is.
        if sign == "\\" {
            guard let literal = pattern.dropFirst().first else { return text.isEmpty }
            return text.first?.first == literal
                && isLike([text.first!.dropFirst()] + text.dropFirst(), pattern.dropFirst(2))
        }
        guard let first = text.first else { return false }
        if sign == "?" { return first.startIndex == 0 && isLike(text.dropFirst(), pattern.dropFirst()) }
        return first.first == sign && isLike([first.dropFirst()] + text.dropFirst(), pattern.dropFirst())
    }
}
