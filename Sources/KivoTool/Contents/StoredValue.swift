import Foundation
import Kivo
import KivoEngine

/// A value of a property as a file stores it, without the program's types.
indirect enum StoredValue: Equatable, Sendable {
    case null
    case bool(Bool)
    case int(Int)
    case float(Float)
    case double(Double)
    case string(String)
    case data([UInt8])
    case date(Date)
    case decimal(Decimal128)
    case objectId(ObjectId)
    case uuid(UUID)
    /// An object of the property's target class.
    case link(String, ObjectKey)
    case list([StoredValue])
    case map([Entry])
    /// A value of a property of type any. An object contains the name of its class.
    case any(StoredValue)
    /// A value of a type that this version does not know, with the code of the type.
    case unknown(UInt8)

    struct Entry: Equatable, Sendable {
        var key: String
        var value: StoredValue
    }
}

extension StoredValue {
    /// Creates the value of a cell of a type; nil if the cell does not have the type's layout.
    init?(_ cell: Cell, _ type: ScalarType) {
        switch (type.columnKind, cell) {
        case (.word, .word), (.wide, .wide), (.string, .string), (.bytes, .bytes): break
        default: return nil
        }
        switch type {
        case .bool: self = .bool(Bool(_cell: cell))
        case .int8, .int16, .int32, .int64, .int: self = .int(Int(_cell: cell))
        case .float: self = .float(Float(_cell: cell))
        case .double: self = .double(Double(_cell: cell))
        case .string: self = .string(String(_cell: cell))
        case .data:
            guard case .bytes(let bytes) = cell else { return nil }
            self = .data(bytes)
        case .date: self = .date(Date(_cell: cell))
        case .uuid: self = .uuid(UUID(_cell: cell))
        case .objectId: self = .objectId(ObjectId(_cell: cell))
        case .decimal128: self = .decimal(Decimal128(_cell: cell))
        case .any: return nil
        }
    }

    /// Creates the value that a text in the form of ``plainText`` represents; nil if it represents none of the type.
    init?(_ text: String, _ type: ScalarType) {
        let value: StoredValue? =
            switch type {
            case .bool: Bool(text).map { .bool($0) }
            case .int8, .int16, .int32, .int64, .int: Int(text).map { .int($0) }
            case .float: Float(text).map { .float($0) }
            case .double: Double(text).map { .double($0) }
            case .string: .string(text)
            case .data: Data(hexadecimal: text).map { .data(Array($0)) }
            case .date: Date(iso8601: text).map { .date($0) }
            case .uuid: UUID(uuidString: text).map { .uuid($0) }
            case .objectId: (try? ObjectId(string: text)).map { .objectId($0) }
            case .decimal128: (try? Decimal128(string: text)).map { .decimal($0) }
            case .any: nil
            }
        guard let value else { return nil }
        self = value
    }

    /// The type of a scalar; `int` for integers of all sizes. Nil for other values.
    var scalar: ScalarType? {
        switch self {
        case .bool: .bool
        case .int: .int
        case .float: .float
        case .double: .double
        case .string: .string
        case .data: .data
        case .date: .date
        case .decimal: .decimal128
        case .objectId: .objectId
        case .uuid: .uuid
        case .null, .link, .list, .map, .any, .unknown: nil
        }
    }
}

/// A reader of the values of a version.
struct StoredValues: Sendable {
    let snapshot: Snapshot
    let catalog: Catalog

    init(_ snapshot: Snapshot, _ catalog: Catalog) {
        self.snapshot = snapshot
        self.catalog = catalog
    }

    /// Returns the value of a property of an object. The object must exist.
    func value(_ property: TableProperty, _ table: TableID, _ key: ObjectKey) -> StoredValue {
        let table = snapshot.table(table)
        guard property.collection != nil else {
            return value(table.cell(key, property.column, property.spec.kind), property.spec)
        }
        let elements = elements(table, key, property.valuesColumn ?? property.column, property.spec)
        guard property.valuesColumn != nil else { return .list(elements) }
        let keys = strings(table.sequence(key, property.column, .string))
        return .map(zip(keys, elements).map { StoredValue.Entry(key: $0, value: $1) })
    }

    private func elements(
        _ table: Table, _ key: ObjectKey, _ column: Int, _ spec: ColumnSpec
    ) -> [StoredValue] {
        var elements: [StoredValue] = []
        table.sequence(key, column, spec.element!).forEach { elements.append(value($0, spec)) }
        return elements
    }

    private func strings(_ sequence: PersistentSequence) -> [String] {
        var strings: [String] = []
        sequence.forEach { if case .string(let string) = $0 { strings.append(string) } }
        return strings
    }

    /// Returns the value of a cell of a column, or of an element of its sequences.
    func value(_ cell: Cell, _ spec: ColumnSpec) -> StoredValue {
        if spec.isAny { return .any(any(cell)) }
        switch cell {
        case .null: return .null
        case .link(let key):
            return key == 0 ? .null : .link(catalog.tables[spec.target!].name, key)
        case .word, .wide, .string, .bytes, .typedWord, .typedWide, .typedLink:
            return ScalarType(rawValue: spec.typeCode).flatMap { StoredValue(cell, $0) }
                ?? .unknown(spec.typeCode)
        }
    }

    /// Returns the value of a cell of type any.
    func any(_ cell: Cell) -> StoredValue {
        switch cell {
        case .typedWord(let word, let tag): scalar(.word(word), tag)
        case .typedWide(let a, let b, let tag): scalar(.wide(a, b), tag)
        case .string: scalar(cell, .string)
        case .bytes: scalar(cell, .bytes)
        case .typedLink(let row): object(row)
        case .null, .word, .wide, .link: .null
        }
    }

    private func scalar(_ cell: Cell, _ tag: AnyTag) -> StoredValue {
        ScalarType(tag).flatMap { StoredValue(cell, $0) } ?? .unknown(tag.rawValue)
    }

    /// Returns an object, or the contents of a list or dictionary within a value of type any.
    private func object(_ row: RowID) -> StoredValue {
        let spec = catalog.tables[row.table]
        let table = snapshot.table(row.table)
        // A change may contain a link to a deleted object.
        guard table.contains(row.key) else { return .null }
        guard let container = spec.container else { return .link(spec.name, row.key) }
        var values: [StoredValue] = []
        table.sequence(row.key, container.values, .any).forEach { values.append(any($0)) }
        guard container == .dictionary else { return .list(values) }
        let keys = strings(table.sequence(row.key, container.members, .string))
        return .map(zip(keys, values).map { StoredValue.Entry(key: $0, value: $1) })
    }
}

extension StoredValue {
    /// The value as text for a person, on one line; long values are cut.
    var text: String {
        let text = fullText
        return text.count > 120 ? text.prefix(119) + "…" : text
    }

    /// The value as text for a program, whole and without quotes; null is empty. Collections are JSON.
    var plainText: String {
        switch self {
        case .null: ""
        case .string(let value): value
        case .data(let value): value.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        case .date(let value): StoredValue.text(of: value)
        case .link(_, let key): "\(key)"
        case .any(let value): value.plainText
        case .list, .map: json
        case .bool, .int, .float, .double, .decimal, .objectId, .uuid, .unknown: fullText
        }
    }

    /// The value in JSON without loss.
    var json: String {
        var json = JSONText()
        json.value(self)
        return json.text
    }

    /// Returns a date in the notation of ISO 8601 in UTC, with the decimal places that it has.
    private static func text(of date: Date) -> String {
        guard let parts = DateParts(date), let second = text(ofSecond: Int64(parts.seconds)) else {
            return "\(date.timeIntervalSince1970)"
        }
        if parts.nanoseconds == 0 { return second }
        var digits = String(1_000_000_000 + parts.nanoseconds).dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return second.dropLast() + ".\(digits)Z"
    }

    /// Returns a second since 1970 in the notation of ISO 8601 in UTC; nil outside of the years 1 to 9999.
    static func text(ofSecond second: Int64) -> String? {
        guard second > -62_135_596_800, second < 253_402_300_800 else { return nil }
        return Date(timeIntervalSince1970: Double(second)).formatted(.iso8601)
    }

    private var fullText: String {
        switch self {
        case .null: "nil"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .float(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let value): "\"" + StoredValue.visible(value) + "\""
        case .data(let value): "\(value.count) bytes"
        case .date(let value): StoredValue.text(of: value)
        case .decimal(let value): value.stringValue
        case .objectId(let value): value.stringValue
        case .uuid(let value): value.uuidString.lowercased()
        case .link(let name, let key): "\(name) \(key)"
        case .list(let values): "[" + values.prefix(40).map(\.text).joined(separator: ", ") + "]"
        case .map(let entries):
            "["
                + entries.prefix(40).map { "\"\(StoredValue.visible($0.key))\": \($0.value.text)" }
                .joined(separator: ", ") + "]"
        case .any(let value): value.fullText
        case .unknown(let code): "a value of type \(code)"
        }
    }

    /// Escapes the characters that would control a terminal.
    static func visible(_ text: String) -> String {
        var visible = ""
        for scalar in text.prefix(200).unicodeScalars {
            switch scalar {
            case "\n": visible += "\\n"
            case "\"": visible += "\\\""
            case "\\": visible += "\\\\"
            case _ where ControlCharacters.contains(scalar):
                visible += "\\u{\(String(scalar.value, radix: 16))}"
            default: visible.unicodeScalars.append(scalar)
            }
        }
        return visible
    }
}
