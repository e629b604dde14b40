import Foundation
import KivoEngine

/// A class as a catalog describes it, without its declaration in the program.
struct RecordedClass {
    /// A property, which has one column, or two for a dictionary.
    struct Property {
        /// The stored name.
        let name: String
        /// The column of the values, of the elements, or of a dictionary's keys.
        let column: Int
        /// The column of a dictionary's values.
        let valuesColumn: Int?
        /// The description of the values or elements.
        let spec: ColumnSpec
        let collection: CollectionKind
    }

    let table: TableID
    let name: String
    /// The properties whose types this version of Kivo knows.
    let properties: [Property]
    let primaryKey: Property?

    init(_ table: TableID, _ catalog: Catalog) {
        let spec = catalog.tables[table]
        self.table = table
        name = spec.name
        properties = spec.columns.enumerated().compactMap { column, own in
            if own.order == .values { return nil }
            let values = spec.columns.firstIndex { $0.order == .values && $0.propertyColumnName == own.name }
            let collection: CollectionKind =
                own.kind != .sequence ? .none : values != nil ? .map : own.order == .sorted ? .set : .list
            let elements = values.map { spec.columns[$0] } ?? own
            guard elements.target != nil || ScalarType(rawValue: elements.typeCode) != nil else { return nil }
            return Property(
                name: own.name, column: column, valuesColumn: values, spec: elements, collection: collection)
        }
        primaryKey = properties.first(where: \.spec.isPrimaryKey)
    }

    /// Returns the property to which a column belongs.
    func property(ofColumn column: Int) -> Property? {
        properties.first { $0.column == column || $0.valuesColumn == column }
    }
}

/// A reader of the values of one version, as change sets contain them.
struct VersionValues {
    let snapshot: Snapshot
    let classes: RecordedClasses

    /// Returns the identity of an object.
    func identity(_ key: ObjectKey, _ some: RecordedClass) -> ChangeSet.ObjectID {
        let primaryKey = some.primaryKey.map { value($0, some.table, key) }
        return ChangeSet.ObjectID(className: some.name, primaryKey: primaryKey, key: key)
    }

    /// Returns the value of a property of an object, which exists. Null for a type that this version of Kivo does not know.
    func value(_ property: StoredProperty, _ key: ObjectKey, _ stored: StoredClass) -> ChangeSet.Value {
        let known = classes[stored.table].property(ofColumn: property.column)
        return known.map { value($0, stored.table, key) } ?? .null
    }

    /// Returns the value of a property of an object, which exists.
    func value(_ property: RecordedClass.Property, _ table: TableID, _ key: ObjectKey) -> ChangeSet.Value {
        let table = snapshot.table(table)
        switch property.collection {
        case .list: return .list(elements(property, table, key, property.column))
        case .set: return .set(Set(elements(property, table, key, property.column)))
        case .map:
            let keys = strings(table.sequence(key, property.column, .string))
            let values = elements(property, table, key, property.valuesColumn!)
            return .dictionary(zip(keys, values).map { ChangeSet.Entry(key: $0, value: $1) })
        case .none, .linkingObjects:
            return value(table.cell(key, property.column, property.spec.kind), property.spec)
        }
    }

    private func elements(
        _ property: RecordedClass.Property, _ table: Table, _ key: ObjectKey, _ column: Int
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
                uniqueKeysWithValues: some.properties.map { ($0.name, value($0, row.table, row.key)) }))
    }
}

/// The classes of a catalog, each read on first use. Confined to one reader.
final class RecordedClasses {
    let catalog: Catalog
    private var known: [TableID: RecordedClass] = [:]

    init(_ catalog: Catalog) { self.catalog = catalog }

    subscript(table: TableID) -> RecordedClass {
        if let some = known[table] { return some }
        let some = RecordedClass(table, catalog)
        known[table] = some
        return some
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
