import KivoEngine

/// A lookup of the owners of embedded objects in a transaction.
struct EmbeddedOwners {
    private let transaction: WriteTransaction

    init(_ transaction: WriteTransaction) { self.transaction = transaction }

    /// Returns the first row found that owns an embedded object; nil if there is none.
    func owner(of key: ObjectKey, _ table: TableID) -> (table: TableID, key: ObjectKey)? {
        for link in transaction.catalog.tables[table].incoming
        where transaction.catalog.isOwning(link, table) {
            if let owner = transaction.snapshot.backlinks(link.backlinks, of: key).first {
                return (link.table, owner)
            }
        }
        return nil
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

/// A check that embedded objects have at most one owner, and are not within themselves. Each object is visited once, however deep
/// the objects are nested that are checked.
struct EmbeddedOwnerCheck {
    private let snapshot: Snapshot
    private let catalog: Catalog
    /// The objects with embedded owners that are known to be within an object that is not embedded, or has no owner.
    private var rooted: Set<RowID> = []

    init(_ snapshot: Snapshot, _ catalog: Catalog) { (self.snapshot, self.catalog) = (snapshot, catalog) }

    /// Returns what is wrong with the owner of an embedded object; nil if nothing is.
    mutating func flaw(of row: RowID) -> String? {
        var path: Set<RowID> = []
        var current = row
        while !rooted.contains(current) {
            var owner: RowID?
            for link in catalog.tables[current.table].incoming where catalog.isOwning(link, current.table) {
                let keys = snapshot.backlinks(link.backlinks, of: current.key)
                guard let key = keys.first else { continue }
                if owner != nil || keys.count > 1 { return "has two places" }
                owner = RowID(table: link.table, key: key)
            }
            guard let owner, catalog.tables[owner.table].isEmbedded else { break }
            if !path.insert(current).inserted { return "is within itself" }
            current = owner
        }
        rooted.formUnion(path)
        return nil
    }
}
