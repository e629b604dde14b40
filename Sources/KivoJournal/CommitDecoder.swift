import KivoEngine

/// Carries out the commits of a file; the counterpart of ``CommitEncoder``.
struct CommitDecoder {
    /// A table as the file describes it, and where it is in the store.
    private struct FileTable {
        var table: TableID
        /// For each column of the file, that of the store: a class may declare its properties in another order.
        var columns: [Int]
        var specs: [ColumnSpec]
    }

    private var tables: [FileTable] = []

    /// The numbers that the store's tables have in the file.
    var numbers: [TableID: Int] {
        Dictionary(uniqueKeysWithValues: tables.enumerated().map { ($1.table, $0) })
    }

    /// Carries out one record.
    mutating func replay(_ payload: UnsafeRawBufferPointer, into store: inout some CommitReplayer) throws {
        var reader = ByteReader(payload)
        try readTables(&reader, &store)
        let tables = tables
        try store.commit { transaction in
            var commit = CommitReplay(transaction)
            let changed = try reader.readCount()
            for _ in 0..<changed {
                let table = try CommitDecoder.table(&reader, tables)
                try commit.readTable(&reader, table.table, table.columns, table.specs)
            }
            let sequences = try reader.readCount()
            for _ in 0..<sequences {
                let table = try CommitDecoder.table(&reader, tables)
                try commit.readSequence(&reader, table.table, table.columns)
            }
            guard reader.isAtEnd else { throw reader.malformed("there is more than it says") }
            commit.deleteRows()
        }
    }

    private static func table(_ reader: inout ByteReader, _ tables: [FileTable]) throws -> FileTable {
        let number = try reader.readNumber()
        guard tables.indices.contains(number) else { throw reader.malformed("it names an unknown table") }
        return tables[number]
    }

    // MARK: Tables

    private struct Description {
        var name: String
        var isEmbedded: Bool
        var columns: [(spec: ColumnSpec, target: (name: String, isEmbedded: Bool)?)]
    }

    private mutating func readTables(_ reader: inout ByteReader, _ store: inout some CommitReplayer) throws {
        let count = try reader.readCount()
        guard count > 0 else { return }
        var descriptions: [Description] = []
        for _ in 0..<count { descriptions.append(try CommitDecoder.readDescription(&reader)) }
        var found: [FileTable] = []
        try store.defineTables { catalog in
            for description in descriptions {
                found.append(try CommitDecoder.define(description, &catalog))
            }
        }
        tables += found
    }

    private static func readDescription(_ reader: inout ByteReader) throws -> Description {
        let name = try reader.readString()
        var description = Description(name: name, isEmbedded: try reader.readFlag(), columns: [])
        for _ in 0..<(try reader.readCount()) {
            let column = try reader.readString()
            guard let kind = ColumnKind(rawValue: try reader.readByte()) else {
                throw reader.malformed("a column is of an unknown kind")
            }
            let element = ElementKind(rawValue: try reader.readByte())
            guard let order = SequenceOrder(rawValue: try reader.readByte()) else {
                throw reader.malformed("a sequence is of an unknown order")
            }
            let typeCode = try reader.readByte()
            let flags = try reader.readByte()
            let spec = ColumnSpec(
                name: column, kind: kind, isOptional: flags & 1 != 0, element: element, order: order,
                isOwning: flags & 2 != 0, isIndexed: flags & 4 != 0, isPrimaryKey: flags & 8 != 0,
                typeCode: typeCode)
            guard kind != .sequence || element != nil else {
                throw reader.malformed("a sequence is of unknown elements")
            }
            var target: (name: String, isEmbedded: Bool)?
            if flags & 16 != 0 { target = (try reader.readString(), try reader.readFlag()) }
            description.columns.append((spec, target))
        }
        return description
    }

    /// Finds a table in the store's catalog, or adds it as the file describes it.
    private static func define(_ description: Description, _ catalog: inout Catalog) throws -> FileTable {
        let specs = description.columns.map { column -> ColumnSpec in
            var spec = column.spec
            // Files of earlier days do not say so of the values of maps.
            if column.target?.isEmbedded == true { spec.isOwning = true }
            spec.target = column.target.map { target in
                catalog.table(named: target.name)
                    ?? catalog.declare(target.name, isEmbedded: target.isEmbedded)
            }
            return spec
        }
        let table =
            catalog.table(named: description.name)
            ?? catalog.declare(description.name, isEmbedded: description.isEmbedded)
        if catalog.tables[table].columns.isEmpty, !specs.isEmpty { catalog.define(table, columns: specs) }
        let known = catalog.tables[table].columns
        let columns = specs.map { spec in known.firstIndex(of: spec) ?? -1 }
        guard specs.count == known.count, !columns.contains(-1) else {
            throw SchemaMismatch(table: description.name, stored: specs, declared: known)
        }
        return FileTable(table: table, columns: columns, specs: specs)
    }
}

/// A class and the file's table of its name say different things.
public struct SchemaMismatch: Error, CustomStringConvertible {
    /// The class.
    public var table: String
    /// The columns that the file has.
    public var stored: [ColumnSpec]
    /// The columns that the program declares.
    public var declared: [ColumnSpec]

    /// The first difference, in words.
    public var description: String {
        for column in stored {
            guard let other = declared.first(where: { $0.name == column.name }) else {
                return "Class '\(table)' lacks property '\(column.name)', which the file has."
            }
            if other != column { return "Property '\(table).\(column.name)' is of another type in the file." }
        }
        let added = declared.first { column in !stored.contains { $0.name == column.name } }
        return "Class '\(table)' has property '\(added?.name ?? "?")', which the file lacks."
    }
}
