#if os(Linux)
import Foundation
import Kivo
import KivoEtcd
import KivoLog
import Synchronization
import XCTest

/// Lines that are slow, late, deaf on one side, or cut.
final class EtcdSlowLineTests: EtcdTestCase {
    private func options(_ cluster: EtcdCluster, _ proxy: SlowProxy, _ prefix: String = "realm")
        -> EtcdOptions
    {
        var options = cluster.options(prefix)
        options.endpoints = [proxy.endpoint]
        return options
    }

    private func proxy(_ cluster: EtcdCluster) throws -> SlowProxy {
        try SlowProxy(to: cluster.endpoints[0].port!)
    }

    /// A commit that takes four times as long as a member may be silent.
    func testALargeCommitOverASlowLine() throws {
        let cluster = try EtcdCluster(1)
        let proxy = try proxy(cluster)
        defer { proxy.close() }
        let realm = try realm(options(cluster, proxy), timeout: 40)
        let requests = Mutex(0)
        let transaction = "\"compare\""
        proxy.onRequest { text in if text.contains(transaction) { requests.withLock { $0 += 1 } } }
        proxy.line.rate = 160_000
        try write(realm, 1, text: String(repeating: "0123456789", count: 70_000))
        proxy.line.rate = nil
        XCTAssertEqual(numbers(try self.realm(cluster.options())), [1])
        // Sent once, and not given up in the middle again and again.
        XCTAssertLessThan(requests.withLock { $0 }, 6)
    }

    /// Commits that take four times as long to read as a member may be silent.
    func testAFollowerThatIsFarBehind() throws {
        let cluster = try EtcdCluster(1)
        let writer = try realm(cluster.options())
        for number in 1...12 { try write(writer, number, text: String(repeating: "behind", count: 40_000)) }
        let proxy = try proxy(cluster)
        defer { proxy.close() }
        proxy.line.rate = 500_000
        XCTAssertEqual(numbers(try realm(options(cluster, proxy))), Array(1...12))
    }

    /// A checkpoint whose line is cut again and again is read in all, but no part of it twice.
    func testAnImageIsResumed() throws {
        let cluster = try EtcdCluster(1)
        var fast = cluster.options()
        fast.checkpointInterval = 8
        let writer = try realm(fast)
        for number in 1...9 { try write(writer, number, text: String(repeating: "resume", count: 80_000)) }
        try wait("a checkpoint") { try self.keys("realm/", of: cluster).contains("realm/checkpoint") }
        let size = try keys("realm/image/", of: cluster).count * (512 << 10)
        XCTAssertGreaterThan(size, 3 << 20)
        let proxy = try proxy(cluster)
        defer { proxy.close() }
        proxy.line.rate = 4_000_000
        let isDone = Mutex(false)
        Thread.detachNewThread {
            var passed = 0
            while !isDone.withLock({ $0 }) {
                Thread.sleep(forTimeInterval: 0.01)
                // After two parts each time, in the middle of the next.
                if proxy.answerCount - passed > 1_600_000 {
                    passed = proxy.answerCount
                    proxy.cut()
                }
            }
        }
        var slow = options(cluster, proxy)
        slow.openTimeout = 30
        let all = numbers(try realm(slow))
        isDone.withLock { $0 = true }
        XCTAssertEqual(all, Array(1...9))
        // In base 64, with what was under way when the line was cut.
        XCTAssertLessThan(proxy.answerCount, size * 4 / 3 * 2)
    }

    /// A follower does not receive the images that others store.
    func testFollowersReceiveNoImages() throws {
        let cluster = try EtcdCluster(1)
        let proxy = try proxy(cluster)
        defer { proxy.close() }
        var fast = cluster.options()
        fast.checkpointInterval = 5
        let writer = try realm(fast)
        try write(writer, 0, text: String(repeating: "image", count: 100_000))
        let follower = try realm(options(cluster, proxy), readOnly: true)
        try write(writer, 1)
        wait("the follower to watch") { self.numbers(follower) == [0, 1] }
        let before = proxy.answerCount
        for number in 2...30 { try write(writer, number) }
        try wait("a checkpoint") { try !self.keys("realm/image/", of: cluster).isEmpty }
        wait("the commits") { self.numbers(follower) == Array(0...30) }
        Thread.sleep(forTimeInterval: 0.3)
        XCTAssertLessThan(proxy.answerCount - before, 200_000)
    }

    /// The pauses of an idle follower become longer.
    func testAnIdleFollower() throws {
        let cluster = try EtcdCluster(1)
        let proxy = try proxy(cluster)
        defer { proxy.close() }
        var options = options(cluster, proxy)
        options.checkInterval = 0.05
        let idle = try realm(options, readOnly: true)
        let requests = Mutex(0)
        proxy.onRequest { text in if text.hasPrefix("POST") { requests.withLock { $0 += 1 } } }
        Thread.sleep(forTimeInterval: 3)
        XCTAssertLessThan(requests.withLock { $0 }, 10)
        let writer = try realm(cluster.options())
        try write(writer, 1)
        wait("the commit", 5) { self.numbers(idle) == [1] }
    }

    /// A transaction that is still on its way may be carried out, even if the parts of its commit are gone when it is sent again.
    func testAnOutcomeThatIsUnknownStaysUnknown() throws {
        let cluster = try EtcdCluster(1)
        let proxy = try proxy(cluster)
        defer { proxy.close() }
        let log = try XCTUnwrap(Realm.Configuration.etcd(options(cluster, proxy)).commitLog).open()
        try log.open(restoring: { _ in }, reading: { _ in }, accepting: {})
        defer { log.close() }
        let commit = EncodedCommit(
            .changes, [UInt8](repeating: 7, count: 1_300_000), identity: .init(store: 1, number: 1),
            log: log.id)
        // The keys begin with whole groups of three characters.
        let (appending, storing) = (base64("realm/commit"), base64("realm/parts"))
        let parts = "{\"key\":\"\(base64("realm/parts/"))\",\"range_end\":\"\(base64("realm/parts0"))\"}"
        let attempts = Mutex(0)
        let member = cluster.endpoints[0]
        proxy.onRequest { text in
            if text.contains("request_put"), text.contains(appending) {
                switch attempts.withLock({ attempts in
                    attempts += 1
                    return attempts
                }) {
                case 1:
                    // The first is on its way, for all that the program can know.
                    proxy.line.passesRequests = false
                case 2:
                    proxy.line.passesRequests = true
                    EtcdCluster.post(member, "kv/deleterange", parts)
                default: break
                }
            } else if attempts.withLock({ $0 }) >= 2, text.contains(storing.prefix(12)) {
                proxy.line.passesRequests = false
            }
        }
        let outcome = try log.append(
            AppendRequest(commit, after: 0, deadline: .now + .seconds(8)))
        XCTAssertEqual(outcome, .unknown)
        XCTAssertGreaterThan(attempts.withLock { $0 }, 1)
    }

    /// A member carries out the transaction by which the quota is exceeded, and answers that there is no space.
    func testACommitThatExceedsTheQuotaIsThere() throws {
        let cluster = try EtcdCluster(1)
        let proxy = try proxy(cluster)
        defer { proxy.close() }
        let log = try XCTUnwrap(Realm.Configuration.etcd(options(cluster, proxy)).commitLog).open()
        try log.open(restoring: { _ in }, reading: { _ in }, accepting: {})
        defer { log.close() }
        let appending = base64("realm/commit")
        let isAppending = Mutex(false)
        proxy.onRequest { text in
            if text.contains("request_put"), text.contains(appending) { isAppending.withLock { $0 = true } }
        }
        proxy.onAnswer { text in
            let isAnswer = isAppending.withLock { isAppending in
                guard isAppending, text.contains("\"succeeded\":true") else { return false }
                isAppending = false
                return true
            }
            guard isAnswer else { return nil }
            let message = "etcdserver: mvcc: database space exceeded"
            let body = "{\"error\":\"\(message)\",\"message\":\"\(message)\",\"code\":8}"
            return "HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        }
        let commit = EncodedCommit(.changes, [1], identity: .init(store: 1, number: 1), log: log.id)
        let outcome = try log.append(AppendRequest(commit, after: 0, deadline: .now + .seconds(8)))
        XCTAssertEqual(outcome, .appended(version: 1))
        XCTAssertFalse(isAppending.withLock { $0 })
    }

    /// The right to write that was given without an answer does not stay with a store that does not know of it.
    func testALeaseWhoseAnswerIsLost() throws {
        let cluster = try EtcdCluster(1)
        let proxy = try proxy(cluster)
        defer { proxy.close() }
        var (near, far) = (cluster.options(), options(cluster, proxy))
        near.writing = .lease(seconds: 60)
        far.writing = near.writing
        let logs = try [far, near].map { try XCTUnwrap(Realm.Configuration.etcd($0).commitLog).open() }
        for log in logs { try log.open(restoring: { _ in }, reading: { _ in }, accepting: {}) }
        defer { for log in logs { log.close() } }
        let writer = base64("realm/writer")
        proxy.onRequest { text in
            if text.contains("request_put"), text.contains(writer) { proxy.line.passesAnswers = false }
        }
        XCTAssertThrowsError(try logs[0].acquireLease(until: .now + .seconds(3)))
        proxy.onRequest(nil)
        proxy.line.passesAnswers = true
        XCTAssertNotNil(try logs[1].acquireLease(until: .now + .seconds(15)))
    }

    /// A checkpoint that cannot be published leaves nothing, and removes what others left.
    func testACheckpointThatFailsLeavesNothing() throws {
        let cluster = try EtcdCluster(1)
        let left = "realm/image/00000000000000aa/00000000000000000000"
        try cluster.post("kv/put", "{\"key\":\"\(base64(left))\",\"value\":\"AAAA\"}")
        let proxy = try proxy(cluster)
        defer { proxy.close() }
        var options = options(cluster, proxy)
        options.checkpointInterval = 4
        let realm = try realm(options)
        try write(realm, 0, text: String(repeating: "left", count: 300_000))
        let (storing, maker) = (base64("realm/image/"), base64("realm/maker"))
        let failures = Mutex(0)
        let member = cluster.endpoints[0]
        proxy.onRequest { text in
            guard text.contains("request_put"), text.contains(storing) else { return }
            // Another store is elected.
            if failures.withLock({ failures in
                failures += 1
                return failures
            }) == 2 {
                EtcdCluster.post(member, "kv/deleterange", "{\"key\":\"\(maker)\"}")
            }
        }
        for number in 1...5 { try write(realm, number) }
        wait("the checkpoint to fail") { failures.withLock { $0 } >= 2 }
        try wait("all images to be removed") { try self.keys("realm/image/", of: cluster).isEmpty }
        // It does not try again at once.
        let tries = failures.withLock { $0 }
        for number in 6...20 { try write(realm, number) }
        XCTAssertEqual(failures.withLock { $0 }, tries)
        XCTAssertEqual(try keys("realm/image/", of: cluster), [])
    }

    /// Answers that are lost, and members that are deaf.
    func testALineThatIsDeafOnOneSide() throws {
        let cluster = try EtcdCluster(1)
        let proxy = try proxy(cluster)
        defer { proxy.close() }
        var options = options(cluster, proxy)
        options.endpoints.append(cluster.endpoints[0])
        let (first, second) = (try realm(options), try realm(cluster.options()))
        try write(first, 1)
        for (number, isAnswer) in [(2, true), (3, false)] {
            proxy.line = .init(passesRequests: isAnswer, passesAnswers: !isAnswer)
            try write(first, number)
            wait("a commit over another member") { self.numbers(second).contains(number) }
            proxy.line = .init(rate: 2_000_000, delay: 0.02)
            try write(second, 10 * number)
            wait("the other's commit") { self.numbers(first).contains(10 * number) }
        }
        XCTAssertEqual(numbers(first), [1, 2, 3, 20, 30])
    }
}
#endif
