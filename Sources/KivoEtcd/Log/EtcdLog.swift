import Dispatch
import Foundation
import Kivo
import KivoEngine
import KivoJournal
import KivoLog

/// The log of a realm over etcd. Each commit is a key, which a transaction creates only if nobody else has, and only after the
/// commit before it.
///
/// A thread of its own follows the log: it reads what is there, watches for what comes, and keeps all of it in a local replica,
/// where the store reads. Thread-safe.
final class EtcdLog: CommitLog {
    struct State: Sendable {
        /// Whether the follower has an answer of the cluster, or the reason why it has none.
        var problem: String? = "not connected yet"
        /// The reason why the log is another one than before; nothing is read or appended any more.
        var isOther: String?
        var isOpen = false
        /// Whether the store could not read the replica.
        var isRefused = false
        var isClosed = false
        /// Whether the thread that follows was started.
        var isFollowed = false
        var handler: (@Sendable (LogEvent) -> Void)?
        var isHeadAnnounced = false
        /// The newest checkpoint of the log.
        var checkpoint: CheckpointNote?
        /// The bytes of commits that arrived since.
        var bytesSinceCheckpoint = 0
        /// The time from which on this store makes checkpoints, and how long the next failure delays it, in seconds.
        var nextCheckpoint = ContinuousClock.now
        var checkpointPause = 60.0
        var watch: EtcdWatch?
        /// Whether the image of the replica is being replaced.
        var isRenewing = false
        /// The time from which on it may be.
        var nextRenewal = ContinuousClock.now
        /// The appends that were cancelled.
        var cancelled: Set<EncodedCommit.Identity> = []
    }

    /// The number of bytes of a value: with its key and the conditions a request stays below the limit of 1.5 MB.
    static let partSize = 1 << 20
    /// The number of parts of the largest commit. All are checked in one transaction, which has at most 128 conditions.
    static let partLimit = 64

    let options: EtcdOptions
    let client: EtcdClient
    let keys: EtcdKeys
    let replica: EtcdReplica
    let leases: EtcdLeases
    let state = Lock(State())
    /// Announced whenever something has arrived or the state has changed.
    private let arrivals = Arrivals()
    /// Appends with parts, and retries.
    let work = DispatchQueue(label: "Kivo: etcd", attributes: .concurrent)
    /// Signalled when the thread that follows has ended.
    private let ended = DispatchSemaphore(value: 0)
    private let events = DispatchQueue(label: "Kivo: events of etcd")

    init(_ options: EtcdOptions) throws {
        self.options = options
        try options.check()
        client = EtcdClient(options.endpoints, options.credentials)
        keys = EtcdKeys(options.prefix)
        replica = try EtcdReplica(options.replicaPath, prefix: options.prefix)
        if let refusal = replica.refusal { Logger.shared.log(level: .warn, message: refusal) }
        leases = EtcdLeases(client, keys, options.writing)
    }

    var name: String { "etcd \(options.prefix)" }
    var id: UInt64 { replica.id }
    let isSlow = true
    let isRemote = true
    let isShared = true
    let largestCommit: Int? = (EtcdLog.partLimit - 1) * EtcdLog.partSize

    // MARK: Reading

    func head() throws -> UInt64 {
        let body = keys.newestCommit
        let json = try client.ask("kv/range", body, until: .now + .seconds(options.openTimeout)).json
        return EtcdAnswer.pairs(json).first.flatMap { keys.version($0.key) } ?? 0
    }

    func commits(after version: UInt64, _ body: (LogEntry) throws -> Void) throws {
        try replica.commits(after: version, body)
    }

    func hasCommits(after version: UInt64) -> Bool { replica.head > version }

    func checkpoint() throws -> LogCheckpoint? { replica.checkpoint() }

    /// Reads the replica, once all that the cluster has is there. Without the cluster reads what is there.
    func open(
        restoring restore: (LogCheckpoint) throws -> Void, reading read: (LogEntry) throws -> Void,
        accepting accept: () throws -> Void
    ) throws {
        try connect()
        do {
            var version: UInt64 = 0
            if let checkpoint = replica.checkpoint() {
                try restore(checkpoint)
                version = checkpoint.version
            }
            try replica.commits(after: version, read)
        } catch  where isDamage(error) && isFirstRefusal {
            try replica.clear()
            try EtcdFollower(self).catchUp(.whileMoving(tryingFor: .seconds(options.openTimeout)))
            // The store discards what it has read, and begins again.
            throw CommitLogError.removed(checkpoint: max(1, replica.base))
        } catch let error as JournalError where error.isDamage {
            throw CommitLogError.corrupt("the local replica '\(replica.path)': \(error)")
        }
        try accept()
        follow()
    }

    private func isDamage(_ error: any Error) -> Bool {
        if case CommitLogError.corrupt = error { return true }
        return (error as? JournalError)?.isDamage ?? false
    }

    /// Whether the replica was not refused before, once.
    private var isFirstRefusal: Bool {
        state.withLock { state in
            defer { state.isRefused = true }
            return !state.isRefused
        }
    }

    private func connect() throws {
        let isFirst = state.withLock { state in
            defer { state.isOpen = true }
            return !state.isOpen
        }
        guard isFirst else { return }
        let hasData = replica.head > 0
        let patience: EtcdPatience =
            hasData
            ? .until(.now + .seconds(min(0.5, options.openTimeout)))
            : .whileMoving(tryingFor: .seconds(options.openTimeout))
        do {
            try EtcdFollower(self).catchUp(patience)
            state.withLock { $0.problem = nil }
        } catch let error as CommitLogError where error.isAboutAccess {
            guard hasData else { throw error }
            state.withLock { $0.problem = "\(error)" }
        }
    }

    /// Begins to follow the log, once.
    private func follow() {
        let isDue = state.withLock { state in
            defer { state.isFollowed = state.isFollowed || !state.isClosed }
            return !state.isFollowed && !state.isClosed
        }
        guard isDue else { return }
        let follower = EtcdFollower(self)
        Thread.detachNewThread { [ended] in
            follower.run()
            ended.signal()
        }
    }

    // MARK: Events

    func observe(_ handler: @escaping @Sendable (LogEvent) -> Void) {
        let (hasProblem, checkpoint) = state.withLock { state in
            state.handler = handler
            return (state.problem, state.checkpoint)
        }
        if let hasProblem { tell(.disconnected(reason: hasProblem)) }
        if let checkpoint { tell(.checkpoint(checkpoint.version)) }
        // What has arrived since the log was read.
        announceHead()
    }

    /// Delivers an event on the queue of events: its handler may wait for a write, and a write for what the follower does.
    func tell(_ event: LogEvent) {
        events.async { [weak self] in
            guard let self else { return }
            let handler = state.withLock { $0.isClosed ? nil : $0.handler }
            handler?(event)
        }
    }

    /// Adds a commit that has arrived, from the follower or by an own append.
    func arrive(_ entry: LogEntry) throws {
        guard try replica.add(entry) else { return }
        state.withLock { $0.bytesSinceCheckpoint += entry.commit.payload.count }
        announceHead()
    }

    /// Tells the store of the newest version, at most once until it looks.
    func announceHead() {
        arrivals.announce()
        let isNew = state.withLock { state in
            if state.handler == nil { return false }
            defer { state.isHeadAnnounced = true }
            return !state.isHeadAnnounced
        }
        guard isNew else { return }
        events.async { [weak self] in
            guard let self else { return }
            let handler = state.withLock { state in
                state.isHeadAnnounced = false
                return state.isClosed ? nil : state.handler
            }
            handler?(.head(replica.head))
        }
    }

    /// Waits until a condition holds, which something that arrives may make true. Returns whether it does.
    func wait(until deadline: ContinuousClock.Instant, _ condition: () -> Bool) -> Bool {
        arrivals.wait(until: deadline, condition)
    }

    /// Lets the follower look soon whether the log has a version that has not arrived.
    func expect(_ head: UInt64) {
        guard replica.head < head else { return }
        state.withLock { $0.watch }?.checkSoon()
    }

    /// Notes that the log is another one than that of the replica.
    func refuse(_ reason: String) -> CommitLogError {
        state.withLock { $0.isOther = reason }
        return .otherLog(reason)
    }

    // MARK: Leases

    func acquireLease(until deadline: ContinuousClock.Instant?) throws -> LogLease? {
        guard case .lease = options.writing else { return nil }
        if let reason = state.withLock({ $0.isOther }) { throw CommitLogError.otherLog(reason) }
        let end = deadline ?? .now + .seconds(options.openTimeout)
        guard let (lease, head) = try leases.acquire(until: end) else { return nil }
        // What others wrote while they had the lease has to be here first.
        expect(head)
        guard wait(until: end, { replica.head >= head }) else {
            leases.release(lease)
            throw CommitLogError.unavailable("the commits up to \(head) have not arrived")
        }
        return lease
    }

    func releaseLease(_ lease: LogLease) { leases.release(lease) }

    func close() {
        let (watch, isFirst) = state.withLock { state in
            defer { (state.isClosed, state.handler) = (true, nil) }
            return (state.watch, !state.isClosed)
        }
        guard isFirst else { return }
        leases.close()
        client.close()
        watch?.cancel()
        // Its request was cancelled, so that it ends soon.
        if state.withLock({ $0.isFollowed }) { _ = ended.wait(timeout: .now() + 3) }
        replica.close()
    }
}

extension CommitLogError {
    /// Whether the cluster could not be reached, or does not let the program in: what has arrived can still be read.
    fileprivate var isAboutAccess: Bool {
        switch self {
        case .unavailable, .accessDenied: true
        default: false
        }
    }
}
