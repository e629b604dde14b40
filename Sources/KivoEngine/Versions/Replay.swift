#if !hasFeature(Embedded)
// Logs throw errors of any type, which Embedded Swift does not support.

/// A store that is being restored to the last state of its log.
@usableFromInline package struct Replay: CommitReplayer {
    /// The chain, which has a single version so far.
    @usableFromInline package private(set) var chain: VersionChain
    /// The tables.
    @usableFromInline package private(set) var catalog: Catalog
    /// The heap of the store's nodes.
    @usableFromInline package let heap: Heap
    private var number: UInt64 = 0
    private var isDiscarded = false

    /// Creates an empty store.
    @usableFromInline package init(_ heap: Heap) {
        chain = VersionChain(heap: heap)
        catalog = Catalog()
        self.heap = heap
    }

    /// Starts with a checkpoint, whose tables keep their numbers.
    @usableFromInline package mutating func restore(_ roots: [TableRoot], of file: Int, _ catalog: Catalog)
        throws
    {
        chain.destroy(self.catalog)
        self.catalog = catalog
        chain = VersionChain(heap: heap, restoring: roots, of: file, catalog)
    }

    /// Releases everything. Further calls have no effect.
    @usableFromInline package mutating func discard() {
        if isDiscarded { return }
        isDiscarded = true
        chain.destroy(catalog)
    }

    /// Adds tables.
    @usableFromInline package mutating func defineTables(_ define: (inout Catalog) throws -> Void) throws {
        try define(&catalog)
    }

    /// Reads the current state.
    @usableFromInline package func read<Result>(_ body: (Snapshot) throws -> Result) rethrows -> Result {
        try body(chain.headSnapshot)
    }

    /// Carries out one commit.
    @usableFromInline package mutating func commit(_ body: (WriteTransaction) throws -> Void) throws {
        number += 1
        let commit = try WriteTransaction.perform(
            id: 1 << 62 + number, on: chain.headSnapshot, catalog, heap
        ) { transaction in
            try body(transaction)
            return RowChangeSet()
        }
        _ = chain.append(commit)
    }
}

#endif

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

    /// Called before each commit with the version of the log that it leads to.
    mutating func expect(_ version: UInt64)

    /// Carries out one commit.
    mutating func commit(_ body: (WriteTransaction) throws -> Void) throws

    /// Calls a function with the newest version, which is not changed during the call.
    func read<Result>(_ body: (Snapshot) throws -> Result) rethrows -> Result
}

extension CommitReplayer {
    /// Does nothing: most stores do not say which version of the log they have.
    @usableFromInline package mutating func expect(_ version: UInt64) {}
}

#endif
