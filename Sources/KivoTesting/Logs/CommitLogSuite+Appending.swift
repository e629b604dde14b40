import Foundation
import KivoLog

/// Checks of one commit: appended twice, resolved later, refused because of its size or its lease.
extension CommitLogSuite {
    /// A log with identities takes a commit only once, however often it is appended.
    func checkIdentities(_ check: LogCheck) throws {
        let (log, other) = (try check.open(), try check.open())
        if log.id == 0 { return }
        check.equal(log.id, other.id, "the number of the same log")
        let commit = EncodedCommit(.changes, [1], identity: .init(store: 3, number: 1), log: log.id)
        for log in [log, other, log] {
            var outcome = AppendOutcome.unknown
            while outcome == .unknown {
                outcome = try log.append(request(commit, after: 0))
            }
            check.equal(outcome, .appended(version: 1), "an append of the same commit")
        }
        check.arrive(other, 1, timeout)
        try check.equal(check.commits(other, after: 0), [[1]], "the commits")
        try other.commits(after: 0) { entry in
            check.equal(entry.commit.identity, commit.identity, "the identity of a commit")
            check.equal(entry.commit.log, log.id, "the log of a commit")
        }
    }

    /// The log finds out later what is in the place of a commit.
    func checkResolutions(_ check: LogCheck) throws {
        let (log, other) = (try check.open(), try check.open())
        if log.id == 0 { return }
        let commits = (1...3).map {
            EncodedCommit(.changes, [UInt8($0)], identity: .init(store: 5, number: UInt64($0)), log: log.id)
        }
        func resolve(_ commit: EncodedCommit, after version: UInt64) throws -> AppendResolution {
            try other.resolve(
                commit.identity, after: version, until: .now + .seconds(CommitLogSuite.patience))
        }
        try check.equal(
            resolve(commits[0], after: 0), .open, "what is found of a commit that nobody appended")
        var outcome = AppendOutcome.unknown
        while outcome == .unknown { outcome = try log.append(request(commits[0], after: 0)) }
        try check.equal(resolve(commits[0], after: 0), .appended, "what is found of an appended commit")
        try check.equal(resolve(commits[1], after: 0), .other, "what is found of a commit that was late")
        try check.equal(resolve(commits[2], after: 1), .open, "what is found behind the newest commit")
    }

    /// A commit that is too large is refused as such; the largest is taken.
    func checkSize(_ check: LogCheck) throws {
        let (log, other) = (try check.open(), try check.open())
        guard let limit = log.largestCommit else { return }
        let large = [UInt8](repeating: 7, count: min(limit, 3 << 20))
        check.equal(
            try check.append(log, large, after: 0), .appended(version: 1), "an append of a large commit")
        if limit < 1 << 28 {
            let outcome = try check.append(log, [UInt8](repeating: 7, count: limit + 1), after: 1)
            check.equal(outcome, .tooLarge(limit: limit), "an append of a commit that is too large")
        }
        check.arrive(other, 1, timeout)
        try check.expect(check.commits(other, after: 0) == [large], "a large commit has other bytes")
    }

    func checkLease(_ check: LogCheck) throws {
        let (log, other) = (try check.open(), try check.open())
        let end = ContinuousClock.now + .seconds(timeout)
        guard let lease = try log.acquireLease(until: end) else { return }
        let entered = SuiteCounter()
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            do {
                if let lease = try other.acquireLease(until: end) {
                    entered.increment()
                    other.releaseLease(lease)
                } else {
                    check.fail("one log has a lease, and another of the same storage has none")
                }
            } catch {
                check.fail("taking a lease threw \(error)")
            }
            done.signal()
        }
        Thread.sleep(forTimeInterval: 0.05)
        check.expect(entered.value == 0, "two have the lease")
        check.equal(
            try check.append(log, [7], after: 0, lease: lease), .appended(version: 1),
            "an append of who has the lease")
        log.releaseLease(lease)
        check.expect(done.wait(timeout: .now() + timeout) == .success, "nobody gets the lease")
    }

    /// A store without the lease that another has, or with a lease that has passed, appends nothing.
    func checkFencing(_ check: LogCheck) throws {
        let (log, other) = (try check.open(), try check.open())
        let end = ContinuousClock.now + .seconds(timeout)
        // A lock of the system lets others wait, and does not refuse.
        guard log.id != 0, let lease = try log.acquireLease(until: end) else { return }
        check.equal(try check.append(other, [1], after: 0), .fenced, "an append without the lease")
        log.releaseLease(lease)
        guard let second = try other.acquireLease(until: end) else {
            return check.fail("a lease that was given back is not free")
        }
        check.equal(
            try check.append(log, [2], after: 0, lease: lease), .fenced,
            "an append under a lease that has passed")
        check.equal(
            try check.append(other, [3], after: 0, lease: second), .appended(version: 1),
            "an append of who has the lease")
        other.releaseLease(second)
    }

    private func request(_ commit: EncodedCommit, after version: UInt64) -> AppendRequest {
        AppendRequest(commit, after: version, deadline: .now + .seconds(CommitLogSuite.patience))
    }
}
