import Dispatch
import KivoEngine

/// A log in memory that several stores of a process can share, for tests and as an example of an implementation.
///
/// The commits are freed with the last log that shares them.
public final class MemoryLog: CommitLog {
    /// The state that the logs share.
    private final class Shared: Sendable {
        struct Contents: Sendable {
            /// The commits after the checkpoint.
            var commits: [EncodedCommit] = []
            var checkpoint: (version: UInt64, bytes: [UInt8])?
            /// Whether a store was elected to make a checkpoint.
            var isMakingCheckpoint = false
            var head: UInt64 { (checkpoint?.version ?? 0) + UInt64(commits.count) }
            var handlers: [ObjectIdentifier: @Sendable (LogEvent) -> Void] = [:]
        }

        let contents = Lock(Contents())
        let leases: MemoryLeases?
        let id = UInt64.random(in: 1 ... .max)

        init(hasLeases: Bool) { leases = hasLeases ? MemoryLeases() : nil }
    }

    private let shared: Shared
    private let queue = DispatchQueue(label: "Kivo: commits of a log in memory")
    /// The number of commits after which a checkpoint is due.
    private let checkpointInterval: Int

    /// Creates a log without commits.
    ///
    /// - Parameters:
    ///   - checkpointInterval: The number of commits after which a checkpoint is due. The checkpoint replaces the commits before
    ///     it.
    ///   - hasLeases: Whether stores wait for each other before they write. Without leases the commit of who comes second throws.
    public init(checkpointInterval: Int = .max, hasLeases: Bool = false) {
        shared = Shared(hasLeases: hasLeases)
        self.checkpointInterval = checkpointInterval
    }

    /// Creates another log of the same commits, for another store.
    public init(sharing other: MemoryLog) {
        shared = other.shared
        checkpointInterval = other.checkpointInterval
    }

    deinit { close() }

    /// The text "in memory".
    public var name: String { "in memory" }
    /// The random number of the log.
    public var id: UInt64 { shared.id }
    /// False, because appending is fast.
    public var isSlow: Bool { false }
    /// True, because several stores can share the log.
    public var isShared: Bool { true }

    /// The version of the newest commit.
    public func head() -> UInt64 { shared.contents.withLock { $0.head } }

    /// Reads the commits after a version.
    ///
    /// - Throws: ``CommitLogError/removed(checkpoint:)`` if a checkpoint replaced the commits, and errors of `body`.
    /// - Complexity: O(k) for k commits after the version.
    public func commits(after version: UInt64, _ body: (LogEntry) throws -> Void) throws {
        let commits = try shared.contents.withLock { contents throws(CommitLogError) in
            let first = contents.checkpoint?.version ?? 0
            guard version >= first else { throw .removed(checkpoint: first) }
            return contents.commits.dropFirst(Int(version - first))
        }
        var number = version
        for commit in commits {
            number += 1
            try body(LogEntry(version: number, commit))
        }
    }

    /// Returns whether there are commits after a version.
    public func hasCommits(after version: UInt64) -> Bool { head() > version }

    /// Registers the handler that is called after other stores append. It runs on a queue of this log.
    public func observe(_ handler: @escaping @Sendable (LogEvent) -> Void) {
        shared.contents.withLock { $0.handlers[ObjectIdentifier(self)] = handler }
    }

    /// Appends a commit unless another store appended first, and calls the completion before it returns.
    public func append(
        _ request: AppendRequest, _ completion: @escaping @Sendable (Result<AppendOutcome, any Error>) -> Void
    ) { completion(.success(append(request))) }

    /// Appends a commit unless another store appended first.
    public func append(_ request: AppendRequest) -> AppendOutcome {
        if let leases = shared.leases, !leases.allow(request.lease) { return .fenced }
        var others: [@Sendable (LogEvent) -> Void] = []
        let outcome = shared.contents.withLock { contents -> AppendOutcome in
            let version = request.version
            guard contents.head == version else {
                // A repeated request finds its own commit.
                let place = version.subtractingReportingOverflow(contents.checkpoint?.version ?? 0)
                let isThere =
                    !place.overflow && place.partialValue < contents.commits.count
                    && request.commit.identity.store != 0
                    && contents.commits[Int(place.partialValue)].identity == request.commit.identity
                return isThere ? .appended(version: version + 1) : .behind(head: contents.head)
            }
            contents.commits.append(request.commit)
            others = contents.handlers.filter { $0.key != ObjectIdentifier(self) }.map(\.value)
            return .appended(version: version + 1)
        }
        // Asynchronously, because the caller holds its store's write lock, and these handlers wait for the write locks of their
        // stores.
        if !others.isEmpty, case .appended(let head) = outcome {
            queue.async { [others] in for other in others { other(.head(head)) } }
        }
        return outcome
    }

    /// Waits until no other store has the lease, but no longer than until the deadline. Returns nil if the log was created
    /// without leases, or if the deadline has passed.
    public func acquireLease(until deadline: ContinuousClock.Instant?) -> LogLease? {
        shared.leases?.acquire(until: deadline)
    }

    /// Gives the lease to the store that waits for it.
    public func releaseLease(_ lease: LogLease) { shared.leases?.release(lease) }

    /// Takes the lease from the store that has it, as a log does that hears nothing of a store for too long.
    public func revokeLease() { shared.leases?.revoke() }

    /// The newest checkpoint.
    public func checkpoint() -> LogCheckpoint? {
        shared.contents.withLock { $0.checkpoint }.map { LogCheckpoint(version: $0.version, bytes: $0.bytes) }
    }

    /// Returns a closure that stores a checkpoint; nil if there are too few commits since the last one, or if another store is
    /// making one.
    public func beginCheckpoint(
        of version: UInt64, isClosing: Bool
    ) -> (@Sendable (LogCheckpoint) throws -> Void)? {
        let isDue = shared.contents.withLock { contents in
            contents.commits.count >= checkpointInterval && !contents.isMakingCheckpoint
        }
        guard isDue else { return nil }
        return { [shared] checkpoint in
            let isElected = shared.contents.withLock { contents in
                defer { contents.isMakingCheckpoint = true }
                return !contents.isMakingCheckpoint
            }
            guard isElected else { return }
            defer { shared.contents.withLock { $0.isMakingCheckpoint = false } }
            let bytes = try checkpoint.bytes()
            shared.contents.withLock { contents in
                let first = contents.checkpoint?.version ?? 0
                guard checkpoint.version > first else { return }
                contents.commits.removeFirst(Int(checkpoint.version - first))
                contents.checkpoint = (checkpoint.version, bytes)
            }
        }
    }

    /// Removes the handler that `observe(_:)` registered.
    public func close() { shared.contents.withLock { $0.handlers[ObjectIdentifier(self)] = nil } }
}
