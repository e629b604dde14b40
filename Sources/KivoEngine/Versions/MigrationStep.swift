/// A part of a migration: tables get other columns, then rows are changed.
///
/// In this order: tables become embedded or stop to be, tables are redefined, tables are dropped, rows are changed.
public struct MigrationStep: Sendable {
    /// Tables whose rows belong to what links to them from here on, and such that do not any more.
    public var embedded: [TableID: Bool] = [:]
    /// Tables that get other columns.
    public var redefined: [TableRedefinition] = []
    /// Tables, without rows, that are forgotten.
    public var dropped: [TableID] = []
    /// The tables after the step.
    public var catalog: Catalog
    /// The version after the step, which is pinned until the migration is logged.
    public var snapshot: Snapshot
    /// What happened to rows after tables were redefined.
    public var changes = ChangeSet()

    /// A step that does nothing.
    public init(_ catalog: Catalog, _ snapshot: Snapshot) {
        self.catalog = catalog
        self.snapshot = snapshot
    }
}
