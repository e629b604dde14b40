/// The rows of a table that refer to others through a link column, and the table that keeps which refers to which.
public struct Origins: Sendable, Hashable {
    /// The table of the rows that refer.
    public var table: TableID
    /// The link column through which they do.
    public var column: Int
    /// The table that keeps the backlinks of that column.
    public var backlinks: TableID

    /// The origins that refer to an object through a column of theirs.
    public init(table: TableID, column: Int, backlinks: TableID) {
        self.table = table
        self.column = column
        self.backlinks = backlinks
    }
}
