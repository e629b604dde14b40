import Foundation
import Kivo
import KivoEngine

/// A writer of values that were read as JSON into objects; the counterpart of ``JSONText``.
struct ValueReader {
    let transaction: WriteTransaction
    let line: Int

    /// Sets the wanted properties of an object. Properties without a value keep their defaults.
    mutating func set(
        _ values: [String: JSONValue], _ key: ObjectKey, _ some: StoredClass,
        _ isWanted: (StoredClass.Property) -> Bool
    ) throws {
        for (name, json) in values.sorted(by: { $0.key < $1.key }) {
            guard let property = some.properties.first(where: { $0.name == name }) else {
                throw Problem("line \(line): class '\(some.name)' has no property '\(name)'")
            }
            guard isWanted(property) else { continue }
            do {
                try set(json, property, some.table, key)
            } catch let problem as Misfit {
                throw Problem("line \(line): property '\(some.name).\(name)' cannot hold \(problem.what)")
            }
        }
    }

    /// A value that does not fit.
    private struct Misfit: Error {
        var what: String
        init(_ json: JSONValue) { what = "'\(String(json.text.prefix(100)))'" }
        init(words: String) { what = words }
    }

    private func set(
        _ json: JSONValue, _ property: StoredClass.Property, _ table: TableID, _ key: ObjectKey
    ) throws {
        let id = CollectionID(table: table, column: property.column, key: key)
        switch property.collection {
        case nil: transaction.set(try cell(json, property.spec), table, key, property.column)
        case .list: transaction.insertElements(try elements(json, property.spec), at: 0, into: id)
        case .set:
            for cell in try elements(json, property.spec) {
                if let row = cell.target, transaction.catalog.tables[row.table].container != nil {
                    throw Misfit(words: "a list or dictionary in a set")
                }
                let (position, isThere) = transaction.sequence(id).lowerBound(cell)
                if isThere { throw Misfit(words: "an element twice") }
                transaction.insertElement(cell, at: position, into: id)
            }
        case .map:
            let values = CollectionID(table: table, column: property.valuesColumn!, key: key)
            try setEntries(json, id, values) { try cell($0, property.spec) }
        case .inverse: break
        }
    }

    private func setEntries(
        _ json: JSONValue, _ keys: CollectionID, _ values: CollectionID, _ cell: (JSONValue) throws -> Cell
    ) throws {
        guard let entries = json.array else { throw Misfit(json) }
        for entry in entries {
            guard let pair = entry.array, pair.count == 2, let key = pair[0].string else {
                throw Misfit(entry)
            }
            let value = try cell(pair[1])
            let (position, isThere) = transaction.sequence(keys).lowerBound(.string(key))
            if isThere { throw Misfit(words: "key '\(key)' twice") }
            transaction.insertElement(.string(key), at: position, into: keys)
            transaction.insertElement(value, at: position, into: values)
        }
    }

    private func elements(_ json: JSONValue, _ spec: ColumnSpec) throws -> [Cell] {
        guard let elements = json.array else { throw Misfit(json) }
        return try elements.map { try cell($0, spec) }
    }

    // MARK: Values

    private func cell(_ json: JSONValue, _ spec: ColumnSpec) throws -> Cell {
        if spec.isAny { return try any(json) }
        if let target = spec.target {
            // Elements of lists and sets must have a target.
            let canBeNull = spec.kind == .link || spec.order == .values
            if json.isNull, canBeNull { return .link(0) }
            return .link(try link(json, target))
        }
        if json.isNull {
            guard spec.isOptional else { throw Misfit(words: "nil") }
            return .null
        }
        guard let type = ScalarType(rawValue: spec.typeCode), let cell = try cell(json, type) else {
            throw Misfit(json)
        }
        return cell
    }

    private func link(_ json: JSONValue, _ table: TableID) throws -> ObjectKey {
        guard let key = json["key"]?.int else { throw Misfit(json) }
        guard transaction.table(table).contains(ObjectKey(key)) else {
            throw Misfit(words: "a link to object \(key), which is not there")
        }
        return ObjectKey(key)
    }

    private func cell(_ json: JSONValue, _ type: ScalarType) throws -> Cell? {
        switch type {
        case .bool: return json.bool?._cell
        case .int8: return json.int.flatMap { Int8(exactly: $0) }?._cell
        case .int16: return json.int.flatMap { Int16(exactly: $0) }?._cell
        case .int32: return json.int.flatMap { Int32(exactly: $0) }?._cell
        case .int64: return json.int.map { Int64($0) }?._cell
        case .int: return json.int?._cell
        case .float: return (json.float ?? ValueReader.special(json).map { Float($0) })?._cell
        case .double: return (json.double ?? ValueReader.special(json))?._cell
        case .string: return json.string?._cell
        case .data:
            return json["hex"]?.string.flatMap { ValueReader.bytes($0) }.map { .bytes($0) }
        case .date: return ValueReader.date(json)?._cell
        case .uuid: return json.string.flatMap { UUID(uuidString: $0) }?._cell
        case .objectId: return json.string.flatMap { try? ObjectId(string: $0) }?._cell
        case .decimal128:
            guard let high = ValueReader.bits(json["hi"]), let low = ValueReader.bits(json["lo"]) else {
                return nil
            }
            return Decimal128(_words: (high, low))._cell
        case .any: return nil
        }
    }

    private static func bits(_ json: JSONValue?) -> UInt64? {
        guard let text = json?.string, text.utf8.count == 16 else { return nil }
        return UInt64(text, radix: 16)
    }

    /// Returns a number that JSON cannot represent.
    private static func special(_ json: JSONValue) -> Double? {
        bits(json["bits"]).map { Double(bitPattern: $0) }
    }

    private static func date(_ json: JSONValue) -> Date? {
        if let bits = bits(json["bits"]) {
            return Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits))
        }
        guard let seconds = json["seconds"]?.int, let nanoseconds = json["nanoseconds"]?.int,
            UInt64(seconds.magnitude) < 1 << 53, UInt64(nanoseconds.magnitude) < 1 << 53
        else { return nil }
        return DateParts(seconds: seconds, nanoseconds: nanoseconds).date
    }

    private static func bytes(_ hex: String) -> [UInt8]? {
        let digits = hex.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            bytes.append(UInt8(high * 16 + low))
        }
        return bytes
    }

    // MARK: Values of any type

    private func any(_ json: JSONValue) throws -> Cell {
        if json.isNull { return .null }
        guard let word = json["type"]?.string, let value = json["value"] else { throw Misfit(json) }
        switch word {
        case "link":
            let name = value["class"]?.string
            guard let table = name.flatMap({ transaction.catalog.table(named: $0) }) else {
                throw Misfit(json)
            }
            if transaction.catalog.tables[table].isEmbedded { throw Misfit(words: "an embedded object") }
            return .typedLink(RowID(table: table, key: try link(value, table)))
        case "list": return try container(.list, value)
        case "dictionary": return try container(.dictionary, value)
        default:
            guard let type = ScalarType(jsonName: word), let tag = type.tag, let cell = try cell(value, type)
            else { throw Misfit(json) }
            switch cell {
            case .word(let word): return .typedWord(word, tag)
            case .wide(let a, let b): return .typedWide(a, b, tag)
            case .null, .string, .bytes, .link, .typedWord, .typedWide, .typedLink: return cell
            }
        }
    }

    private func container(_ kind: AnyContainer, _ json: JSONValue) throws -> Cell {
        let table = transaction.catalog.table(named: kind.rawValue)!
        let key = transaction.insert(into: table)
        let members = CollectionID(table: table, column: kind.members, key: key)
        switch kind {
        case .list:
            guard let elements = json.array else { throw Misfit(json) }
            transaction.insertElements(try elements.map { try any($0) }, at: 0, into: members)
        case .dictionary:
            try setEntries(json, members, CollectionID(table: table, column: kind.values, key: key)) {
                try any($0)
            }
        }
        return .typedLink(RowID(table: table, key: key))
    }
}
