/// The position of a table in the catalog.
@usableFromInline package typealias TableID = Int

/// An object's key in its table: allocated upwards from 1, never reused. 0 means "no object".
@usableFromInline package typealias ObjectKey = Int64

/// The identity of a row: an object of a table, in any version.
@usableFromInline package struct RowID: Hashable, Sendable {
    /// The table.
    @usableFromInline package var table: TableID
    /// The object's key in the table.
    @usableFromInline package var key: ObjectKey

    /// Creates an identity from table and key.
    @inlinable
    package init(table: TableID, key: ObjectKey) {
        self.table = table
        self.key = key
    }
}
