import KivoEngine
import KivoLog

/// A log that breaks one of its promises.
final class FaultyLog: CommitLog {
    enum Fault: CaseIterable {
        /// Whoever is behind is told that its commit was appended.
        case losesCommits
        /// Appends behind whatever is there.
        case doesNotCompare
        /// Begins to read one commit too late.
        case skipsCommits
        /// Gives commits with other bytes.
        case changesBytes
        /// Never calls those who watch.
        case keepsNewsToItself
        /// Says that it has a lock which keeps nobody out.
        case doesNotLock
        /// Says that the head is less than it is.
        case saysTooLittle
    }

    private let base: MemoryLog
    private let fault: Fault

    init(_ base: MemoryLog, _ fault: Fault) { (self.base, self.fault) = (base, fault) }

    let name = "a faulty log"
    let isShared = true

    func head() -> UInt64 { fault == .saysTooLittle ? base.head() / 2 : base.head() }

    func commits(after version: UInt64, _ body: (EncodedCommit) throws -> Void) throws {
        var isFirst = true
        try base.commits(after: version) { commit in
            defer { isFirst = false }
            if fault == .skipsCommits, isFirst { return }
            var commit = commit
            if fault == .changesBytes, !commit.payload.isEmpty { commit.payload[0] ^= 1 }
            try body(commit)
        }
    }

    func hasCommits(after version: UInt64) -> Bool { base.hasCommits(after: version) }

    func append(_ commit: EncodedCommit, after version: UInt64) -> AppendOutcome {
        let place = fault == .doesNotCompare ? base.head() : version
        let outcome = base.append(commit, after: place)
        return fault == .losesCommits ? .appended : outcome
    }

    func watch(_ body: @escaping @Sendable () -> Void) {
        if fault != .keepsNewsToItself { base.watch(body) }
    }

    func checkpoint() -> LogCheckpoint? { base.checkpoint() }

    func lock() -> Bool { fault == .doesNotLock }

    func close() { base.close() }
}
