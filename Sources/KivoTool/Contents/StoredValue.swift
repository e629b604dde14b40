import Foundation
import Kivo
import KivoEngine

/// A value of a property as a file stores it, without the program's types.
indirect enum StoredValue: Equatable {
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

    struct Entry: Equatable {
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
struct StoredValues {
    let snapshot: Snapshot
    let catalog: Catalog

    init(_ snapshot: Snapshot, _ catalog: Catalog) {
        self.snapshot = snapshot
        self.catalog = catalog
    }

    /// Returns the value of a property of an object. The object must exist.
    func value(_ property: StoredClass.Property, _ table: TableID, _ key: ObjectKey) -> StoredValue {
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

    private func any(_ cell: Cell) -> StoredValue {
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
