import Foundation
import KivoEngine
import KivoLog

/// A test suite that checks an implementation of `CommitLog` against the guarantees of the protocol.
///
///     func testOurLog() {
///         let suite = CommitLogSuite("etcd") {
///             let cluster = TestCluster()
///             return { try EtcdLog(cluster) }
///         }
///         XCTAssertEqual(suite.run(), [])
///     }
///
/// Each check begins with new storage and opens as many logs of it as it needs. Each log stands for the store of another process.
/// The last check runs realms on the logs. They write at random, observe, open and close, and the check compares each one's
/// notifications with its contents.
///
/// Takes some seconds with a fast log. Run it on the main thread.
public struct CommitLogSuite {
    /// A closure that opens another log of the same storage.
    public typealias Opening = @Sendable () throws -> any CommitLog

    let name: String
    let makeStorage: () throws -> Opening
    /// The number of seconds that other logs may take to receive a commit.
    public var timeout: TimeInterval = 60
    /// The number of writes of each realm.
    public var writesPerRealm = 40
    /// How long an append waits for its answer, in seconds.
    static let patience = 20
    /// The seed of the random choices; a failure names it.
    public var seed: UInt64 = .random(in: 1 ... .max)

    /// Creates a suite for one kind of log.
    ///
    /// - Parameters:
    ///   - name: The name of the log in failures.
    ///   - makeStorage: Creates new storage without commits. The closure that it returns opens another log of it with each
    ///     call.
    public init(_ name: String, makeStorage: @escaping () throws -> Opening) {
        (self.name, self.makeStorage) = (name, makeStorage)
    }

    /// Runs all checks and returns one sentence for each violation, or none. Each check closes its logs at its end.
    public func run() -> [String] {
        let checks: [(String, (LogCheck) throws -> Void)] = [
            ("a log without commits", checkBeginning), ("order", checkOrder),
            ("one is first", checkConflicts),
            ("many at once", checkThreads), ("notifications", checkNotifications),
            ("the same twice", checkIdentities), ("what became of an append", checkResolutions),
            ("size", checkSize), ("lease", checkLease), ("fencing", checkFencing),
            ("realms", checkRealms),
        ]
        return checks.flatMap { what, body in
            do {
                let check = LogCheck(try makeStorage(), "\(name), \(what), seed \(seed)")
                defer { check.close() }
                do {
                    try body(check)
                } catch {
                    check.fail("threw \(error)")
                }
                return check.failures
            } catch {
                return ["\(name), \(what): making storage threw \(error)"]
            }
        }
    }

    // MARK: Logs

    private func checkBeginning(_ check: LogCheck) throws {
        let log = try check.open()
        try check.equal(log.head(), 0, "the head of a new log")
        try check.equal(check.commits(log, after: 0), [], "the commits of a new log")
        try check.expect(log.checkpoint() == nil, "a new log has a checkpoint")
    }

    private func checkOrder(_ check: LogCheck) throws {
        var random = SeededNumbers(seed)
        let log = try check.open()
        var appended: [[UInt8]] = []
        for number in 0..<24 {
            let size = [0, 1, 7, 8, 9, 100, 5000, 200_000][random.below(8)]
            let payload = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number) }
            check.equal(
                try check.append(log, payload, after: UInt64(number)), .appended(version: UInt64(number) + 1),
                "an append")
            appended.append(payload)
        }
        let another = try check.open()
        for log in [log, another] {
            try check.equal(log.head(), 24, "the head")
            check.arrive(log, 24, timeout)
            for version in 0...24 {
                let payloads = try check.commits(log, after: UInt64(version))
                check.expect(
                    payloads == Array(appended[version...]), "the commits after \(version) are others")
            }
        }
    }

    private func checkConflicts(_ check: LogCheck) throws {
        var random = SeededNumbers(seed)
        let logs = try (0..<3).map { _ in try check.open() }
        var appended: [[UInt8]] = []
        for number in 0..<60 {
            let version = UInt64(max(0, appended.count - random.below(3)))
            let payload = [UInt8(number)]
            let outcome = try check.append(logs[random.below(3)], payload, after: version)
            if version == appended.count {
                check.equal(outcome, .appended(version: version + 1), "an append behind the newest")
                appended.append(payload)
            } else if case .behind(let head) = outcome {
                check.expect(
                    head > version && head <= appended.count, "it is said that others are at \(head)")
            } else {
                check.fail("an append behind version \(version) of \(appended.count) succeeded")
            }
        }
        for log in logs {
            check.arrive(log, UInt64(appended.count), timeout)
            try check.equal(check.commits(log, after: 0), appended, "the commits")
        }
    }

    private func checkThreads(_ check: LogCheck) throws {
        let logs = try (0..<4).map { _ in try check.open() }
        DispatchQueue.concurrentPerform(iterations: logs.count) { thread in
            do {
                for number in 0..<25 {
                    // Whenever some thread is first, its append succeeds.
                    let isAppended = try (0..<1000).contains { _ in
                        let payload = [UInt8(thread), UInt8(number)]
                        let head = try logs[thread].head()
                        return try check.append(logs[thread], payload, after: head)
                            == .appended(version: head + 1)
                    }
                    if !isAppended { return check.fail("a thread never comes to append") }
                }
            } catch {
                check.fail("a thread threw \(error)")
            }
        }
        for log in logs { check.arrive(log, 100, timeout) }
        let first = try check.commits(logs[0], after: 0)
        check.equal(first.count, 100, "the number of commits")
        for (thread, log) in logs.enumerated() {
            try check.expect(check.commits(log, after: 0) == first, "logs have different commits")
            let own = first.filter { $0[0] == UInt8(thread) }.map { $0[1] }
            check.equal(own, (0..<25).map { UInt8($0) }, "the commits of one thread")
        }
    }

    private func checkNotifications(_ check: LogCheck) throws {
        let (log, other) = (try check.open(), try check.open())
        guard log.isShared else { return }
        let calls = SuiteCounter()
        other.observe { event in if case .head = event { calls.increment() } }
        for version in 0..<5 {
            let before = calls.value
            check.equal(
                try check.append(log, [1], after: UInt64(version)), .appended(version: UInt64(version) + 1),
                "an append")
            check.wait("those who watch to be called", timeout) { calls.value > before }
            check.wait("the notification of a commit", timeout) { other.hasCommits(after: UInt64(version)) }
            try check.equal(check.commits(other, after: UInt64(version)), [[1]], "the commits")
        }
    }
}
