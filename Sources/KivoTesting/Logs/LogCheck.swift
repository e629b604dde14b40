import Foundation
import KivoEngine
import KivoLog

/// One check of a ``CommitLogSuite``: its storage and its failures. Thread-safe.
final class LogCheck: Sendable {
    private let name: String
    let opening: CommitLogSuite.Opening
    private let state = Lock<State>(State())

    private struct State: Sendable {
        var failures: [String] = []
        var logs: [any CommitLog] = []
        var number: UInt64 = 0
    }

    init(_ opening: @escaping CommitLogSuite.Opening, _ name: String) {
        (self.opening, self.name) = (opening, name)
    }

    /// Descriptions of the violations.
    var failures: [String] { state.withLock { $0.failures } }

    /// Opens another log of the storage, which has read the existing commits.
    func open() throws -> any CommitLog {
        let log = try opening()
        try log.open(restoring: { _ in }, reading: { _ in }, accepting: {})
        state.withLock { $0.logs.append(log) }
        return log
    }

    /// Closes all logs that were opened.
    func close() {
        let logs = state.withLock { state in
            defer { state.logs = [] }
            return state.logs
        }
        for log in logs { log.close() }
    }

    func fail(_ what: String) { state.withLock { $0.failures.append("\(name): \(what)") } }

    func expect(_ isTrue: Bool, _ failure: @autoclosure () -> String) { if !isTrue { fail(failure()) } }

    func equal<Value: Equatable>(_ actual: Value, _ expected: Value, _ what: String) {
        if actual != expected { fail("\(what): \(actual), not \(expected)") }
    }

    /// The next number of a commit; each store of a log numbers its own.
    private func identity() -> EncodedCommit.Identity {
        .init(
            store: 1,
            number: state.withLock { state in
                state.number += 1
                return state.number
            })
    }

    /// Appends a commit, and repeats it as long as no answer arrives, like a store.
    func append(
        _ log: any CommitLog, _ payload: [UInt8], after version: UInt64, lease: LogLease? = nil
    ) throws -> AppendOutcome {
        let commit = EncodedCommit(.changes, payload, identity: identity(), log: log.id)
        var isUnknown = false
        while true {
            let outcome = try log.append(
                AppendRequest(
                    commit, after: version, lease: lease, deadline: .now + .seconds(CommitLogSuite.patience)))
            if outcome != .unknown {
                guard isUnknown, outcome != .appended(version: version + 1) else { return outcome }
                let found = try log.resolve(commit.identity, after: version, until: nil)
                return found == .appended ? .appended(version: version + 1) : outcome
            }
            isUnknown = true
        }
    }

    /// Returns the payloads of the commits after a version.
    func commits(_ log: any CommitLog, after version: UInt64) throws -> [[UInt8]] {
        var payloads: [[UInt8]] = []
        var expected = version
        try log.commits(after: version) { entry in
            expected += 1
            equal(entry.version, expected, "the number of a commit")
            payloads.append(entry.commit.payload)
        }
        return payloads
    }

    /// Waits until commits have arrived at a log.
    func arrive(_ log: any CommitLog, _ head: UInt64, _ timeout: TimeInterval) {
        if head > 0, log.isRemote {
            wait("commit \(head) to arrive", timeout) { log.hasCommits(after: head - 1) }
        }
    }

    /// Waits until a condition holds.
    func wait(_ what: String, _ timeout: TimeInterval, until condition: () throws -> Bool) rethrows {
        let end = Date(timeIntervalSinceNow: timeout)
        while try !condition() {
            guard Date() < end else { return fail("waited for \(what)") }
            Thread.sleep(forTimeInterval: 0.001)
        }
    }
}

/// A counter that several threads increment.
final class SuiteCounter: Sendable {
    private let count = Lock(0)
    var value: Int { count.withLock { $0 } }
    func increment() { count.withLock { $0 += 1 } }
}
