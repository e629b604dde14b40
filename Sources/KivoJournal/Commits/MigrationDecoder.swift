import KivoEngine

extension CommitDecoder {
    /// Applies a migration; returns the schema version from this record on.
    ///
    /// - Throws: ``JournalError`` if the record is invalid. The store must then be discarded; in a salvage it keeps the steps
    ///   that were applied.
    mutating func migrate(
        _ payload: UnsafeRawBufferPointer, into store: inout some CommitReplayer
    ) throws -> UInt64 {
        var reader = ByteReader(payload)
        let schemaVersion = try reader.readWord()
        var keyed: Set<TableID> = []
        try undefineUnnumbered(in: &store)
        for _ in 0..<(try reader.readCount(ofAtLeast: 4)) {
            let shape = try DescribedShape(&reader)
            if !shape.isEmpty { keyed.formUnion(try migrate(shape, into: &store)) }
            let commit = try reader.readBytes()
            try commit.withUnsafeBytes { try replay($0, into: &store) }
        }
        stamp = try reader.readStamp()
        if !isSalvaging {
            try store.commit { transaction in try MigrationChecks.primaryKeys(of: keyed, transaction) }
        }
        return schemaVersion
    }

    /// Undefines the tables that only a checkpoint contains and that have no rows. No commit has described them, so the migration
    /// does not describe them either. Their columns after the migration are defined by its commits or by the program's classes.
    private func undefineUnnumbered(in store: inout some CommitReplayer) throws {
        let described = Set(numbered.values.map(\.table))
        let catalog = store.catalog
        let unnumbered = store.read { snapshot in
            catalog.tables.indices.filter { table in
                let spec = catalog.tables[table]
                return spec.isDefined && !spec.isDerived && spec.container == nil
                    && !described.contains(table)
                    && snapshot.table(table).count == 0
            }
        }
        if unnumbered.isEmpty { return }
        var forgotten: [(TableID, RedefinedTable)] = []
        try store.defineTables { catalog in
            forgotten = unnumbered.map { ($0, catalog.undefine($0)) }
        }
        try store.commit { transaction in
            for (table, old) in forgotten { transaction.drop(table, old) }
        }
    }

    /// Changes tables as one step describes; returns the redefined tables. Changes nothing if the step is invalid.
    private mutating func migrate(
        _ shape: DescribedShape, into store: inout some CommitReplayer
    ) throws -> Set<TableID> {
        var (tables, next) = (numbered, nextNumber)
        let isSalvaging = isSalvaging
        try store.commit { transaction in
            try MigrationChecks.owners(ofEmbedded: shape.embedded, transaction)
            for number in shape.dropped {
                guard let file = tables[number] else { continue }
                guard transaction.table(file.table).count == 0 else {
                    throw JournalError.senseless("a table with rows is dropped")
                }
            }
        }
        var orphans: [TableID] = []
        var rebuilt: [(TableRedefinition, RedefinedTable)] = []
        var forgotten: [(TableID, RedefinedTable)] = []
        try store.defineTables { known in
            var catalog = known
            for (name, isEmbedded) in shape.embedded {
                guard let table = catalog.table(named: name), catalog.tables[table].container == nil else {
                    if isSalvaging { continue }
                    throw JournalError.senseless("it is said of an unknown table that it is embedded")
                }
                orphans += catalog.setEmbedded(table, isEmbedded)
            }
            for redefinition in shape.redefined {
                let number = redefinition.description.number
                guard isSalvaging ? tables[number] == nil : number == next else {
                    throw JournalError.senseless("a table has a number out of turn")
                }
                next = max(next, number + 1)
                if let whole = try redefinition.resolve(tables, &catalog, isSalvaging) {
                    guard !rebuilt.contains(where: { $0.0.table == whole.table }) else {
                        throw JournalError.senseless("a table is redefined twice")
                    }
                    rebuilt.append((whole, catalog.redefine(whole)))
                    tables = tables.filter { $1.table != whole.table }
                }
                // In a salvage, a table whose earlier definition is lost begins without rows.
                tables[number] = try FileTable(redefinition.description, &catalog)
            }
            for number in shape.dropped {
                guard let file = tables.removeValue(forKey: number),
                    catalog.tables[file.table].container == nil,
                    !rebuilt.contains(where: { $0.0.table == file.table })
                else {
                    if isSalvaging { continue }
                    throw JournalError.senseless("a table is dropped that is not there")
                }
                forgotten.append((file.table, catalog.undefine(file.table)))
            }
            for number in Array(tables.keys) { tables[number]!.update(catalog) }
            known = catalog
        }
        try store.commit { transaction in
            transaction.clear(orphans: orphans)
            for (redefinition, old) in rebuilt { transaction.rebuild(redefinition, old) }
            for (table, old) in forgotten { transaction.drop(table, old) }
        }
        note(tables, next: next)
        return Set(rebuilt.map(\.0.table))
    }
}

/// The changes of one migration step to tables, as described in a file.
private struct DescribedShape {
    var embedded: [(name: String, isEmbedded: Bool)] = []
    var redefined: [DescribedRedefinition] = []
    /// The numbers of the dropped tables in the file.
    var dropped: [Int] = []

    var isEmpty: Bool { embedded.isEmpty && redefined.isEmpty && dropped.isEmpty }

    init(_ reader: inout ByteReader) throws(JournalError) {
        for _ in 0..<(try reader.readCount(ofAtLeast: 2)) {
            embedded.append((try reader.readString(), try reader.readFlag()))
        }
        for _ in 0..<(try reader.readCount(ofAtLeast: 6)) {
            redefined.append(try DescribedRedefinition(&reader))
        }
        for _ in 0..<(try reader.readCount()) { dropped.append(try reader.readNumber()) }
    }
}

/// The redefinition of a table, as described in a file.
private struct DescribedRedefinition {
    /// The number of the table in the file before the redefinition.
    let oldNumber: Int
    let description: TableDescription
    /// For each column, the index of the old column whose values it takes over, or nil.
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

    /// Returns the redefinition of the store's table; nil if that table is lost. Throws if the redefinition is invalid.
    func resolve(
        _ tables: [Int: FileTable], _ catalog: inout Catalog, _ isSalvaging: Bool
    ) throws -> TableRedefinition? {
        let table: TableID
        let isKnown = tables[oldNumber]?.name == description.name
        if isKnown {
            table = tables[oldNumber]!.table
        } else {
            guard isSalvaging else { throw JournalError.senseless("an unknown table is redefined") }
            guard let named = catalog.table(named: description.name), catalog.tables[named].isDefined else {
                return nil
            }
            table = named
        }
        guard catalog.tables[table].isEmbedded == description.isEmbedded,
            catalog.tables[table].container == nil
        else { throw JournalError.senseless("a table is redefined as what it cannot be") }
        var columns: [ColumnSpec] = []
        for column in description.columns { columns.append(try FileTable.spec(column, &catalog)) }
        let old = catalog.tables[table].columns
        // In a salvage, an earlier redefinition may be lost. Columns with the same name are then matched if their types fit.
        let sources =
            isKnown
            ? sources
            : columns.map { column in
                guard column.target == nil, column.order == .insertion else { return nil }
                return old.firstIndex { $0.name == column.name && column.canTakeOver($0) }
            }
        for (index, source) in sources.enumerated() {
            guard let source else { continue }
            guard old.indices.contains(source), columns[index].canTakeOver(old[source]) else {
                throw JournalError.senseless("a column takes over what does not fit")
            }
        }
        let taken = sources.compactMap { $0 }
        guard Set(taken).count == taken.count else {
            throw JournalError.senseless("a column is taken over twice")
        }
        try checkMaps(columns, sources, old)
        return TableRedefinition(
            table: table, typeName: description.typeName, columns: columns, sources: sources)
    }

    /// Throws unless maps are taken over with both their keys and their values.
    private func checkMaps(_ columns: [ColumnSpec], _ sources: [Int?], _ old: [ColumnSpec]) throws {
        for property in columns.properties {
            guard let values = property.valuesColumn else { continue }
            let keySource = sources[property.column].map { old[$0] }
            let valueSource = sources[values].map { old[$0] }
            guard keySource.map({ ColumnSpec.valuesName(of: $0.name) }) == valueSource?.name else {
                throw JournalError.senseless("a map takes over keys without values")
            }
        }
    }
}
