/// The log that stores a realm's commits and delivers those of other stores: the interface below versions and change sets.
///
/// A log is a sequence of commits, numbered 1, 2, 3 and so on without gaps. The number of the newest commit is the version of the
/// log; an empty log has version 0. A log does not interpret the bytes of a commit. A checkpoint of a version replaces all
/// commits up to that version, and the log may delete them afterwards.
///
/// Each store, which is one realm file or identifier in one process, has its own log object. Stores in other processes, on other
/// machines or in the same process have other log objects that lead to the same commits.
///
/// Kivo implements the protocol for the realm file, alone or shared with other processes, and in ``MemoryLog``.
/// <doc:ImplementingALog> describes step by step how to implement a log over a replicated service, with etcd as the example.
/// `CommitLogSuite` in KivoTesting tests any implementation.
///
/// ## What an implementation promises
///
/// * **Order.** All readers receive the same commits in the same order. A commit that a reader has received is never taken back,
///   and its bytes do not change.
/// * **One winner.** At most one of several appends after the same version succeeds.
/// * **Durability.** A commit that ``append(_:after:)`` reports as appended is never lost, whatever fails next.
/// * **Honesty.** An append that throws any error except ``CommitLogError/outcomeUnknown`` was not carried out, and will not be.
/// * **Notification.** The closure of ``watch(_:)`` is called some time after other stores append.
///
/// Thread-safe: the store makes one call of ``append(_:after:)``, ``commits(after:_:)`` or ``open(restoring:reading:accepting:)``
/// at a time. It may call the other members during these calls, and calls ``close()`` after all of them.
public protocol CommitLog: AnyObject, Sendable {
    /// The name of the log, for messages.
    var name: String { get }

    /// A Boolean value that indicates whether appending takes as long as a disk or a network access. Groups of asynchronous
    /// writes are then appended on another thread than the caller's. True by default.
    var isSlow: Bool { get }

    /// A Boolean value that indicates whether other stores can append to the log. The default is false: the store then waits for
    /// no other store and watches for no commits.
    var isShared: Bool { get }

    /// A Boolean value that indicates whether a store that opens the log by its name does not find the commits that are appended
    /// here. False by default.
    var isDisplaced: Bool { get }

    // MARK: Reading

    /// The version of the newest commit.
    ///
    /// Asks the authority on the newest version, and may take as long as an append.
    ///
    /// - Throws: An error of the log if the authority cannot be asked.
    func head() throws -> UInt64

    /// Reads all data that a store begins with: the newest checkpoint, if there is one, and the commits after it. The store calls
    /// it once, before all other members except ``lock()``. It calls it again only after ``CommitLogError/removed(checkpoint:)``.
    ///
    /// The default implementation calls ``checkpoint()`` and ``commits(after:_:)``.
    ///
    /// - Parameters:
    ///   - restore: Called with the checkpoint.
    ///   - read: Called with each commit.
    ///   - accept: Called when everything is read. If it throws because the program cannot use the data, the log must not repair
    ///     any damage that it has found.
    /// - Throws: Any error of the closures; ``CommitLogError/removed(checkpoint:)`` if a newer checkpoint was written during the
    ///   call. The store then begins again.
    func open(
        restoring restore: (LogCheckpoint) throws -> Void, reading read: (EncodedCommit) throws -> Void,
        accepting accept: () throws -> Void
    ) throws

    /// Reads the commits after a version, in order.
    ///
    /// - Throws: Any error of `body`; ``CommitLogError/removed(checkpoint:)`` if some of the commits are now only in a
    ///   checkpoint.
    func commits(after version: UInt64, _ body: (EncodedCommit) throws -> Void) throws

    /// Returns whether there are commits after a version, as far as the log has been notified. Takes about a microsecond, because
    /// each refresh calls it.
    func hasCommits(after version: UInt64) -> Bool

    /// Registers the closure that is called after other stores append. The closure runs on an arbitrary thread, never inside a
    /// call of the log, until ``close()``. It is called at least once after the newest commit, and possibly also when there are
    /// no new commits. Called at most once for each log.
    func watch(_ body: @escaping @Sendable () -> Void)

    // MARK: Appending

    /// Appends a commit and returns when it is durable, or reports that another store appended first.
    ///
    /// - Parameters:
    ///   - commit: The commit to append.
    ///   - version: The version on which the commit was made. The commit gets the next number.
    /// - Throws: ``CommitLogError/outcomeUnknown`` if it is unknown whether the commit was appended. The store then looks for it
    ///   and, if it is missing, appends the same commit once more. Any other error means that it was not appended.
    func append(_ commit: EncodedCommit, after version: UInt64) throws -> AppendOutcome

    /// Waits until no other store appends, and prevents other appends until ``unlock()``. Returns false, and does nothing, if the
    /// log has no such lock; this is the default. Without a lock, ``append(_:after:)`` reports to a writer that another store was
    /// first; the transaction is rolled back, and its commit throws.
    ///
    /// The lock is released when its process ends, even if the process is killed.
    ///
    /// - Throws: An error of the log if the lock cannot be taken. Nothing is locked then.
    func lock() throws -> Bool

    /// Releases the lock, so that other stores can append.
    func unlock()

    // MARK: Checkpoints

    /// The newest checkpoint; nil if there is none.
    ///
    /// - Throws: An error of the log if the checkpoint cannot be read.
    func checkpoint() throws -> LogCheckpoint?

    /// Returns a closure that writes a checkpoint of the newest version into the log, or nil if none is due. The default is nil.
    ///
    /// The closure is called at most once, at any later time and on any thread, while other stores append. It returns when the
    /// checkpoint is durable. At most one checkpoint is in progress at a time.
    ///
    /// - Parameters:
    ///   - version: The newest version that the store has.
    ///   - isClosing: Whether the store is about to close.
    func beginCheckpoint(
        of version: UInt64, isClosing: Bool
    ) -> (@Sendable (LogCheckpoint) throws -> Void)?

    /// Releases the resources of the log, because the store is closing.
    func close()
}

/// The outcome of an append.
public enum AppendOutcome: Equatable, Sendable {
    /// The commit was appended as the newest one, and is durable.
    case appended
    /// Other stores appended first, and the commit was not appended. The log has at least this version.
    case conflict(head: UInt64)
}

/// An error of a log.
public enum CommitLogError: Error, Equatable, Sendable {
    /// The requested commits were removed from the log. The checkpoint of this version contains their changes.
    case removed(checkpoint: UInt64)
    /// It is unknown whether a commit was appended, because the answer was lost.
    case outcomeUnknown
    /// Another store appended first, and the transaction was rolled back.
    case conflict
    /// The log accepts only checkpoints that a store of this process makes.
    case foreignCheckpoint
}

extension CommitLogError: CustomStringConvertible {
    /// The description of the error.
    public var description: String {
        switch self {
        case .removed(let version):
            "the commits that are missing are only in the checkpoint of version \(version) by now"
        case .outcomeUnknown: "it is unknown whether the commit was carried out"
        case .conflict: "somebody else has committed first, and nothing of this write was carried out"
        case .foreignCheckpoint: "the log takes only checkpoints that are made in this process"
        }
    }
}

extension CommitLog {
    /// The default is true, as for a file.
    public var isSlow: Bool { true }

    /// The default is false: there is only one store.
    public var isShared: Bool { false }

    /// The default is false: the log has no path that another file could take.
    public var isDisplaced: Bool { false }

    /// Restores the checkpoint, then reads the commits after it.
    ///
    /// - Throws: Errors of ``checkpoint()``, of ``commits(after:_:)`` and of the closures.
    public func open(
        restoring restore: (LogCheckpoint) throws -> Void, reading read: (EncodedCommit) throws -> Void,
        accepting accept: () throws -> Void
    ) throws {
        var version: UInt64 = 0
        if let checkpoint = try checkpoint() {
            try restore(checkpoint)
            version = checkpoint.version
        }
        try commits(after: version, read)
        try accept()
    }

    /// Returns false, because no other store appends.
    public func hasCommits(after version: UInt64) -> Bool { false }

    /// Does nothing, because no other store appends.
    public func watch(_ body: @escaping @Sendable () -> Void) {}

    /// Returns false, because there is no lock.
    ///
    /// - Throws: Nothing; a log with a lock throws if it cannot be taken.
    public func lock() throws -> Bool { false }

    /// Does nothing, because there is no lock.
    public func unlock() {}

    /// Returns nil, because the log keeps all commits.
    ///
    /// - Throws: Nothing; a log with checkpoints throws if one cannot be read.
    public func checkpoint() throws -> LogCheckpoint? { nil }

    /// Returns nil, because the log keeps all commits.
    public func beginCheckpoint(
        of version: UInt64, isClosing: Bool
    ) -> (@Sendable (LogCheckpoint) throws -> Void)? { nil }

    /// Releases nothing.
    public func close() {}
}
