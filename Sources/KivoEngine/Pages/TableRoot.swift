/// A table of a checkpoint: what its header in memory has, with offsets of pages for addresses.
public struct TableRoot: Sendable, Equatable {
    /// The number of the table.
    public var table: TableID
    /// The number of rows.
    public var count: Int
    /// The next key to be given out.
    public var nextKey: ObjectKey
    /// The height of the tree.
    public var height: Int
    /// What the hashes of its indexes begin with.
    public var hashSeed: UInt64
    /// The page of the tree's root; 0 for no rows.
    public var root = 0
    /// The pages of the roots of the indexes; 0 for an empty one.
    public var indexes: [Int] = []

    /// A table whose pages are not known yet.
    public init(table: TableID, count: Int, nextKey: ObjectKey, height: Int, hashSeed: UInt64) {
        (self.table, self.count, self.nextKey, self.height) = (table, count, nextKey, height)
        self.hashSeed = hashSeed
    }
}
