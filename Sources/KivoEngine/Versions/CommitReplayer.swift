#if !hasFeature(Embedded)
// Logs throw errors of any type, which Embedded Swift has not.

/// What a log is replayed into.
public protocol CommitReplayer {
    /// What the nodes of the store are made in.
    var heap: Heap { get }

    /// Begins with the tables of a checkpoint, whose nodes are brought in from a file. Called before all else, or not at all.
    mutating func restore(_ roots: [TableRoot], of file: Int, _ catalog: Catalog) throws

    /// Gives up everything: the log cannot be replayed, and the files that nodes are in are about to go.
    mutating func discard()

    /// The tables as they are now.
    var catalog: Catalog { get }

    /// Adds a table that the log describes, or finds it.
    mutating func defineTables(_ define: (inout Catalog) throws -> Void) throws

    /// Carries out one commit.
    mutating func commit(_ body: (WriteTransaction) throws -> Void) throws

    /// Calls a function with the newest version, which stays as it is meanwhile.
    func read<Result>(_ body: (Snapshot) throws -> Result) rethrows -> Result
}

#endif
