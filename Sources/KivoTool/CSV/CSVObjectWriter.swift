import Kivo
import KivoEngine

/// A writer of the rows of a CSV file into a class.
struct CSVObjectWriter {
    let columns: CSVColumns
    /// Whether each row is a new object, because the class is new.
    let isNewClass: Bool
    private let guardsFormulas: Bool
    private let name: String
    private var some: StoredClass
    /// The properties with a column, in the order of the class.
    private var values: [(column: CSVColumns.Column, property: TableProperty)] = []
    private var primaryKey: (column: CSVColumns.Column, property: TableProperty)?
    private var columnNames: [String: String] = [:]
    /// The objects of a class that exists of which the rows before are.
    private var written: Set<ObjectKey> = []
    /// The numbers of objects that were added, and of those that were changed.
    private(set) var (inserted, updated) = (0, 0)

    init(
        _ columns: CSVColumns, _ some: StoredClass, _ catalog: Catalog, isNewClass: Bool, guardsFormulas: Bool
    ) throws {
        (self.columns, self.isNewClass, self.guardsFormulas) = (columns, isNewClass, guardsFormulas)
        (self.some, name) = (some, some.name)
        try resolve(catalog)
        if primaryKey == nil, let property = some.properties.first(where: \.spec.isPrimaryKey) {
            throw Problem(
                "there is no column for the primary key of class '\(name)'; --map 'COLUMN=\(property.name)' names it"
            )
        }
    }

    /// Finds the properties of the columns in the tables of a transaction.
    mutating func resolve(_ catalog: Catalog) throws {
        some = StoredClass(catalog.table(named: name)!, catalog)
        let properties =
            isNewClass
            ? try columns.newProperties().map { name in some.properties.first { $0.name == name }! }
            : try columns.properties(of: some)
        for (column, property) in zip(columns.columns, properties) {
            guard let obstacle = CSVValue.obstacle(property, catalog) else { continue }
            throw Problem(
                "column '\(column.name)': property '\(name).\(property.name)' \(obstacle); --map '\(column.name)=' leaves it out"
            )
        }
        values = zip(columns.columns, properties).map { ($0, $1) }.sorted {
            ($0.property.column, $0.column.index) < ($1.property.column, $1.column.index)
        }
        primaryKey = values.first { $0.property.spec.isPrimaryKey }
        columnNames = Dictionary(uniqueKeysWithValues: values.map { ($0.property.name, $0.column.name) })
    }

    /// The properties with a column, in the order of the class, and their columns.
    var properties: [(column: String, property: TableProperty)] {
        values.map { ($0.column.name, $0.property) }
    }

    /// The class, as the last transaction has it.
    var storedClass: StoredClass { some }

    /// Writes a row, and returns the key of its object.
    ///
    /// - Throws: ``Problem`` if the row is invalid. The object is then as before, unless a value does not fit its type's range or
    ///   leads to no object.
    mutating func write(
        _ fields: [CSVReader.Field], line: Int, _ transaction: WriteTransaction
    ) throws -> ObjectKey {
        try columns.check(fields, line: line)
        if let index = columns.classIndex, fields[index].text != name {
            throw Problem("line \(line), column 'class': '\(fields[index].text ?? "")' is not '\(name)'")
        }
        let members = try values.map { column, property in
            (name: property.name, value: try value(fields[column.index], column, property, line))
        }
        var reader = ValueReader(transaction: transaction, line: line, columns: columnNames)
        let (key, isNew) = try object(members, fields, reader)
        if isNew { inserted += 1 } else { updated += 1 }
        reader.replaces = !isNew
        do {
            try reader.set(members, key, some) { isNew || !$0.spec.isPrimaryKey }
        } catch {
            // Only a rehearsal goes on after that.
            if isNew { transaction.delete([key], from: some.table) }
            if isNew { inserted -= 1 } else { updated -= 1 }
            throw error
        }
        if !isNewClass { written.insert(key) }
        return key
    }

    private func value(
        _ field: CSVReader.Field, _ column: CSVColumns.Column, _ property: TableProperty, _ line: Int
    ) throws(Problem) -> JSONValue {
        let subject = "line \(line), column '\(column.name)': property '\(name).\(property.name)'"
        let scalar = ScalarType(rawValue: property.spec.typeCode)
        guard let json = CSVValue.json(field, property, guardsFormulas: guardsFormulas) else {
            let reason = scalar == .any ? "; CSV does not say of which type it is" : ""
            let type = property.collection?.rawValue ?? scalar?.name ?? "link"
            throw Problem(
                "\(subject) of type \(type) cannot hold '\((field.text ?? "").prefix(100))'\(reason)")
        }
        if json.isNull, property.collection == nil, property.spec.target == nil {
            if property.spec.isPrimaryKey { throw Problem("\(subject), the primary key, is missing") }
            if !property.spec.isOptional, scalar == .string {
                throw Problem("\(subject) cannot hold nil; an empty text is written \"\"")
            }
        }
        return json
    }

    /// Returns the object of a row: one with the same primary key, or in a class without one the one whose key the row has, or else a
    /// new one.
    private func object(
        _ members: JSONValue.Members, _ fields: [CSVReader.Field], _ reader: ValueReader
    ) throws -> (key: ObjectKey, isNew: Bool) {
        let (transaction, line) = (reader.transaction, reader.line!)
        if let primaryKey {
            let property = primaryKey.property
            let value = members.first { $0.name == property.name }!.value
            let cell = try reader.cell(value, of: property, some)
            let spec = transaction.catalog.tables[some.table]
            if let key = transaction.table(some.table).keys(where: property.column, equals: cell, spec).first
            {
                if !isNewClass, !written.contains(key) { return (key, false) }
                throw Problem(
                    "line \(line), column '\(primaryKey.column.name)': a row before has the primary key '\(value.text)', too"
                )
            }
            if !isNewClass { return (transaction.insert(into: some.table), true) }
        }
        guard let index = columns.keyIndex, let text = fields[index].text, !text.isEmpty else {
            return (transaction.insert(into: some.table), true)
        }
        guard let key = Int64(text), key > 0, key < 1 << 55 else {
            throw Problem("line \(line), column 'key': '\(text)' is no key of an object")
        }
        let isThere = transaction.table(some.table).contains(key)
        if written.contains(key) || isNewClass && isThere {
            throw Problem("line \(line), column 'key': a row before has the key \(key), too")
        }
        if isNewClass {
            transaction.insert(into: some.table, at: key)
        } else if !isThere {
            throw Problem(
                "line \(line), column 'key': class '\(name)' has no object \(key); without a key, the row would be a new one"
            )
        }
        return (key, isNewClass)
    }
}
