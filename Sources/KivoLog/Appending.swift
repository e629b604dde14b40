/// A commit to append, and the conditions under which it may be appended.
public struct AppendRequest: Sendable {
    /// The commit. Its identity is unique, so that what became of it can be found out later.
    public var commit: EncodedCommit
    /// The version on which the commit was made. The commit gets the next number.
    public var version: UInt64
    /// The lease under which the transaction was made; nil if there was none. The log appends nothing under a lease that has
    /// passed.
    public var lease: LogLease?
    /// The time at which the append ends as ``AppendOutcome/unknown``; nil for an append that waits as long as it takes.
    public var deadline: ContinuousClock.Instant?

    /// Creates a request.
    public init(
        _ commit: EncodedCommit, after version: UInt64, lease: LogLease? = nil,
        deadline: ContinuousClock.Instant? = nil
    ) { (self.commit, self.version, self.lease, self.deadline) = (commit, version, lease, deadline) }
}

/// The outcome of an append.
public enum AppendOutcome: Equatable, Sendable {
    /// The commit is the newest one, under this number, and is durable.
    case appended(version: UInt64)
    /// Other stores appended first, and the commit was not appended. The log has at least this version.
    case behind(head: UInt64)
    /// The lease that the request carries has passed, or another store has one. The commit was not appended.
    case fenced
    /// The commit has more bytes than the log takes, and was not appended.
    case tooLarge(limit: Int)
    /// It is unknown whether the commit was appended, and it may still be. ``CommitLog/resolve(_:after:until:)`` finds it out
    /// later.
    case unknown
}

/// The contents of the place of a commit whose append had an unknown outcome.
public enum AppendResolution: Equatable, Sendable {
    /// The commit itself.
    case appended
    /// Another commit. The commit will never be appended.
    case other
    /// The place is empty. The commit may still be appended, unless another takes the place first.
    case open
    /// The commits of the place are only in a checkpoint by now, which knows the last commit of each store.
    case removed(checkpoint: UInt64)
}

/// The right of one store to append, for some time.
public struct LogLease: Hashable, Sendable {
    /// The number that distinguishes the lease from all others of its log.
    public let token: UInt64

    /// Creates a lease from its number.
    public init(token: UInt64) { self.token = token }
}

/// An event of a log.
public enum LogEvent: Equatable, Sendable {
    /// Commits have arrived, up to this version; 0 if the log does not know the number before it is read.
    case head(UInt64)
    /// There is a checkpoint of this version.
    case checkpoint(UInt64)
    /// The log is connected with its authority.
    case connected
    /// The log lost the connection with its authority, for this reason. What has arrived can be read.
    case disconnected(reason: String)
    /// Commits that have not arrived here were removed. The checkpoint of this version, which contains them, has arrived.
    case compactedAway(checkpoint: UInt64)
    /// The lease has passed: its store must not count on being the only one that appends.
    case leaseLost(LogLease)
}
