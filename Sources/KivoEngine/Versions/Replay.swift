#if !hasFeature(Embedded)
// Logs throw errors of any type, which Embedded Swift has not.

/// A store that is being brought to the last state of its log.
public struct Replay: CommitReplayer {
    /// The one version that it has so far.
    public private(set) var chain: VersionChain
    /// The tables.
    public private(set) var catalog: Catalog
    /// What its nodes are made in.
    public let heap: Heap
    private var number: UInt64 = 0
    private var isDiscarded = false

    /// An empty store.
    public init(_ heap: Heap) {
        chain = VersionChain(heap: heap)
        catalog = Catalog()
        self.heap = heap
    }

    /// Begins with a checkpoint, whose tables keep the numbers that they have in it.
    public mutating func restore(_ roots: [TableRoot], of file: Int, _ catalog: Catalog) throws {
        chain.destroy(self.catalog)
        self.catalog = catalog
        chain = VersionChain(heap: heap, restoring: roots, of: file, catalog)
    }

    /// Gives up everything. Harmless when repeated.
    public mutating func discard() {
        if isDiscarded { return }
        isDiscarded = true
        chain.destroy(catalog)
    }

    /// Adds tables.
    public mutating func defineTables(_ define: (inout Catalog) throws -> Void) throws {
        try define(&catalog)
    }

    /// Reads what is there so far.
    public func read<Result>(_ body: (Snapshot) throws -> Result) rethrows -> Result {
        try body(chain.headSnapshot)
    }

    /// Carries out one commit.
    public mutating func commit(_ body: (WriteTransaction) throws -> Void) throws {
        number += 1
        let commit = try WriteTransaction.perform(
            id: 1 << 62 + number, on: chain.headSnapshot, catalog, heap
        ) { transaction in
            try body(transaction)
            return ChangeSet()
        }
        _ = chain.append(commit)
    }
}

#endif
