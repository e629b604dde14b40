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
            var head: UInt64 { (checkpoint?.version ?? 0) + UInt64(commits.count) }
            var watchers: [ObjectIdentifier: @Sendable () -> Void] = [:]
        }

        let contents = Lock(Contents())
    }

    private let shared: Shared
    private let queue = DispatchQueue(label: "Kivo: commits of a log in memory")
    /// The number of commits after which a checkpoint is due.
    private let checkpointInterval: Int

    /// Creates a log without commits.
    ///
    /// - Parameter checkpointInterval: The number of commits after which a checkpoint is due. The checkpoint replaces the commits
    ///   before it.
    public init(checkpointInterval: Int = .max) {
        shared = Shared()
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
    public func commits(after version: UInt64, _ body: (EncodedCommit) throws -> Void) throws {
        let commits = try shared.contents.withLock { contents throws(CommitLogError) in
            let first = contents.checkpoint?.version ?? 0
            guard version >= first else { throw .removed(checkpoint: first) }
            return contents.commits.dropFirst(Int(version - first))
        }
        for commit in commits { try body(commit) }
    }

    /// Returns whether there are commits after a version.
    public func hasCommits(after version: UInt64) -> Bool { head() > version }

    /// Registers the closure that is called after other stores append. It runs on a queue of this log.
    public func watch(_ body: @escaping @Sendable () -> Void) {
        shared.contents.withLock { $0.watchers[ObjectIdentifier(self)] = body }
    }

    /// Appends a commit unless another store appended first.
    public func append(_ commit: EncodedCommit, after version: UInt64) -> AppendOutcome {
        var others: [@Sendable () -> Void] = []
        let outcome = shared.contents.withLock { contents -> AppendOutcome in
            guard contents.head == version else { return .conflict(head: contents.head) }
            contents.commits.append(commit)
            others = contents.watchers.filter { $0.key != ObjectIdentifier(self) }.map(\.value)
            return .appended
        }
        // Asynchronously, because the caller holds its store's write lock, and these closures wait for the write locks of their
        // stores.
        if !others.isEmpty { queue.async { [others] in for other in others { other() } } }
        return outcome
    }

    /// The newest checkpoint.
    public func checkpoint() -> LogCheckpoint? {
        shared.contents.withLock { $0.checkpoint }.map { LogCheckpoint(version: $0.version, bytes: $0.bytes) }
    }

    /// Returns a closure that stores a checkpoint, or nil if there are too few commits since the last one.
    public func beginCheckpoint(
        of version: UInt64, isClosing: Bool
    ) -> (@Sendable (LogCheckpoint) throws -> Void)? {
        guard shared.contents.withLock({ $0.commits.count >= checkpointInterval }) else { return nil }
        return { [shared] checkpoint in
            let bytes = try checkpoint.bytes()
            shared.contents.withLock { contents in
                let first = contents.checkpoint?.version ?? 0
                // Another store may have stored a newer one.
                guard checkpoint.version > first else { return }
                contents.commits.removeFirst(Int(checkpoint.version - first))
                contents.checkpoint = (checkpoint.version, bytes)
            }
        }
    }

    /// Removes the closure that `watch(_:)` registered.
    public func close() { shared.contents.withLock { $0.watchers[ObjectIdentifier(self)] = nil } }
}
