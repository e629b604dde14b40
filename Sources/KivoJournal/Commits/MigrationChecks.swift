import KivoEngine

/// Checks that the rows of a file satisfy the requirements of its migrations.
enum MigrationChecks {
    /// Throws unless each row of the tables that become embedded has exactly one parent, and is not its own ancestor.
    static func owners(
        ofEmbedded embedded: [(name: String, isEmbedded: Bool)], _ transaction: WriteTransaction
    ) throws {
        let (catalog, snapshot) = (transaction.catalog, transaction.snapshot)
        var becoming: Set<TableID> = []
        var owned = Set(catalog.tables.indices.filter { catalog.tables[$0].isEmbedded })
        for (name, isEmbedded) in embedded {
            guard let table = catalog.table(named: name) else { continue }
            if isEmbedded, !catalog.tables[table].isEmbedded { becoming.insert(table) }
            if isEmbedded { owned.insert(table) } else { owned.remove(table) }
        }
        for table in becoming {
            var isWrong = false
            snapshot.table(table).forEachKeyWhile { key in
                var count = 0
                for origins in catalog.tables[table].incoming {
                    let links = snapshot.backlinks(origins.backlinks, of: key).count
                    // Counts twice, so that the check fails: a property of any type cannot be the parent of an embedded object.
                    count += catalog.tables[origins.table].columns[origins.column].isAny ? links * 2 : links
                }
                isWrong = count != 1 || isInCircle(key, table, owned, transaction)
                return !isWrong
            }
            if isWrong { throw JournalError.senseless("a row becomes embedded that has not one place") }
        }
    }

    /// Returns whether a row is its own ancestor, if the tables in `owned` are embedded. O(depth).
    private static func isInCircle(
        _ key: ObjectKey, _ table: TableID, _ owned: Set<TableID>, _ transaction: WriteTransaction
    ) -> Bool {
        let (catalog, snapshot) = (transaction.catalog, transaction.snapshot)
        var row = RowID(table: table, key: key)
        var seen: Set<RowID> = []
        while owned.contains(row.table) {
            guard seen.insert(row).inserted else { return true }
            var owner: RowID?
            for origins in catalog.tables[row.table].incoming {
                if let key = snapshot.backlinks(origins.backlinks, of: row.key).first {
                    owner = RowID(table: origins.table, key: key)
                    break
                }
            }
            guard let owner else { return false }
            row = owner
        }
        return false
    }

    /// Throws if two rows of one of the tables have the same primary key.
    static func primaryKeys(of tables: Set<TableID>, _ transaction: WriteTransaction) throws {
        for table in tables {
            let spec = transaction.catalog.tables[table]
            guard let column = spec.columns.firstIndex(where: \.isPrimaryKey),
                let ordinal = spec.indexOrdinal(of: column)
            else { continue }
            let (rows, kind) = (transaction.table(table), spec.columns[column].kind)
            var isTwice = false
            rows.forEachKeyWhile { key in
                let cell = rows.cell(key, column, kind)
                isTwice = rows.firstKey(index: ordinal, column: column, kind: kind, equals: cell) != key
                return !isTwice
            }
            if isTwice { throw JournalError.senseless("two rows have one primary key") }
        }
    }
}
