import Foundation
import Kivo
import KivoEngine
import KivoSchemaDrawing
import KivoSourceModel

/// An import of a CSV file into a class that exists, or into a new one; or its rehearsal, which writes nothing.
struct CSVImport {
    /// The arguments of the import.
    struct Arguments {
        var className: String
        var maps: [String] = []
        /// The texts `COLUMN=TYPE`, by which columns of a new class have other types than their values.
        var types: [String] = []
        /// The primary key of a new class.
        var key: String?
        /// Whether a file that exists gets the class.
        var isNewClass = false
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
    let columns: CSVColumns
    var writer: CSVObjectWriter?
    /// The size of the CSV file in bytes.
    let size: Int
    let progress: (_ action: String, _ done: Int, _ total: Int) -> Void
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
        columns = try CSVColumns(header, maps: arguments.maps, types: arguments.types)
        let attributes = try? FileManager.default.attributesOfItem(atPath: source)
        size = (attributes?[.size] as? NSNumber)?.intValue ?? 0
    }

    /// Returns the rows, from the second one.
    func rows() throws -> CSVReader {
        var rows = try CSVReader(source)
        _ = try rows.next()
        return rows
    }

    // MARK: A class that exists

    /// Writes the rows into a class of a file in one transaction, which memory holds as a whole.
    mutating func write(into file: StoredFile) throws {
        if arguments.isNewClass { return try writeNewClass(into: file) }
        let catalog = file.history.catalog
        let some = try storedClass(in: file)
        if let type = arguments.types.first {
            throw UsageError("'--type \(type)': the properties of class '\(some.name)' have types already")
        }
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

    private func storedClass(in file: StoredFile) throws(Problem) -> StoredClass {
        let name = arguments.className
        if let some = file.classes.first(where: { $0.name == name }) { return some }
        let suggestion = Spelling.suggestion(for: name, among: file.classes.map(\.name))
        throw Problem(
            "'\(file.path)' has no class '\(name)'"
                + (suggestion.isEmpty ? "; --new-class makes it" : suggestion))
    }

    // MARK: Rows

    /// Writes rows until a limit is reached. Returns whether there may be more.
    mutating func writeRows(
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

    mutating func describe(_ catalog: Catalog) {
        let outline = SchemaOutline(catalog).classes.first { $0.name == arguments.className }!
        properties = writer!.properties.map { column, property in
            Property(column: column, outline: outline.properties.first { $0.name == property.name }!)
        }
    }
}
