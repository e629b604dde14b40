import KivoEngine

extension CommitDecoder {
    /// Carries out a migration; returns the version of the classes from here on. Throws if the record makes no sense; the
    /// store has to be discarded then, or, when a file is salvaged, keeps what steps were carried out.
    mutating func migrate(
        _ payload: UnsafeRawBufferPointer, into store: inout some CommitReplayer
    ) throws -> UInt64 {
        var reader = ByteReader(payload)
        let schemaVersion = try reader.readWord()
        for _ in 0..<(try reader.readCount(ofAtLeast: 4)) {
            try readShape(&reader, &store)
            let commit = try reader.readBytes()
            try commit.withUnsafeBytes { try replay($0, into: &store) }
        }
        guard reader.isAtEnd else { throw reader.malformed("there is more than it says") }
        return schemaVersion
    }

    /// Reads what becomes of tables in one step.
    private mutating func readShape(_ reader: inout ByteReader, _ store: inout some CommitReplayer) throws {
        var embedded: [(name: String, isEmbedded: Bool)] = []
        for _ in 0..<(try reader.readCount(ofAtLeast: 2)) {
            embedded.append((try reader.readString(), try reader.readFlag()))
        }
        var redefined: [DescribedRedefinition] = []
        for _ in 0..<(try reader.readCount(ofAtLeast: 6)) {
            redefined.append(try DescribedRedefinition(&reader))
        }
        var dropped: [Int] = []
        for _ in 0..<(try reader.readCount()) { dropped.append(try reader.readNumber()) }
        if embedded.isEmpty, redefined.isEmpty, dropped.isEmpty { return }

        var found = numbered
        var orphans: [TableID] = []
        var rebuilt: [(TableRedefinition, RedefinedTable)] = []
        var forgotten: [(TableID, RedefinedTable)] = []
        let isSalvaging = isSalvaging
        var next = nextNumber
        try store.defineTables { catalog in
            for (name, isEmbedded) in embedded {
                guard let table = catalog.table(named: name), catalog.tables[table].container == nil else {
                    if isSalvaging { continue }
                    throw JournalError.senseless("it is said of an unknown table that it is embedded")
                }
                orphans += catalog.setEmbedded(table, isEmbedded)
            }
            for redefinition in redefined {
                guard isSalvaging || redefinition.description.number == next else {
                    throw JournalError.senseless("a table has a number out of turn")
                }
                next = redefinition.description.number + 1
                guard let (table, sources) = try redefinition.place(found, catalog, isSalvaging) else {
                    // What the table was is lost: it begins anew.
                    found[redefinition.description.number] = try FileTable(
                        redefinition.description, &catalog)
                    continue
                }
                found = found.filter { $1.table != table }
                let columns = try redefinition.columns(&catalog)
                let old = catalog.tables[table]
                for (place, source) in sources.enumerated() {
                    guard let source else { continue }
                    guard old.columns.indices.contains(source),
                        columns[place].canTakeOver(old.columns[source])
                    else { throw JournalError.senseless("a column takes over what does not fit") }
                }
                guard Set(sources.compactMap { $0 }).count == sources.compactMap({ $0 }).count,
                    old.isEmbedded == redefinition.description.isEmbedded
                else { throw JournalError.senseless("a table is redefined as what it cannot be") }
                let whole = TableRedefinition(
                    table: table, typeName: redefinition.description.typeName, columns: columns,
                    sources: sources)
                rebuilt.append((whole, catalog.redefine(whole)))
                found[redefinition.description.number] = try FileTable(redefinition.description, &catalog)
            }
            for number in dropped {
                guard let file = found.removeValue(forKey: number) else {
                    if isSalvaging { continue }
                    throw JournalError.senseless("an unknown table is dropped")
                }
                forgotten.append((file.table, catalog.undefine(file.table)))
            }
            for number in Array(found.keys) { found[number]!.update(catalog) }
        }
        try store.commit { transaction in
            transaction.clear(orphans: orphans)
            for (redefinition, old) in rebuilt { transaction.rebuild(redefinition, old) }
            for (table, old) in forgotten {
                guard transaction.table(table).count == 0 else {
                    throw JournalError.senseless("a table with rows is dropped")
                }
                transaction.drop(table, old)
            }
        }
        note(found, next: next)
    }
}

/// A redefinition as a file describes it.
private struct DescribedRedefinition {
    /// The number that the file gave the table so far.
    let oldNumber: Int
    let description: TableDescription
    /// For each column that whose values it takes over, or nil.
    let sources: [Int?]

    init(_ reader: inout ByteReader) throws(JournalError) {
        oldNumber = try reader.readNumber()
        description = try TableDescription(&reader)
        var sources: [Int?] = []
        for _ in description.columns {
            let source = try reader.readNumber()
            sources.append(source == 0 ? nil : source - 1)
        }
        self.sources = sources
    }

    /// The table in the store, and where its columns come from; nil if it is lost.
    func place(
        _ found: [Int: FileTable], _ catalog: Catalog, _ isSalvaging: Bool
    ) throws(JournalError) -> (table: TableID, sources: [Int?])? {
        if let file = found[oldNumber], file.name == description.name { return (file.table, sources) }
        guard isSalvaging else { throw .senseless("an unknown table is redefined") }
        guard let table = catalog.table(named: description.name), catalog.tables[table].isDefined else {
            return nil
        }
        // A redefinition before this one is lost: what is called the same, and fits, is the same.
        let old = catalog.tables[table].columns
        return (
            table,
            description.columns.map { column in
                guard column.target == nil, column.spec.order == .insertion else { return nil }
                return old.firstIndex { $0.name == column.spec.name && column.spec.canTakeOver($0) }
            }
        )
    }

    /// The columns by the tables of the store.
    func columns(_ catalog: inout Catalog) throws -> [ColumnSpec] {
        var columns: [ColumnSpec] = []
        for column in description.columns { columns.append(try FileTable.spec(column, &catalog)) }
        return columns
    }
}
