import Kivo
import KivoEngine
import KivoJournal

/// A class that is made of the columns, in a new file or in one that exists.
extension CSVImport {
    /// Writes the rows into a file that does not exist yet, some in each transaction.
    mutating func write(intoNewFile path: String) throws {
        let specs = try columnSpecs()
        let define = definition(specs)
        var catalog = Catalog()
        define(&catalog)
        try begin(catalog)
        var (rows, isMore) = (try rows(), true)
        if arguments.isDry {
            var history = CommitHistory()
            defer { history.discard() }
            try history.defineTables(define)
            while isMore {
                try history.commit { isMore = try writeRows(&rows, $0, limits: (batchRows, batchBytes)) }
            }
            return
        }
        let file = try ImportedFile(path, schemaVersion: 0)
        do {
            try file.define(define)
            while isMore {
                try file.write { isMore = try writeRows(&rows, $0, limits: (batchRows, batchBytes)) }
            }
            try file.finish()
        } catch {
            file.discard()
            throw error
        }
    }

    /// Writes the rows into a class that a file does not have yet, in one transaction, which memory holds as a whole.
    mutating func writeNewClass(into file: StoredFile) throws {
        try checkIsNew(file.history.catalog, of: file.path)
        let specs = try columnSpecs()
        try file.define(definition(specs))
        try begin(file.history.catalog)
        var rows = try rows()
        // Tables are described by the first commit that changes them.
        guard try !isEmpty() else {
            throw Problem("there is no row, and a file that exists gets no class without objects")
        }
        if arguments.isDry {
            try file.rehearse { _ = try writeRows(&rows, $0, limits: (.max, .max)) }
            return
        }
        let properties = specs.map { spec in
            ClassDefinition.Property(
                name: spec.name, scalar: ScalarType(rawValue: spec.typeCode), collection: .none,
                isOptional: spec.isOptional, isPrimaryKey: spec.isPrimaryKey)
        }
        let realm = try file.realm(readOnly: false)
        // Another program may have made it meanwhile.
        try checkIsNew(realm.inspected.catalog, of: file.path)
        try realm.define([
            ClassDefinition(name: arguments.className, isEmbedded: false, properties: properties)
        ])
        try realm.write { _ = try writeRows(&rows, realm.inspectedTransaction, limits: (.max, .max)) }
    }

    private func checkIsNew(_ catalog: Catalog, of path: String) throws(Problem) {
        let name = arguments.className
        guard StoredClass.all(catalog).contains(where: { $0.name == name }) else { return }
        throw Problem("'\(path)' has a class '\(name)' already; without --new-class, rows are added to it")
    }

    private func isEmpty() throws -> Bool {
        var rows = try rows()
        return try rows.next() == nil
    }

    /// Returns a closure that adds the class to a catalog.
    private func definition(_ specs: [ColumnSpec]) -> (inout Catalog) -> Void {
        { [name = arguments.className] catalog in
            let table = catalog.table(named: name) ?? catalog.declare(name, isEmbedded: false)
            catalog.define(table, columns: specs)
        }
    }

    /// Begins to write into the class, which a catalog has.
    private mutating func begin(_ catalog: Catalog) throws {
        let table = catalog.table(named: arguments.className)!
        writer = try CSVObjectWriter(
            columns, StoredClass(table, catalog), catalog, isNewClass: true,
            guardsFormulas: arguments.guardsFormulas)
        describe(catalog)
    }

    /// Returns the columns of the new class, whose types are inferred from all rows unless they are given.
    private func columnSpecs() throws -> [ColumnSpec] {
        let names = try columns.newProperties()
        let name = arguments.className
        guard CSVColumns.isName(name), AnyContainer(rawValue: name) == nil else {
            throw UsageError("'\(name)' cannot be the name of a class")
        }
        let key = try arguments.key.map { key throws(UsageError) in
            if names.contains(key) { return key }
            guard let index = columns.columns.firstIndex(where: { $0.name == key }) else {
                throw UsageError("no column is for the primary key '\(key)'")
            }
            return names[index]
        }
        let types = try columnTypes()
        var specs: [ColumnSpec] = []
        for (name, type) in zip(names, types) {
            let isKey = name == key
            if isKey, !type.scalar.canBePrimaryKey {
                throw Problem("property '\(name)' of type \(type.scalar.name) cannot be the primary key")
            }
            specs.append(
                ColumnSpec(
                    name: name, kind: type.scalar.columnKind, isOptional: type.isOptional && !isKey,
                    isIndexed: false, isPrimaryKey: isKey, typeCode: type.scalar.rawValue))
        }
        return specs.sorted(by: ColumnSpec.isOrderedBefore)
    }

    private func columnTypes() throws -> [CSVColumnType] {
        var types = columns.columns.map { CSVColumnType($0.type) }
        do {
            var rows = try rows()
            while let fields = try rows.next() {
                progress("reading", rows.offset, size)
                do throws(Problem) {
                    try columns.check(fields, line: rows.line)
                } catch {
                    // A rehearsal says so when it writes the row.
                    if arguments.isDry { continue }
                    throw error
                }
                for (position, column) in columns.columns.enumerated() {
                    types[position].add(fields[column.index])
                }
            }
        } catch let problem as Problem {
            if !arguments.isDry { throw problem }
        }
        return types
    }
}
