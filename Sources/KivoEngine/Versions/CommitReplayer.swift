#if !hasFeature(Embedded)
// Logs throw errors of any type, which Embedded Swift does not support.

/// A store into which a log is replayed.
@usableFromInline package protocol CommitReplayer {
    /// The heap of the store's nodes.
    var heap: Heap { get }

    /// Starts with the tables of a checkpoint, whose nodes are loaded from a file. Called before anything else, or not at all.
    mutating func restore(_ roots: [TableRoot], of file: Int, _ catalog: Catalog) throws

    /// Releases everything: the log cannot be replayed, and the files that contain the nodes are about to be closed.
    mutating func discard()

    /// The current tables.
    var catalog: Catalog { get }

    /// Adds a table that the log describes, or finds it.
    mutating func defineTables(_ define: (inout Catalog) throws -> Void) throws

    /// Carries out one commit.
    mutating func commit(_ body: (WriteTransaction) throws -> Void) throws

    /// Calls a function with the newest version, which is not changed during the call.
    func read<Result>(_ body: (Snapshot) throws -> Result) rethrows -> Result
}

#endif
