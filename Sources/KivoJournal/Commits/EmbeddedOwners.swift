import KivoEngine

/// A lookup of the owners of embedded objects in a transaction.
struct EmbeddedOwners {
    private let transaction: WriteTransaction

    init(_ transaction: WriteTransaction) { self.transaction = transaction }

    /// Returns the first row found that owns an embedded object; nil if there is none.
    func owner(of key: ObjectKey, _ table: TableID) -> (table: TableID, key: ObjectKey)? {
        transaction.snapshot.owner(of: key, table, transaction.catalog)
    }

    /// Whether the source of a link is in an object itself, or in an object that it owns. O(depth) for objects that own others.
    func isOwner(_ source: CollectionID, within key: ObjectKey, _ table: TableID) -> Bool {
        if source.table == table, source.key == key { return true }
        guard ownsAny(key, table) else { return false }
        var current: (table: TableID, key: ObjectKey)? = (source.table, source.key)
        while let (origin, originKey) = current {
            if origin == table, originKey == key { return true }
            current = owner(of: originKey, origin)
        }
        return false
    }

    private func ownsAny(_ key: ObjectKey, _ table: TableID) -> Bool {
        var isFound = false
        transaction.snapshot.forEachOwned(by: key, table, transaction.catalog) { _ in isFound = true }
        return isFound
    }
}

extension Snapshot {
    /// Returns the first row found that owns an embedded object; nil if there is none.
    fileprivate func owner(of key: ObjectKey, _ table: TableID, _ catalog: Catalog) -> (
        table: TableID, key: ObjectKey
    )? {
        for link in catalog.tables[table].incoming where catalog.isOwning(link, table) {
            if let owner = backlinks(link.backlinks, of: key).first { return (link.table, owner) }
        }
        return nil
    }

    /// Whether an embedded object has at most one place, and is not within itself. O(depth) for objects within others.
    func hasOnePlace(_ key: ObjectKey, _ table: TableID, _ catalog: Catalog) -> Bool {
        var places = 0
        for link in catalog.tables[table].incoming where catalog.isOwning(link, table) {
            places += backlinks(link.backlinks, of: key).count
        }
        if places > 1 { return false }
        var current = owner(of: key, table, catalog)
        while let (origin, originKey) = current, catalog.tables[origin].isEmbedded {
            if origin == table, originKey == key { return false }
            current = owner(of: originKey, origin, catalog)
        }
        return true
    }
}
