/// A step of a migration, which redefines tables and then changes rows.
///
/// The order is: tables become embedded or cease to be, tables are redefined, tables are dropped, rows are changed.
package struct MigrationStep: Sendable {
    /// The tables that become embedded in this step, and those that cease to be. Rows of an embedded table are owned by the links
    /// to them.
    package var embedded: [TableID: Bool] = [:]
    /// The tables whose columns are replaced.
    package var redefined: [TableRedefinition] = []
    /// The tables that are removed. They have no rows.
    package var dropped: [TableID] = []
    /// The tables after the step.
    package var catalog: Catalog
    /// The version after the step, which is pinned until the migration is logged.
    package var snapshot: Snapshot
    /// The changes of rows after tables were redefined.
    package var changes = RowChangeSet()

    /// Creates a step without changes.
    package init(_ catalog: Catalog, _ snapshot: Snapshot) {
        self.catalog = catalog
        self.snapshot = snapshot
    }
}

/// An error: a program's schema version is lower than the version of the data.
package struct SchemaVersionError: Error, Equatable, CustomStringConvertible {
    /// The version of the data.
    package let stored: UInt64
    /// The version of the program.
    package let provided: UInt64

    /// Creates an error from both versions.
    package init(stored: UInt64, provided: UInt64) {
        self.stored = stored
        self.provided = provided
    }

    /// A description of the error.
    package var description: String {
        "Provided schema version \(provided) is less than last set version \(stored)."
    }
}
