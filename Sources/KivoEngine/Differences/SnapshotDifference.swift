/// What leads from one version of some data to a later one that was not built upon it: whoever has missed the commits in between
/// finds out by comparing what each version holds.
///
/// Rows are the same if they have the same key, which is never used twice. Of the values of a row only those count that differ,
/// and of a list, set or map the elements that do: an assignment that changed nothing, and a value that came and went, cannot be
/// seen any more. Backlinks and what follows from the changes elsewhere are not said.
///
/// The versions may be of stores that number their tables differently.
public struct SnapshotDifference {
    private let old: Snapshot
    private let new: Snapshot
    private let catalog: Catalog
    /// The numbers that tables of the later version have in the earlier one.
    private let origins: [TableID: TableID]
    /// Whether these are the same, so that equal bytes are equal values.
    private let areNumberedAlike: Bool
    private var changes = ChangeSet()

    /// The difference, by the table numbers of the later version. O(values that either has in other pages than the other), plus
    /// O(n log n) in the elements of changed lists.
    ///
    /// - Parameters:
    ///   - catalog: The tables of the later version.
    ///   - origins: The numbers that these have in the earlier version, where their columns are the same in the same order. A
    ///     table that is not among them is new.
    public static func changes(
        from old: Snapshot, to new: Snapshot, _ catalog: Catalog, numberedBefore origins: [TableID: TableID]
    ) -> ChangeSet {
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
        // Keys that were given out and came to nothing are not to be given out again.
        if !change.leaves.isEmpty || before.nextKey < after.nextKey { changes.tables.append(change) }
        for (id, change) in sequences { changes.sequences[id] = change }
    }
}
