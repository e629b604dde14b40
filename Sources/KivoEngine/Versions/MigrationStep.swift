/// A step of a migration, which redefines tables and then changes rows.
///
/// The order is: tables become embedded or cease to be, tables are redefined, tables are dropped, rows are changed.
public struct MigrationStep: Sendable {
    /// The tables that become embedded in this step, and those that cease to be. Rows of an embedded table are owned by the links
    /// to them.
    public var embedded: [TableID: Bool] = [:]
    /// The tables whose columns are replaced.
    public var redefined: [TableRedefinition] = []
    /// The tables that are removed. They have no rows.
    public var dropped: [TableID] = []
    /// The tables after the step.
    public var catalog: Catalog
    /// The version after the step, which is pinned until the migration is logged.
    public var snapshot: Snapshot
    /// The changes of rows after tables were redefined.
    public var changes = ChangeSet()

    /// Creates a step without changes.
    public init(_ catalog: Catalog, _ snapshot: Snapshot) {
        self.catalog = catalog
        self.snapshot = snapshot
    }
}

/// An error: a program's schema version is lower than the version of the data.
public struct SchemaVersionError: Error, Equatable, CustomStringConvertible {
    /// The version of the data.
    public let stored: UInt64
    /// The version of the program.
    public let provided: UInt64

    /// Creates an error from both versions.
    public init(stored: UInt64, provided: UInt64) {
        self.stored = stored
        self.provided = provided
    }

    /// A description of the error.
    public var description: String {
        "Provided schema version \(provided) is less than last set version \(stored)."
    }
}
