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

    /// Whether so much was appended since the last checkpoint that the next one is due.
    ///
    /// - Parameter isClosing: Whether the log is about to be closed.
    func isCheckpointDue(isClosing: Bool) -> Bool

    /// Up to where the store knows the log, for ``checkpoint(_:_:at:)``.
    var position: LogPosition { get }

    /// Has whoever opens the log begin at a version, instead of at the first.
    ///
    /// One call at a time; others append meanwhile.
    ///
    /// - Parameters:
    ///   - snapshot: The version, which stays pinned during the call.
    ///   - catalog: Its tables.
    ///   - position: Where the log ended when the version was the newest.
    func checkpoint(_ snapshot: Snapshot, _ catalog: Catalog, at position: LogPosition) throws

    /// Whether other processes can have the log.
    var isShared: Bool { get }

    /// Waits until no other process appends, keeps them from it until ``endExclusive()``, and carries out what they have
    /// appended. If it throws, nobody is kept from anything.
    func beginExclusive(into store: inout some CommitReplayer) throws

    /// Lets other processes append.
    func endExclusive()

    /// Whether other processes have appended something that the store has not seen. Takes about a microsecond.
    var hasForeignCommits: Bool { get }

    /// Carries out what other processes have appended. Nobody is kept from appending.
    func catchUp(into store: inout some CommitReplayer) throws

    /// Has a block be called, on some thread, when other processes have appended something.
    func watch(_ body: @escaping @Sendable () -> Void)

    /// Gives back what the log holds: the store is closing.
    func close()
}

/// Where a log ended at some time.
public struct LogPosition: Sendable, Equatable {
    /// How many bytes it had.
    public var end: Int
    /// The number of its last record.
    public var sequence: UInt64
    /// The number of its last record that says what no other says.
    public var dataSequence: UInt64
    /// The number that comes next for a table that its records describe.
    public var nextTableNumber = 0
    /// How many commits it has behind it, those that it no longer has included.
    public var commits: UInt64
    /// The identity of the file that the numbers are of: others may have put another one in its place since.
    public var journal: UInt64 = 0

    /// A position.
    public init(
        end: Int = 0, sequence: UInt64 = 0, dataSequence: UInt64 = 0, commits: UInt64 = 0, journal: UInt64 = 0
    ) {
        (self.end, self.sequence, self.dataSequence, self.commits) = (end, sequence, dataSequence, commits)
        self.journal = journal
    }
}

extension CommitLog {
    /// True: the log has no place that somebody else could take.
    public var isInPlace: Bool { true }

    /// True, as for a file.
    public var isSlow: Bool { true }

    /// Never: the log has no checkpoints.
    public func isCheckpointDue(isClosing: Bool) -> Bool { false }

    /// False: the log has one writer.
    public var isShared: Bool { false }

    /// Nobody is to be waited for.
    public func beginExclusive(into store: inout some CommitReplayer) throws {}

    /// Nobody was kept from anything.
    public func endExclusive() {}

    /// False: there are no others.
    public var hasForeignCommits: Bool { false }

    /// There are no others.
    public func catchUp(into store: inout some CommitReplayer) throws {}

    /// There are no others.
    public func watch(_ body: @escaping @Sendable () -> Void) {}

    /// The beginning.
    public var position: LogPosition { LogPosition() }

    /// Does nothing.
    public func checkpoint(_ snapshot: Snapshot, _ catalog: Catalog, at position: LogPosition) throws {}
}

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
