import KivoEngine

/// The contents of a log as replayed from its commits, optionally with the changes of the last commit.
package struct CommitHistory: CommitReplayer {
    /// The heap of the contents' nodes.
    package let heap = Heap()
    private var chain: VersionChain
    /// The tables of the newest version.
    package private(set) var catalog = Catalog()
    /// Whether the changes of commits are noted from now on.
    package var keepsChanges: Bool
    private var number: UInt64 = 0
    /// The file from which nodes are loaded, if it began with a checkpoint.
    private var file: Int?
    private var isDiscarded = false
    /// The last commit, if its changes were noted.
    package private(set) var last: LastCommit?

    /// The last commit: the snapshot before it, and its changes.
    package struct LastCommit {
        /// The number in memory of the version before the commit.
        var version: UInt64
        /// The version before the commit.
        package var before: Snapshot
        /// What the commit changed.
        package var changes: RowChangeSet
    }

    /// Creates the contents of an empty log.
    package init(keepsChanges: Bool = false) {
        chain = VersionChain(heap: heap)
        self.keepsChanges = keepsChanges
    }

    /// Frees everything. It must be called, and the history must not be used afterwards.
    package mutating func discard() {
        if isDiscarded { return }
        isDiscarded = true
        forgetLast()
        chain.destroy(catalog)
        if let file { PageFiles.remove(file) }
    }

    /// Restores the contents of a checkpoint.
    package mutating func restore(_ roots: [TableRoot], of file: Int, _ catalog: Catalog) throws {
        chain.destroy(self.catalog)
        self.catalog = catalog
        self.file = file
        chain = VersionChain(heap: heap, restoring: roots, of: file, catalog)
    }

    /// The newest version.
    package var snapshot: Snapshot { chain.headSnapshot }

    /// The number of the newest version in memory.
    package var version: UInt64 { chain.head }

    /// Pins a version until ``unpin(_:)``, which must be called before the history is discarded.
    package mutating func pin(_ version: UInt64) -> Snapshot { chain.pin(version) }

    /// Unpins a version.
    package mutating func unpin(_ version: UInt64) { chain.unpin(version) }

    /// Returns the changes from a pinned version to a later one. The history must keep changes.
    package func changes(from: UInt64, to: UInt64) -> RowChangeSet { chain.changes(from: from, to: to) }

    /// Adds tables.
    package mutating func defineTables(_ define: (inout Catalog) throws -> Void) throws {
        try define(&catalog)
    }

    /// Calls `body` with the newest version.
    package func read<Result>(_ body: (Snapshot) throws -> Result) rethrows -> Result { try body(snapshot) }

    /// Carries out one commit.
    package mutating func commit(_ body: (WriteTransaction) throws -> Void) throws {
        try commit(to: nil, body)
    }

    /// Commits a transaction after appending its changes to a log.
    package mutating func commit(to log: StoreLog?, _ body: (WriteTransaction) throws -> Void) throws {
        forgetLast()
        number += 1
        let commit = try WriteTransaction.perform(
            id: 1 << 62 + number, on: chain.headSnapshot, catalog, heap
        ) { transaction in
            try body(transaction)
            let changes = keepsChanges || log != nil ? transaction.changeSet() : RowChangeSet()
            try log?.append(transaction, changes)
            return changes
        }
        if keepsChanges {
            let version = chain.head
            last = LastCommit(version: version, before: chain.pin(version), changes: commit.changes)
        }
        _ = chain.append(commit)
    }

    /// Releases the snapshot before the last commit.
    package mutating func forgetLast() {
        if let last { chain.unpin(last.version) }
        last = nil
    }
}
