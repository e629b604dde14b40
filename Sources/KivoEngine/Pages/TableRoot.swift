/// A table of a checkpoint: the contents of its header in memory, with offsets of pages instead of addresses.
@usableFromInline package struct TableRoot: Sendable, Equatable {
    /// The number of the table.
    package var table: TableID
    /// The number of rows.
    package var count: Int
    /// The next key to assign.
    package var nextKey: ObjectKey
    /// The height of the tree.
    package var height: Int
    /// The seed of the hashes of its indexes.
    package var hashSeed: UInt64
    /// The page of the tree's root; 0 if there are no rows.
    package var root = 0
    /// The pages of the roots of the indexes; 0 for an empty index.
    package var indexes: [Int] = []
    /// The rows that are not in the primary key's index, because their primary keys ascend.
    package var ascending = AscendingRows()

    /// Creates a table without its pages.
    package init(table: TableID, count: Int, nextKey: ObjectKey, height: Int, hashSeed: UInt64) {
        (self.table, self.count, self.nextKey, self.height) = (table, count, nextKey, height)
        self.hashSeed = hashSeed
    }
}
