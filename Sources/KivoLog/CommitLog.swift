/// The log that stores a realm's commits and delivers those of other stores: the interface below versions and change sets.
///
/// A log is a sequence of commits, numbered 1, 2, 3 and so on without gaps. The number of the newest commit is the version of the
/// log, its *head*; an empty log has version 0. A log does not interpret the bytes of a commit. A checkpoint of a version replaces
/// all commits up to that version, and the log may delete them afterwards.
///
/// Each store, which is one realm file or identifier in one process, has its own log object. Stores in other processes, on other
/// machines or in the same process have other log objects that lead to the same commits.
///
/// Kivo implements the protocol for the realm file, alone or shared with other processes, in ``MemoryLog``, and over etcd in the
/// product `KivoEtcd`. <doc:ImplementingALog> describes step by step how to implement a log over a replicated service.
/// `CommitLogSuite` in KivoTesting tests any implementation.
///
/// ## What is here, and what is far away
///
/// A store reads what has *arrived*: ``commits(after:_:)``, ``hasCommits(after:)`` and ``checkpoint()`` are called by threads that
/// show data, and never wait for another machine. A log over a network has a thread of its own that fetches commits and
/// checkpoints, keeps them here, and then tells the store by an event. Only opening, appending, taking a lease and resolving an
/// append ask the authority.
///
/// ## What an implementation promises
///
/// * **Order.** All readers receive the same commits in the same order. A commit that a reader has received is never taken back,
///   and its bytes do not change.
/// * **One winner.** At most one of several appends after the same version succeeds. Appending a commit again that is already the
///   next one after the version succeeds, and changes nothing, if the log stores identities.
/// * **Durability.** A commit that was reported as appended is never lost, whatever fails next.
/// * **Honesty.** An append ends as ``AppendOutcome/unknown`` unless it is certain what became of it. Any other outcome, and any
///   error, stays true for ever.
/// * **Fencing.** An append that carries a lease is not carried out once another store may have the lease.
/// * **Notification.** The handler of ``observe(_:)`` is called some time after other stores append.
///
/// Thread-safe: the store makes one call of ``append(_:_:)``, ``commits(after:_:)`` or ``open(restoring:reading:accepting:)`` at a
/// time. It may call the other members during these calls, and calls ``close()`` after all of them.
public protocol CommitLog: AnyObject, Sendable {
    /// The name of the log, for messages.
    var name: String { get }

    /// The random number of the log, which all its commits and checkpoints carry; 0 if the log has none, as a file, whose commits
    /// never leave it. Valid once the log is open. With it a store recognises that a log was replaced by another.
    var id: UInt64 { get }

    /// A Boolean value that indicates whether appending takes as long as a disk or a network access. Groups of asynchronous
    /// writes are then appended on another thread than the caller's. True by default.
    var isSlow: Bool { get }

    /// A Boolean value that indicates whether the authority is on another machine, so that waiting for it may take long. Appends
    /// have a deadline then, and the main thread waits for no lease. False by default.
    var isRemote: Bool { get }

    /// A Boolean value that indicates whether other stores can append to the log. The default is false: the store then waits for
    /// no other store and observes no events.
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
    /// it once, before all other members except ``acquireLease(until:)``. It calls it again only after
    /// ``CommitLogError/removed(checkpoint:)``.
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
        restoring restore: (LogCheckpoint) throws -> Void, reading read: (LogEntry) throws -> Void,
        accepting accept: () throws -> Void
    ) throws

    /// Reads the commits after a version that have arrived, in order. An error that `body` throws ends the reading. Does not wait
    /// for another machine.
    ///
    /// - Throws: Any error of `body`; ``CommitLogError/removed(checkpoint:)`` if some of the commits are now only in a
    ///   checkpoint, which has arrived too.
    func commits(after version: UInt64, _ body: (LogEntry) throws -> Void) throws

    /// Returns whether commits after a version have arrived. Takes about a microsecond, because each refresh calls it.
    func hasCommits(after version: UInt64) -> Bool

    /// Registers the handler of the log's events. It runs on an arbitrary thread, never inside a call of the log, until
    /// ``close()``. ``LogEvent/head(_:)`` is delivered at least once after the newest commit, and possibly also when there are no new
    /// commits. Called at most once for each log.
    ///
    /// The handler may wait for a write, which waits for its append: call it on another thread than the completions of appends.
    func observe(_ handler: @escaping @Sendable (LogEvent) -> Void)

    // MARK: Appending

    /// Returns whether the payload of the next commit may end with the time of the commit, its label and its author. True by
    /// default; false for a realm file of an earlier format, which is upgraded for a label if no other program has it open.
    ///
    /// - Parameter isLabeled: Whether the commit has a label or an author.
    func takesStamp(isLabeled: Bool) -> Bool

    /// The number of bytes of the largest commit that the log takes; nil if there is no limit. A log whose service takes smaller
    /// requests stores a commit in ``CommitParts``.
    var largestCommit: Int? { get }

    /// Appends a commit, and calls `completion` once, with the outcome, on any thread or before it returns. A log in a file or in
    /// memory calls it before it returns.
    ///
    /// The completion receives an error if the commit was not appended, will not be, and none of the outcomes says why.
    func append(
        _ request: AppendRequest, _ completion: @escaping @Sendable (Result<AppendOutcome, any Error>) -> Void
    )

    /// Ends an append as soon as possible, as ``AppendOutcome/unknown`` unless it is certain what became of it. Does nothing by
    /// default.
    func cancelAppend(_ identity: EncodedCommit.Identity)

    /// Asks the authority what is stored in the place after a version, for an append whose outcome is unknown.
    ///
    /// The default implementation reads ``commits(after:_:)``, and is right for a log that has no other authority.
    ///
    /// - Throws: An error of the log if the authority cannot be asked until the deadline.
    func resolve(
        _ identity: EncodedCommit.Identity, after version: UInt64, until deadline: ContinuousClock.Instant?
    ) throws -> AppendResolution

    // MARK: Leases

    /// Takes the right to append, and waits for the store that has it. Returns nil if the log has no leases, which is the default,
    /// or if the lease was not free until the deadline. Without a lease, an append reports to a writer that another store was
    /// first; the transaction is rolled back, and its commit throws.
    ///
    /// The lease passes on some time after its process ends, even if the process is killed or suspended. The commits of other
    /// stores up to now have arrived when the lease is returned.
    ///
    /// - Throws: An error of the log if the lease cannot be taken.
    func acquireLease(until deadline: ContinuousClock.Instant?) throws -> LogLease?

    /// Gives a lease back, so that other stores can append. Does not wait.
    func releaseLease(_ lease: LogLease)

    // MARK: Checkpoints

    /// The newest checkpoint that has arrived; nil if there is none.
    ///
    /// - Throws: An error of the log if the checkpoint cannot be read.
    func checkpoint() throws -> LogCheckpoint?

    /// Returns a closure that writes a checkpoint of the newest version into the log, or nil if none is due. The default is nil.
    ///
    /// The closure is called at most once, at any later time and on any thread, while other stores append. It returns when the
    /// checkpoint is durable, or when another store was elected to make one. At most one checkpoint is in progress at a time.
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
