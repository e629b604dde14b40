/// Where commits go to last: the seam below versions and change sets.
///
/// Memory and the journal file implement it; so can a replicated log, without a line above it changing.
public protocol CommitLog: AnyObject, Sendable {
    /// Brings a new, empty store to the last state of the log, commit by commit.
    func replay(into store: inout some CommitReplayer) throws

    /// Appends what a transaction did on top of version `expected`, so that it lasts. Throws, and the log is as it
    /// was, if that is not possible.
    func append(_ transaction: WriteTransaction, _ changes: ChangeSet, expected: UInt64) throws

    /// Whether whoever opens the log finds what is appended here.
    var isInPlace: Bool { get }

    /// Gives back what the log holds: the store is closing.
    func close()
}

extension CommitLog {
    /// True: the log has no place that somebody else could take.
    public var isInPlace: Bool { true }
}

/// What a log is replayed into.
public protocol CommitReplayer {
    /// Adds a table that the log describes, or finds it.
    mutating func defineTables(_ define: (inout Catalog) throws -> Void) throws

    /// Carries out one commit.
    mutating func commit(_ body: (WriteTransaction) throws -> Void) throws
}

/// A log that keeps nothing: a realm in memory.
public final class MemoryLog: CommitLog {
    /// A log of nothing.
    public init() {}
    /// Nothing to replay.
    public func replay(into store: inout some CommitReplayer) throws {}
    /// Nothing to give back.
    public func close() {}
    /// Nothing to append.
    public func append(_ transaction: WriteTransaction, _ changes: ChangeSet, expected: UInt64) throws {}
}
