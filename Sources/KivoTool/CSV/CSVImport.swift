import Foundation
import Kivo
import KivoEngine
import KivoSchemaDrawing

/// An import of a CSV file into a class of a file that exists, or into a new file; or its rehearsal, which writes nothing.
struct CSVImport {
    /// The arguments of the import.
    struct Arguments {
        var className: String
        var maps: [String] = []
        /// The primary key of a new class.
        var key: String?
        var guardsFormulas = true
        /// Whether the import is only rehearsed.
        var isDry = false
    }

    /// A property of the class, with the column from which its values come.
    struct Property {
        var column: String
        var outline: SchemaOutline.Property
    }

    private let source: String
    let arguments: Arguments
    private let columns: CSVColumns
    private var writer: CSVObjectWriter?
    private let size: Int
    private let progress: (_ action: String, _ done: Int, _ total: Int) -> Void
    /// The maximum numbers of rows and of their bytes in one transaction of a new file.
    var (batchRows, batchBytes) = (1 << 16, 1 << 23)

    /// The properties with a column.
    private(set) var properties: [Property] = []
    private(set) var rowCount = 0
    /// The first problems of a rehearsal, and the number of all.
    private(set) var (problems, problemCount) = ([String](), 0)
    /// The first objects of a rehearsal, with the values of ``properties``.
    private(set) var samples: [(key: ObjectKey, values: [StoredValue])] = []
    private static let (sampleCount, shownProblems) = (5, 20)

    var inserted: Int { writer?.inserted ?? 0 }
    var updated: Int { writer?.updated ?? 0 }

    /// Opens a CSV file, and reads its first row.
    init(
        _ source: String, _ arguments: Arguments,
        progress: @escaping (_ action: String, _ done: Int, _ total: Int) -> Void = { _, _, _ in }
    ) throws {
        (self.source, self.arguments, self.progress) = (source, arguments, progress)
        var rows = try CSVReader(source)
        guard let header = try rows.next() else {
            throw Problem("line 1: there is no row with names of columns")
        }
        columns = try CSVColumns(header, maps: arguments.maps)
        let attributes = try? FileManager.default.attributesOfItem(atPath: source)
        size = (attributes?[.size] as? NSNumber)?.intValue ?? 0
    }

    /// Returns the rows, from the second one.
    private func rows() throws -> CSVReader {
        var rows = try CSVReader(source)
        _ = try rows.next()
        return rows
    }

    // MARK: A class that exists

    /// Writes the rows into a class of a file in one transaction, which memory holds as a whole.
    mutating func write(into file: StoredFile) throws {
        let catalog = file.history.catalog
        let some = try StoredClass.named(arguments.className, in: file.classes, of: file.path)
        if some.isEmbedded { throw Problem("the objects of class '\(some.name)' are parts of others") }
        writer = try CSVObjectWriter(
            columns, some, catalog, isNewClass: false, guardsFormulas: arguments.guardsFormulas)
        describe(catalog)
        if let key = arguments.key,
            !properties.contains(where: {
                $0.outline.isPrimaryKey && [$0.outline.name, $0.column].contains(key)
            })
        {
            throw UsageError("'\(key)' is not the primary key of class '\(some.name)', which cannot change")
        }
        var rows = try rows()
        if arguments.isDry {
            try file.rehearse { _ = try writeRows(&rows, $0, limits: (.max, .max)) }
        } else {
            let realm = try file.realm(readOnly: false)
            try realm.write { _ = try writeRows(&rows, realm.inspectedTransaction, limits: (.max, .max)) }
        }
    }

    // MARK: A new file

    /// Writes the rows into a file that does not exist yet, some in each transaction.
    mutating func write(intoNewFile path: String) throws {
        let specs = try columnSpecs()
        let name = arguments.className
        func define(_ catalog: inout Catalog) {
            let table = catalog.declare(name, isEmbedded: false)
            catalog.define(table, columns: specs)
        }
        var catalog = Catalog()
        define(&catalog)
        writer = try CSVObjectWriter(
            columns, StoredClass(0, catalog), catalog, isNewClass: true,
            guardsFormulas: arguments.guardsFormulas)
        describe(catalog)
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

    /// Infers the columns of the new class from all rows.
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
        var types = columns.columns.map { _ in CSVColumnType() }
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

    // MARK: Rows

    /// Writes rows until a limit is reached. Returns whether there may be more.
    private mutating func writeRows(
        _ rows: inout CSVReader, _ transaction: WriteTransaction, limits: (rows: Int, bytes: Int)
    ) throws -> Bool {
        try writer!.resolve(transaction.catalog)
        let start = rows.offset
        var count = 0
        while count < limits.rows, rows.offset - start < limits.bytes {
            do {
                guard let fields = try rows.next() else { return false }
                count += 1
                rowCount += 1
                progress(arguments.isDry ? "checking" : "importing", rows.offset, size)
                do {
                    let key = try writer!.write(fields, line: rows.line, transaction)
                    if arguments.isDry, samples.count < CSVImport.sampleCount { sample(key, transaction) }
                } catch let problem as Problem {
                    try note(problem)
                }
            } catch let problem as Problem {
                // No row can be read after that.
                if !arguments.isDry { throw problem }
                try note(problem)
                return false
            }
        }
        return true
    }

    /// Keeps a problem of a rehearsal; throws it otherwise.
    private mutating func note(_ problem: Problem) throws(Problem) {
        if !arguments.isDry { throw problem }
        problemCount += 1
        if problems.count < CSVImport.shownProblems { problems.append(problem.message) }
    }

    private mutating func sample(_ key: ObjectKey, _ transaction: WriteTransaction) {
        let values = StoredValues(transaction.snapshot, transaction.catalog)
        let some = writer!.storedClass
        samples.append((key, writer!.properties.map { values.value($0.property, some.table, key) }))
    }

    private mutating func describe(_ catalog: Catalog) {
        let outline = SchemaOutline(catalog).classes.first { $0.name == arguments.className }!
        properties = writer!.properties.map { column, property in
            Property(column: column, outline: outline.properties.first { $0.name == property.name }!)
        }
    }
}
