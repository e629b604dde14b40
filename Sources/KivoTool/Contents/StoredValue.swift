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

    struct Entry: Equatable {
        var key: String
        var value: StoredValue
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
        case .string(let string): return .string(string)
        case .bytes(let bytes): return .data(bytes)
        case .word(let word): return StoredValues.value(word, ScalarType(rawValue: spec.typeCode))
        case .wide(let a, let b): return StoredValues.value((a, b), ScalarType(rawValue: spec.typeCode))
        case .typedWord, .typedWide, .typedLink: return .null
        }
    }

    private static func value(_ word: UInt64, _ type: ScalarType?) -> StoredValue {
        switch type {
        case .bool: .bool(word != 0)
        case .float: .float(Float(_word: word))
        case .double: .double(Double(_word: word))
        case .date: .date(Date(_word: word))
        default: .int(Int(truncatingIfNeeded: Int64(bitPattern: word)))
        }
    }

    private static func value(_ words: (UInt64, UInt64), _ type: ScalarType?) -> StoredValue {
        switch type {
        case .objectId: .objectId(ObjectId(_words: words))
        case .decimal128: .decimal(Decimal128(_words: words))
        default: .uuid(UUID(_words: words))
        }
    }

    private func any(_ cell: Cell) -> StoredValue {
        switch cell {
        case .string(let string): return .string(string)
        case .bytes(let bytes): return .data(bytes)
        case .typedWord(let word, let tag):
            return StoredValues.value(
                word, [.bool: .bool, .float: .float, .double: .double, .date: .date][tag])
        case .typedWide(let a, let b, let tag):
            return StoredValues.value((a, b), [.objectId: .objectId, .decimal128: .decimal128][tag])
        case .typedLink(let row): return object(row)
        case .null, .word, .wide, .link: return .null
        }
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
