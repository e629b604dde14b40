extension Snapshot {
    /// The objects that refer to an object through one link column.
    public func backlinks(_ backlinks: TableID, of target: ObjectKey) -> KeyMultiset {
        guard let (leaf, slot) = table(backlinks).locate(target) else { return KeyMultiset(word: 0) }
        return KeyMultiset(word: leaf.column(0).word(slot))
    }

    /// Calls `body` with each object that a link column, or a sequence of links, of an object leads to.
    public func forEachTarget(
        of key: ObjectKey, _ table: TableID, _ column: Int, _ catalog: Catalog, _ body: (ObjectKey) -> Void
    ) {
        guard let (leaf, slot) = self.table(table).locate(key) else { return }
        let word = leaf.column(column).word(slot)
        let spec = catalog.tables[table].columns[column]
        switch spec.kind {
        case .link: if word != 0 { body(ObjectKey(bitPattern: word)) }
        case .sequence where spec.element == .link:
            PersistentSequence(word: word, element: .link).forEachLink { if $0 != 0 { body($0) } }
        default: break
        }
    }

    /// The number of objects that a link column, or a sequence of links, of an object leads to. O(log n).
    public func targetCount(
        of key: ObjectKey, _ table: TableID, _ column: Int, _ catalog: Catalog
    ) -> Int {
        guard let (leaf, slot) = self.table(table).locate(key) else { return 0 }
        let word = leaf.column(column).word(slot)
        if catalog.tables[table].columns[column].kind == .link { return word == 0 ? 0 : 1 }
        return PersistentSequence(word: word, element: .link).count
    }
}
