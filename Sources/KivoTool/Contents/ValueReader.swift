import Foundation
import Kivo
import KivoEngine

/// A writer of values that were read as JSON into objects; the counterpart of ``JSONText``.
struct ValueReader {
    let transaction: WriteTransaction
    /// The line of the values, for messages; nil if they are of no file.
    let line: Int?
    /// Whether properties have values already, so that those of collections are removed first.
    var replaces = false
    /// The columns of properties in CSV, for messages.
    var columns: [String: String] = [:]

    /// The beginning of messages.
    private var linePrefix: String { line.map { "line \($0): " } ?? "" }

    /// The beginning of messages about a property.
    private func prefix(_ property: String) -> String {
        guard let line, let column = columns[property] else { return linePrefix }
        return "line \(line), column '\(column)': "
    }

    /// Sets the wanted properties of an object. Properties without a value keep their defaults.
    mutating func set(
        _ values: JSONValue.Members, _ key: ObjectKey, _ some: StoredClass,
        _ isWanted: (TableProperty) -> Bool
    ) throws {
        var next = 0
        for (name, json) in values {
            // Exports have the properties in the order of the class.
            let isNext = next < some.properties.count && some.properties[next].name == name
            guard let index = isNext ? next : some.properties.firstIndex(where: { $0.name == name }) else {
                throw Problem("\(linePrefix)class '\(some.name)' has no property '\(name)'")
            }
            next = index + 1
            guard isWanted(some.properties[index]) else { continue }
            try reportingMisfit(of: some.properties[index], some) {
                try set(json, some.properties[index], some.table, key)
            }
        }
    }

    /// Returns the cell of a value of a property that is not a collection.
    func cell(_ json: JSONValue, of property: TableProperty, _ some: StoredClass) throws -> Cell {
        try reportingMisfit(of: property, some) { try cell(json, property.spec) }
    }

    private func reportingMisfit<Result>(
        of property: TableProperty, _ some: StoredClass, _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch let misfit as Misfit {
            throw Problem(
                "\(prefix(property.name))property '\(some.name).\(property.name)' cannot hold \(misfit.what)")
        }
    }

    /// Whether all objects exist to which values lead. Values that do not fit their property lead nowhere.
    func reachesExistingObjects(_ values: JSONValue.Members, _ some: StoredClass) -> Bool {
        for property in some.properties where property.leadsToOthers && property.collection != .inverse {
            guard let json = values.first(where: { $0.name == property.name })?.value, !json.isNull else {
                continue
            }
            func exists(_ json: JSONValue) -> Bool {
                property.spec.target.map { contains(json, $0) } ?? anyExists(json)
            }
            let isReached =
                switch property.collection {
                case nil: exists(json)
                case .list, .set: json.array?.allSatisfy(exists) ?? true
                case .map:
                    json.array?.allSatisfy { $0.array.map { $0.count < 2 || exists($0[1]) } ?? true } ?? true
                case .inverse: true
                }
            if !isReached { return false }
        }
        return true
    }

    /// Whether the object of a link exists.
    private func contains(_ json: JSONValue, _ table: TableID) -> Bool {
        json["key"]?.int.map { transaction.table(table).contains(ObjectKey($0)) } ?? true
    }

    /// Whether the objects exist to which a value of type any leads.
    private func anyExists(_ json: JSONValue) -> Bool {
        guard let word = json["type"]?.string, let value = json["value"] else { return true }
        switch word {
        case "link":
            let table = value["class"]?.string.flatMap { transaction.catalog.table(named: $0) }
            return table.map { contains(value, $0) } ?? true
        case "list": return value.array?.allSatisfy(anyExists) ?? true
        case "dictionary":
            return value.array?.allSatisfy { $0.array.map { $0.count < 2 || anyExists($0[1]) } ?? true }
                ?? true
        default: return true
        }
    }

    /// A value that does not fit.
    private struct Misfit: Error {
        var what: String
        init(_ json: JSONValue) { what = "'\(String(json.text.prefix(100)))'" }
        init(words: String) { what = words }
    }

    private func set(
        _ json: JSONValue, _ property: TableProperty, _ table: TableID, _ key: ObjectKey
    ) throws {
        let id = CollectionID(table: table, column: property.column, key: key)
        if replaces, property.collection != nil {
            transaction.removeAllElements(from: id)
            if let column = property.valuesColumn {
                transaction.removeAllElements(from: CollectionID(table: table, column: column, key: key))
            }
        }
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
            return json["hex"]?.string.flatMap { Data(hexadecimal: $0) }.map { .bytes(Array($0)) }
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
