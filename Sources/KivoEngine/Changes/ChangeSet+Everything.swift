extension ChangeSet {
    /// Creates the change from an empty state to a version: every row is inserted. O(leaves).
    public init(inserting snapshot: Snapshot, _ catalog: Catalog) {
        self.init()
        for table in catalog.tables.indices where !catalog.tables[table].isDerived {
            var change = TableChange(table: table, leaves: [])
            snapshot.table(table).forEachLeaf { leaf in
                change.add(
                    LeafChange(
                        block: leaf.block, inserted: leaf.keyBits(of: leaf.occupied), deleted: Bits256(),
                        columns: []))
                return true
            }
            if snapshot.table(table).nextKey > 1 { tables.append(change) }
        }
    }
}
