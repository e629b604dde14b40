import KivoEngine

/// What can be said of imported objects only when all are there: who owns embedded ones, and that primary keys are unique.
struct ImportedObjects {
    private let transaction: WriteTransaction
    private var catalog: Catalog { transaction.catalog }

    init(_ transaction: WriteTransaction) { self.transaction = transaction }

    /// Throws if two objects of a class have one primary key, or an embedded object is in no place or in two.
    func check() throws(Problem) {
        for (table, spec) in catalog.tables.enumerated() where !spec.isDerived && spec.container == nil {
            try checkPrimaryKeys(table, spec)
            if spec.isEmbedded { try checkOwners(table, spec) }
        }
    }

    private func checkPrimaryKeys(_ table: TableID, _ spec: TableSpec) throws(Problem) {
        guard let column = spec.columns.firstIndex(where: \.isPrimaryKey),
            let ordinal = spec.indexOrdinal(of: column)
        else { return }
        let (rows, kind) = (transaction.table(table), spec.columns[column].kind)
        let twice = firstKey(table) { key in
            let value = rows.cell(key, column, kind)
            return rows.firstKey(index: ordinal, column: column, kind: kind, equals: value) != key
        }
        if let twice {
            throw Problem("two rows have one primary key: object \(twice) of class '\(spec.name)'")
        }
    }

    private func checkOwners(_ table: TableID, _ spec: TableSpec) throws(Problem) {
        let owning = spec.incoming.filter { catalog.isOwning($0, table) }
        func places(_ key: ObjectKey) -> Int {
            owning.reduce(0) { $0 + transaction.snapshot.backlinks($1.backlinks, of: key).count }
        }
        if let orphan = firstKey(table, where: { places($0) == 0 }) {
            throw Problem("embedded object \(orphan) of class '\(spec.name)' belongs to no other")
        }
        if let shared = firstKey(table, where: { places($0) > 1 || isWithinItself($0, table) }) {
            throw Problem(
                "embedded object \(shared) of class '\(spec.name)' has two places, or is within itself")
        }
    }

    /// Whether an object is owned in a circle, and not by one on its own in the end.
    private func isWithinItself(_ key: ObjectKey, _ table: TableID) -> Bool {
        var current = (table: table, key: key)
        var steps = 0
        while catalog.tables[current.table].isEmbedded {
            guard steps <= embeddedCount, let next = owner(of: current.key, current.table) else {
                return true
            }
            current = next
            steps += 1
        }
        return false
    }

    private var embeddedCount: Int {
        catalog.tables.indices.reduce(0) {
            $0 + (catalog.tables[$1].isEmbedded ? transaction.table($1).count : 0)
        }
    }

    private func owner(of key: ObjectKey, _ table: TableID) -> (table: TableID, key: ObjectKey)? {
        for link in catalog.tables[table].incoming where catalog.isOwning(link, table) {
            if let owner = transaction.snapshot.backlinks(link.backlinks, of: key).first {
                return (link.table, owner)
            }
        }
        return nil
    }

    private func firstKey(_ table: TableID, where condition: (ObjectKey) -> Bool) -> ObjectKey? {
        var found: ObjectKey?
        transaction.table(table).forEachKeyWhile { key in
            if condition(key) { found = key }
            return found == nil
        }
        return found
    }
}
