/// The objects of a table that refer to one through a column, and the table that keeps them.
public struct Origins: Sendable, Hashable {
    /// The table of the objects that refer.
    public var table: TableID
    /// The column through which they do.
    public var column: Int
    /// The table that keeps which object refers to which.
    public var backlinks: TableID

    /// The origins that refer to an object through a column of theirs.
    public init(table: TableID, column: Int, backlinks: TableID) {
        self.table = table
        self.column = column
        self.backlinks = backlinks
    }
}
