/// Where the commits of a realm go to last, and where those of others come from: the seam below versions and change sets.
///
/// A log is a sequence of commits, numbered 1, 2, 3 and so on without gaps. The number of the newest is the version of the log;
/// 0 is that of a log without any. Commits are bytes which mean nothing to the log. A checkpoint of a version stands for all
/// commits up to it, which the log may forget from then on.
///
/// Each store, which is one realm file or identifier in one process, has a log object of its own. Stores in other processes, on
/// other machines or beside it in this one have others, which lead to the same commits.
///
/// Kivo's own are the realm file, alone or shared with other processes, and ``MemoryLog``. <doc:ImplementingALog> says step by
/// step how one over a replicated service is made, with etcd for an example, and `CommitLogSuite` in KivoTesting is what any
/// implementation can be run against.
///
/// ## What an implementation promises
///
/// * **Order.** All readers are given the same commits in the same order. A commit that a reader was given stays, and its bytes
///   stay the same.
/// * **One is first.** Of appends behind the same version at most one succeeds.
/// * **Durability.** What ``append(_:after:)`` says was appended is not lost, whatever fails next.
/// * **Honesty.** An append which throws anything but ``CommitLogError/outcomeUnknown`` was not carried out, and will not be.
/// * **News.** Some time after others have appended, whoever watches is called.
///
/// Thread-safe: the store makes one call of ``append(_:after:)``, ``commits(after:_:)`` or ``open(restoring:reading:accepting:)``
/// at a time, while the other members may be called during these, and ``close()`` after all of them.
public protocol CommitLog: AnyObject, Sendable {
    /// What the log is called, for messages.
    var name: String { get }

    /// Whether appending takes the time that a disk or a network takes. Groups of asynchronous writes are appended elsewhere then
    /// than on the caller's thread. True by default.
    var isSlow: Bool { get }

    /// Whether there can be other stores. False by default: then nobody is waited for, and nobody is listened to.
    var isShared: Bool { get }

    /// Whether whoever opens the log by its name finds what is appended here. True by default.
    var isInPlace: Bool { get }

    // MARK: Reading

    /// The version of the newest commit.
    ///
    /// Asks whoever knows; may take as long as an append.
    func head() throws -> UInt64

    /// Reads all that a store begins with: the newest checkpoint, if there is one, and the commits after it. Called once, and again
    /// only if it threw ``CommitLogError/removed(checkpoint:)``, before all else but ``lock()``.
    ///
    /// The default asks for ``checkpoint()`` and ``commits(after:_:)``.
    ///
    /// - Parameters:
    ///   - restore: Called with the checkpoint.
    ///   - read: Called with each commit.
    ///   - accept: Called when all is read. Throws if the program has no use of it: then nothing is to be put right in the log
    ///     either that may have been found wrong.
    /// - Throws: What the closures throw; ``CommitLogError/removed(checkpoint:)`` if a newer checkpoint came meanwhile, after which
    ///   the store begins again.
    func open(
        restoring restore: (LogCheckpoint) throws -> Void, reading read: (EncodedCommit) throws -> Void,
        accepting accept: () throws -> Void
    ) throws

    /// Reads the commits after a version, in order.
    ///
    /// - Throws: What the body throws; ``CommitLogError/removed(checkpoint:)`` if some of them are only in a checkpoint by now.
    func commits(after version: UInt64, _ body: (EncodedCommit) throws -> Void) throws

    /// Whether there are commits after a version, as far as the log has heard. Takes about a microsecond: asked by each refresh.
    func hasCommits(after version: UInt64) -> Bool

    /// Has a block be called, on some thread and never within a call of the log, after others have appended. Once for a log; ``close()`` ends it. It is called at
    /// least once after the newest commit, and may be called more often than there is news.
    func watch(_ body: @escaping @Sendable () -> Void)

    // MARK: Appending

    /// Appends a commit and returns when it is durable, or says who was first.
    ///
    /// - Parameters:
    ///   - commit: What to append.
    ///   - version: The version that the commit was made on; it becomes the next.
    /// - Throws: ``CommitLogError/outcomeUnknown`` if nobody can say whether it was appended: the store looks for it and, if it is
    ///   not there, appends the same once more. Anything else means that it was not.
    func append(_ commit: EncodedCommit, after version: UInt64) throws -> AppendOutcome

    /// Waits until no other store appends, and keeps them from it until ``unlock()``. Returns false, and does nothing, if the log
    /// has no such lock, as by default: then ``append(_:after:)`` tells a writer that somebody was first, its transaction is
    /// undone, and its commit throws.
    ///
    /// A lock goes with its process, also when that dies.
    func lock() throws -> Bool

    /// Lets others append.
    func unlock()

    // MARK: Checkpoints

    /// The newest checkpoint; nil if there is none.
    func checkpoint() throws -> LogCheckpoint?

    /// How a checkpoint of the newest version can be put into the log; nil if none is due, as always by default.
    ///
    /// What is returned is called once or not at all, at any later time and on any thread, while others append; it returns when the
    /// checkpoint is durable. Only one is under way at a time.
    ///
    /// - Parameters:
    ///   - version: The version, which is the newest that the store has.
    ///   - isClosing: Whether the store is about to close.
    func beginCheckpoint(
        of version: UInt64, isClosing: Bool
    ) -> (@Sendable (LogCheckpoint) throws -> Void)?

    /// Gives back what the log holds: the store is closing.
    func close()
}

/// What became of an append.
public enum AppendOutcome: Equatable, Sendable {
    /// The commit is the newest, and durable.
    case appended
    /// Others have appended before: nothing was appended. They are at this version at least.
    case behind(head: UInt64)
}

/// What goes wrong with logs.
public enum CommitLogError: Error, Equatable, Sendable {
    /// Commits were asked for which the log does not have any more; what they did is in the checkpoint of this version.
    case removed(checkpoint: UInt64)
    /// Whether a commit was appended cannot be said: the answer was lost.
    case outcomeUnknown
    /// Another store appended first: the transaction was undone.
    case conflict
    /// The log takes only checkpoints which a store of this process makes.
    case foreignCheckpoint
}

extension CommitLogError: CustomStringConvertible {
    /// The error in words.
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
    /// True, as for a file.
    public var isSlow: Bool { true }

    /// False: there is one store.
    public var isShared: Bool { false }

    /// True: the log has no place that somebody else could take.
    public var isInPlace: Bool { true }

    /// The checkpoint, then the commits after it.
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

    /// False: nobody else appends.
    public func hasCommits(after version: UInt64) -> Bool { false }

    /// Does nothing: nobody else appends.
    public func watch(_ body: @escaping @Sendable () -> Void) {}

    /// False: there is no lock.
    public func lock() throws -> Bool { false }

    /// Nothing was locked.
    public func unlock() {}

    /// Nil: the log keeps all commits.
    public func checkpoint() throws -> LogCheckpoint? { nil }

    /// Nil: the log keeps all commits.
    public func beginCheckpoint(
        of version: UInt64, isClosing: Bool
    ) -> (@Sendable (LogCheckpoint) throws -> Void)? { nil }

    /// Nothing to give back.
    public func close() {}
}
