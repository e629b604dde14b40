/// The rows of a table that refer to others through a link column, and the table that stores these backlinks.
public struct Origins: Sendable, Hashable {
    /// The table of the referring rows.
    public var table: TableID
    /// The link column through which they refer.
    public var column: Int
    /// The table that stores the backlinks of that column.
    public var backlinks: TableID

    /// Creates the description of the origins that refer through a column.
    public init(table: TableID, column: Int, backlinks: TableID) {
        self.table = table
        self.column = column
        self.backlinks = backlinks
    }
}
