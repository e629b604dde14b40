extension Snapshot {
    /// Returns the objects that refer to an object through one link column.
    package func backlinks(_ backlinks: TableID, of target: ObjectKey) -> KeyMultiset {
        guard let (leaf, slot) = table(backlinks).locate(target) else { return KeyMultiset() }
        return leaf.column(0).keySet(slot)
    }

    /// Calls `body` with each object to which a link column, or a sequence of links, of an object leads.
    package func forEachTarget(
        of key: ObjectKey, _ table: TableID, _ column: Int, _ catalog: Catalog, _ body: (ObjectKey) -> Void
    ) {
        guard let (leaf, slot) = self.table(table).locate(key) else { return }
        let spec = catalog.tables[table].columns[column]
        switch spec.kind {
        case .link:
            let word = leaf.column(column).word(slot)
            if word != 0 { body(ObjectKey(bitPattern: word)) }
        case .sequence where spec.element == .link:
            leaf.column(column).sequence(slot, .link).forEachLink { if $0 != 0 { body($0) } }
        default: break
        }
    }

    /// Calls `body` with each row to which an any column, or a sequence of any values, of an object leads.
    func forEachAnyTarget(
        of key: ObjectKey, _ table: TableID, _ column: Int, _ catalog: Catalog, _ body: (RowID) -> Void
    ) {
        guard let (leaf, slot) = self.table(table).locate(key) else { return }
        if catalog.tables[table].columns[column].kind == .any {
            if let row = AnySlot(leaf.column(column).data, slot).link { body(row) }
        } else {
            leaf.column(column).sequence(slot, .any).forEachAnyLink(body)
        }
    }

    /// Calls `body` with each row that an object owns.
    package func forEachOwned(
        by key: ObjectKey, _ table: TableID, _ catalog: Catalog, _ body: (RowID) -> Void
    ) {
        for (index, column) in catalog.tables[table].columns.enumerated() {
            if column.isOwning {
                forEachTarget(of: key, table, index, catalog) { body(RowID(table: column.target!, key: $0)) }
            } else if column.isAny {
                forEachAnyTarget(of: key, table, index, catalog) { row in
                    if catalog.tables[row.table].isEmbedded { body(row) }
                }
            }
        }
    }

    /// Returns the row that owns an embedded row, and its column, or nil if there is none. O(columns that lead to the table · log
    /// n).
    package func owner(of row: RowID, _ catalog: Catalog) -> (row: RowID, column: Int)? {
        for origins in catalog.tables[row.table].incoming where catalog.isOwning(origins, row.table) {
            if let key = backlinks(origins.backlinks, of: row.key).first {
                return (RowID(table: origins.table, key: key), origins.column)
            }
        }
        return nil
    }

    /// Returns the number of objects to which a link column, or a sequence of links, of an object leads. O(log n).
    package func targetCount(
        of key: ObjectKey, _ table: TableID, _ column: Int, _ catalog: Catalog
    ) -> Int {
        guard let (leaf, slot) = self.table(table).locate(key) else { return 0 }
        let buffer = leaf.column(column)
        if catalog.tables[table].columns[column].kind == .link { return buffer.word(slot) == 0 ? 0 : 1 }
        return buffer.sequence(slot, .link).count
    }
}
