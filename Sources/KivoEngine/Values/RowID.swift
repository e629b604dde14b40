/// The position of a table in the catalog.
public typealias TableID = Int

/// An object's key in its table: allocated upwards from 1, never reused. 0 means "no object".
public typealias ObjectKey = Int64

/// The identity of a row: an object of a table, in any version.
public struct RowID: Hashable, Sendable {
    /// The table.
    public var table: TableID
    /// The object's key in the table.
    public var key: ObjectKey

    /// Creates an identity from table and key.
    @inlinable
    public init(table: TableID, key: ObjectKey) {
        self.table = table
        self.key = key
    }
}
