import KivoEngine
import KivoLog

/// A log that breaks one of its promises.
final class FaultyLog: CommitLog {
    enum Fault: CaseIterable {
        /// Confirms the append although the writer is behind and its commit is lost.
        case losesCommits
        /// Appends behind whatever is there.
        case doesNotCompare
        /// Begins to read one commit too late.
        case skipsCommits
        /// Gives commits with other bytes.
        case changesBytes
        /// Never calls watchers.
        case keepsNewsToItself
        /// Gives everybody a lease at the same time.
        case sharesLeases
        /// Appends whatever lease a request carries.
        case doesNotFence
        /// Appends a commit again that it has.
        case appendsTwice
        /// Numbers commits from 0.
        case miscounts
        /// Says of each commit that it is there.
        case findsEverything
        /// Says that the head is less than it is.
        case saysTooLittle
    }

    private let base: MemoryLog
    private let fault: Fault
    private let leases: MemoryLog

    /// - Parameter leases: A log whose leases are given to the callers; the commits are appended elsewhere.
    init(_ base: MemoryLog, _ fault: Fault, leases: MemoryLog = MemoryLog(hasLeases: true)) {
        (self.base, self.fault, self.leases) = (base, fault, leases)
    }

    let name = "a faulty log"
    let isShared = true
    var id: UInt64 { base.id }

    func head() -> UInt64 { fault == .saysTooLittle ? base.head() / 2 : base.head() }

    func commits(after version: UInt64, _ body: (LogEntry) throws -> Void) throws {
        var isFirst = true
        try base.commits(after: version) { entry in
            defer { isFirst = false }
            if fault == .skipsCommits, isFirst { return }
            var entry = entry
            if fault == .changesBytes, !entry.commit.payload.isEmpty { entry.commit.payload[0] ^= 1 }
            if fault == .miscounts { entry.version -= 1 }
            try body(entry)
        }
    }

    func hasCommits(after version: UInt64) -> Bool { base.hasCommits(after: version) }

    func append(
        _ request: AppendRequest, _ completion: @escaping @Sendable (Result<AppendOutcome, any Error>) -> Void
    ) {
        var changed = request
        if fault == .doesNotCompare { changed.version = base.head() }
        if fault == .appendsTwice, base.head() > request.version {
            changed.version = base.head()
        }
        let outcome = base.append(changed)
        completion(
            .success(fault == .losesCommits ? .appended(version: request.version + 1) : outcome))
    }

    func resolve(
        _ identity: EncodedCommit.Identity, after version: UInt64, until deadline: ContinuousClock.Instant?
    ) throws -> AppendResolution {
        fault == .findsEverything ? .appended : try base.resolve(identity, after: version, until: deadline)
    }

    func observe(_ handler: @escaping @Sendable (LogEvent) -> Void) {
        if fault != .keepsNewsToItself { base.observe(handler) }
    }

    func checkpoint() -> LogCheckpoint? { base.checkpoint() }

    func acquireLease(until deadline: ContinuousClock.Instant?) -> LogLease? {
        switch fault {
        case .sharesLeases: LogLease(token: 1)
        case .doesNotFence: leases.acquireLease(until: deadline)
        default: nil
        }
    }

    func releaseLease(_ lease: LogLease) { leases.releaseLease(lease) }

    func close() { base.close() }
}
