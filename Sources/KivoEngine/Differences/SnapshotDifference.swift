/// The difference between a version of some data and a later one that was not built upon it. An observer that missed the commits
/// in between compares the contents of both versions.
///
/// Rows are the same if they have the same key; keys are never reused. Only values of a row that differ count as changed, and
/// only elements of a list, set or map that differ. Assignments of equal values and intermediate values cannot be detected.
/// Backlinks and other derived changes are not included.
///
/// The versions may be of stores that number their tables differently.
package struct SnapshotDifference {
    private let old: Snapshot
    private let new: Snapshot
    private let catalog: Catalog
    /// The earlier table numbers of tables of the later version.
    private let origins: [TableID: TableID]
    /// Whether the table numbers are the same, so that equal bytes are equal values.
    private let areNumberedAlike: Bool
    private var changes = RowChangeSet()

    /// Returns the difference, by the table numbers of the later version. O(values in pages that the versions do not share), plus
    /// O(n log n) in the elements of changed lists.
    ///
    /// - Parameters:
    ///   - catalog: the tables of the later version.
    ///   - origins: the earlier numbers of these tables, whose columns must be the same in the same order. A table without a
    ///     number is new.
    package static func changes(
        from old: Snapshot, to new: Snapshot, _ catalog: Catalog, numberedBefore origins: [TableID: TableID]
    ) -> RowChangeSet {
        var difference = SnapshotDifference(old, new, catalog, origins)
        for table in catalog.tables.indices where !catalog.tables[table].isDerived {
            difference.compare(table)
        }
        return difference.changes
    }

    private init(_ old: Snapshot, _ new: Snapshot, _ catalog: Catalog, _ origins: [TableID: TableID]) {
        (self.old, self.new, self.catalog, self.origins) = (old, new, catalog, origins)
        areNumberedAlike = origins.allSatisfy { $0 == $1 }
    }

    private mutating func compare(_ table: TableID) {
        let before = origins[table].map(old.table) ?? Table(header: nil)
        let after = new.table(table)
        var change = TableChange(table: table, leaves: [])
        var sequences: [CollectionID: SequenceChange] = [:]
        let rows = RowDifference(
            table: table, columns: catalog.tables[table].columns, origins: origins)
        TreeDifference(mayComparePages: areNumberedAlike).forEachPair(before, after) { old, new in
            let leaf = rows.change(from: old, to: new, &sequences)
            if !leaf.isEmpty { change.add(leaf) }
        }
        // Keys of rows that no longer exist must not be assigned again.
        if !change.leaves.isEmpty || before.nextKey < after.nextKey { changes.tables.append(change) }
        for (id, change) in sequences { changes.sequences[id] = change }
    }
}
