import KivoEngine

/// Checks of imported objects that require all others: the owners of embedded objects and the uniqueness of primary keys.
struct ImportedObjects {
    private let transaction: WriteTransaction
    private var catalog: Catalog { transaction.catalog }

    init(_ transaction: WriteTransaction) { self.transaction = transaction }

    /// Throws if another object of the class has the same primary key.
    func checkPrimaryKey(of key: ObjectKey, _ table: TableID) throws(Problem) {
        let spec = catalog.tables[table]
        guard let column = spec.columns.firstIndex(where: \.isPrimaryKey) else { return }
        let rows = transaction.table(table)
        let value = rows.cell(key, column, spec.columns[column].kind)
        if rows.keys(where: column, equals: value, spec).count > 1 {
            throw Problem("two rows have one primary key: object \(key) of class '\(spec.name)'")
        }
    }

    /// Throws if an embedded object has no owner or two. Call this only after all links are set.
    func checkOwner(of key: ObjectKey, _ table: TableID) throws(Problem) {
        let spec = catalog.tables[table]
        let owners = spec.incoming.filter { catalog.isOwning($0, table) }.reduce(0) {
            $0 + transaction.snapshot.backlinks($1.backlinks, of: key).count
        }
        if owners == 0 {
            throw Problem("embedded object \(key) of class '\(spec.name)' belongs to no other")
        }
        if owners > 1 || isWithinItself(key, table) {
            throw Problem(
                "embedded object \(key) of class '\(spec.name)' has two places, or is within itself")
        }
    }

    /// Whether the owners of an object form a cycle, without an owner that is not embedded.
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
}
