import KivoEngine

/// A decoder that replays the commits of a file; the counterpart of ``CommitEncoder``.
struct CommitDecoder {
    /// The tables by the numbers that the file gives them.
    private var tables: [Int: FileTable] = [:]
    /// The number that the file gives the next table.
    private(set) var nextNumber = 0
    /// The object that notes changes that cannot be replayed when a damaged file is salvaged; nil if they are thrown instead.
    private let losses: SalvageLosses?
    /// The object that notes elements without a target; nil if they are rejected.
    private let missing: MissingTargets?
    /// The maximum number of tables, more than any program has. A table is searched for linearly.
    private static let mostTables = 1 << 13

    init(_ losses: SalvageLosses? = nil, missing: MissingTargets? = nil) {
        self.losses = losses
        self.missing = missing
    }

    /// Creates a decoder for the commits after a checkpoint, whose tables have numbers already.
    init(restoring numbers: TableNumbers, _ catalog: Catalog, missing: MissingTargets? = nil) {
        losses = nil
        self.missing = missing
        nextNumber = numbers.next
        for (table, number) in numbers.byTable { tables[number] = FileTable(table, catalog) }
    }

    /// The numbers that the store's tables have in the file.
    var numbers: TableNumbers {
        TableNumbers(Dictionary(uniqueKeysWithValues: tables.map { ($1.table, $0) }), next: nextNumber)
    }

    /// The stamp of the last commit; nil if it has none.
    var stamp: CommitStamp?

    /// The tables by the numbers that the file gives them.
    var numbered: [Int: FileTable] { tables }

    /// Whether a damaged file is being salvaged.
    var isSalvaging: Bool { losses != nil }

    /// Replaces the tables and the next number with those after a migration.
    mutating func note(_ tables: [Int: FileTable], next: Int) {
        self.tables = tables
        nextNumber = next
    }

    /// Replays one record. Throws if it is invalid. The store must then be discarded, unless it rolls back the part of the commit
    /// that was replayed.
    mutating func replay(_ payload: UnsafeRawBufferPointer, into store: inout some CommitReplayer) throws {
        var reader = ByteReader(payload)
        try readTables(&reader, &store)
        let (tables, losses, missing) = (tables, losses, missing)
        reader.tables = tables.mapValues(\.table)
        try store.commit { transaction in
            var commit = CommitReplay(transaction, losses, missing)
            for _ in 0..<(try reader.readCount()) {
                try commit.readTable(&reader, try CommitDecoder.table(&reader, tables))
            }
            try commit.finishInsertions()
            for _ in 0..<(try reader.readCount()) {
                try commit.readSequence(&reader, try CommitDecoder.table(&reader, tables))
            }
            stamp = try reader.readStamp()
            try commit.finish()
        }
    }

    private static func table(_ reader: inout ByteReader, _ tables: [Int: FileTable]) throws -> FileTable {
        guard let table = tables[try reader.readNumber()] else {
            throw reader.malformed("it names an unknown table")
        }
        return table
    }

    private mutating func readTables(_ reader: inout ByteReader, _ store: inout some CommitReplayer) throws {
        let count = try reader.readCount(ofAtLeast: 5)
        guard count > 0 else { return }
        var descriptions: [TableDescription] = []
        for _ in 0..<count {
            let description = try TableDescription(&reader)
            // Numbers are consecutive. In a damaged file, descriptions may be lost.
            let isNext = description.number == nextNumber + descriptions.count
            guard losses == nil ? isNext : tables[description.number] == nil else {
                throw reader.malformed("a table has a number out of turn")
            }
            descriptions.append(description)
        }
        guard tables.count + count <= CommitDecoder.mostTables else {
            throw reader.malformed("there are too many tables")
        }
        var found = tables
        var described = Set(tables.values.map(\.table))
        try store.defineTables { catalog in
            for description in descriptions {
                let table = try FileTable(description, &catalog)
                guard described.insert(table.table).inserted else {
                    throw JournalError.senseless("table '\(table.name)' is described twice")
                }
                found[description.number] = table
            }
        }
        tables = found
        nextNumber = max(nextNumber, (descriptions.map(\.number).max() ?? -1) + 1)
    }
}
