import Foundation
import KivoEngine

/// A reader of the values of one version, as change sets contain them.
struct VersionValues {
    let snapshot: Snapshot
    let classes: StoredClasses

    /// Returns the identity of an object.
    func identity(_ key: ObjectKey, _ some: StoredClass) -> ChangeSet.ObjectID {
        let primaryKey = some.primaryKey.map { value($0, some.table, key) }
        return ChangeSet.ObjectID(className: some.name, primaryKey: primaryKey, key: key)
    }

    /// Returns the value of a property of an object, which exists. Null for a type that this version of Kivo does not know.
    func value(_ property: RowProperty, _ key: ObjectKey, _ stored: RowClass) -> ChangeSet.Value {
        let known = classes[stored.table].knownProperties.owner(ofColumn: property.column)
        return known.map { value($0, stored.table, key) } ?? .null
    }

    /// Returns the value of a property of an object, which exists.
    func value(_ property: TableProperty, _ table: TableID, _ key: ObjectKey) -> ChangeSet.Value {
        let table = snapshot.table(table)
        switch property.kind {
        case .list: return .list(elements(property, table, key, property.column))
        case .set: return .set(Set(elements(property, table, key, property.column)))
        case .map:
            let keys = strings(table.sequence(key, property.column, .string))
            let values = elements(property, table, key, property.valuesColumn!)
            return .dictionary(zip(keys, values).map { ChangeSet.Entry(key: $0, value: $1) })
        case .value:
            return value(table.cell(key, property.column, property.spec.kind), property.spec)
        }
    }

    private func elements(
        _ property: TableProperty, _ table: Table, _ key: ObjectKey, _ column: Int
    ) -> [ChangeSet.Value] {
        var elements: [ChangeSet.Value] = []
        table.sequence(key, column, property.spec.element!).forEach {
            elements.append(value($0, property.spec))
        }
        return elements
    }

    private func strings(_ sequence: PersistentSequence) -> [String] {
        var strings: [String] = []
        sequence.forEach { if case .string(let string) = $0 { strings.append(string) } }
        return strings
    }

    /// Returns the value of a cell of a column, or of an element of its sequences.
    func value(_ cell: Cell, _ spec: ColumnSpec) -> ChangeSet.Value {
        if spec.isAny { return any(cell) }
        switch cell {
        case .null: return .null
        case .link(let key): return key == 0 ? .null : target(RowID(table: spec.target!, key: key))
        default: return ScalarType(rawValue: spec.typeCode).flatMap { ChangeSet.Value(cell, $0) } ?? .null
        }
    }

    /// Returns the value of a cell of type any.
    private func any(_ cell: Cell) -> ChangeSet.Value {
        switch cell {
        case .typedWord(let word, let tag): scalar(.word(word), tag)
        case .typedWide(let a, let b, let tag): scalar(.wide(a, b), tag)
        case .string(let value): .string(value)
        case .bytes(let value): .data(Data(value))
        case .typedLink(let row): target(row)
        case .null, .word, .wide, .link: .null
        }
    }

    private func scalar(_ cell: Cell, _ tag: AnyTag) -> ChangeSet.Value {
        ScalarType(tag).flatMap { ChangeSet.Value(cell, $0) } ?? .null
    }

    /// Returns a link to an object, or the contents of an embedded one, of a list, or of a dictionary within a value of any type.
    private func target(_ row: RowID) -> ChangeSet.Value {
        let table = snapshot.table(row.table)
        // An old version may refer to an object that no longer exists.
        guard table.contains(row.key) else { return .null }
        let spec = classes.catalog.tables[row.table]
        if let container = spec.container {
            var values: [ChangeSet.Value] = []
            table.sequence(row.key, container.values, .any).forEach { values.append(any($0)) }
            guard container == .dictionary else { return .list(values) }
            let keys = strings(table.sequence(row.key, container.members, .string))
            return .dictionary(zip(keys, values).map { ChangeSet.Entry(key: $0, value: $1) })
        }
        let some = classes[row.table]
        guard spec.isEmbedded else { return .object(identity(row.key, some)) }
        return .embedded(
            Dictionary(
                uniqueKeysWithValues: some.knownProperties.map { ($0.name, value($0, row.table, row.key)) }))
    }
}

extension ChangeSet.Value {
    /// Creates the value of a cell of a type; nil if the cell does not have the type's layout.
    init?(_ cell: Cell, _ type: ScalarType) {
        switch (type.columnKind, cell) {
        case (.word, .word), (.wide, .wide), (.string, .string), (.bytes, .bytes): break
        default: return nil
        }
        switch type {
        case .bool: self = .bool(Bool(cell: cell))
        case .int8, .int16, .int32, .int64, .int: self = .int(Int(cell: cell))
        case .float: self = .float(Float(cell: cell))
        case .double: self = .double(Double(cell: cell))
        case .string: self = .string(String(cell: cell))
        case .data: self = .data(Data(cell: cell))
        case .date: self = .date(Date(cell: cell))
        case .uuid: self = .uuid(UUID(cell: cell))
        case .objectId: self = .objectId(ObjectId(cell: cell))
        case .decimal128: self = .decimal128(Decimal128(cell: cell))
        case .any: return nil
        }
    }
}
