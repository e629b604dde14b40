/// Where commits go to last: the seam below versions and change sets.
///
/// Memory and the journal file implement it. Both have one writer, the store that opened them: the protocol has no way to
/// tell a store of commits that others made, and gives a commit as the transaction that is about to end, not as bytes. A
/// log that is replicated, or shared with other processes, needs more than that.
public protocol CommitLog: AnyObject, Sendable {
    /// Brings a new, empty store to the last state of the log, commit by commit.
    func replay(into store: inout some CommitReplayer) throws

    /// Appends what a transaction did, so that it lasts. Throws, and the log is as it was, if that is not possible.
    ///
    /// - Parameters:
    ///   - transaction: what was done, before it is committed: the log reads the new values from its snapshot.
    ///   - changes: which values are new.
    ///   - expected: the version that the transaction was made on, for logs with which others could have got ahead.
    func append(_ transaction: WriteTransaction, _ changes: ChangeSet, expected: UInt64) throws

    /// Whether appending takes the time that a disk takes; false if it is done at once and cannot fail.
    var isSlow: Bool { get }

    /// Whether whoever opens the log finds what is appended here.
    var isInPlace: Bool { get }

    /// Gives back what the log holds: the store is closing.
    func close()
}

extension CommitLog {
    /// True: the log has no place that somebody else could take.
    public var isInPlace: Bool { true }

    /// True, as for a file.
    public var isSlow: Bool { true }
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
    /// Nothing to wait for.
    public var isSlow: Bool { false }
    /// Nothing to give back.
    public func close() {}
    /// Nothing to append.
    public func append(_ transaction: WriteTransaction, _ changes: ChangeSet, expected: UInt64) throws {}
}
