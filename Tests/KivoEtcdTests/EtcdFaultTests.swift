import Foundation
import Kivo
import KivoEtcd
import KivoLog
import KivoTesting
import TestRandomness
import XCTest

/// Members that are killed, stopped, full, or restored from a backup.
final class EtcdFaultTests: EtcdTestCase {
    /// Whichever member is killed or stopped, one of them the leader: writes and watches go on.
    func testEachMemberKilledAndStopped() throws {
        let cluster = try EtcdCluster(3)
        let (first, second) = (try realm(cluster.options()), try realm(cluster.options()))
        var expected: [Int] = []
        try withEvery("member", in: 0..<3) { member in
            try withEvery("isKill", in: [true, false]) { isKill in
                isKill ? cluster.kill(member) : cluster.stop(member)
                expected.append(expected.count + 1)
                try write(first, expected.count)
                wait("a commit while member \(member) is away") { self.numbers(second) == expected }
                isKill ? try cluster.start(member) : cluster.resume(member)
                try cluster.awaitHealth()
            }
        }
    }

    /// A member that runs a fifth of the time delays commits, and none is lost. Each member in turn, one of them the leader.
    func testSlowMembers() throws {
        let cluster = try EtcdCluster(3)
        let (first, second) = (try realm(cluster.options()), try realm(cluster.options()))
        var only = cluster.options()
        var expected: [Int] = []
        for member in 0..<3 {
            // One realm has only the slow member.
            only.endpoints = [cluster.endpoints[member]]
            let behind = try realm(only, readOnly: true)
            try cluster.withSlowMember(member) {
                for _ in 0..<10 {
                    expected.append(expected.count + 1)
                    try write(expected.count.isMultiple(of: 2) ? first : second, expected.count)
                }
                wait("what a slow member \(member) delays") { self.numbers(behind) == expected }
            }
            wait("all commits") { self.numbers(first) == expected && self.numbers(second) == expected }
        }
    }

    /// Two of three members are away: reading goes on, and writes say what they know.
    func testAMinority() throws {
        let cluster = try EtcdCluster(3)
        let realm = try realm(cluster.options(), timeout: 1)
        try write(realm, 1)
        cluster.kill(0)
        cluster.kill(1)
        var failure: Realm.Error?
        XCTAssertThrowsError(try write(realm, 2)) { failure = $0 as? Realm.Error }
        XCTAssertTrue(
            [.logUnavailable, .unknownOutcome].contains(failure?.code), "\(String(describing: failure))")
        XCTAssertEqual(numbers(realm), [1])
        try cluster.start(0)
        try cluster.start(1)
        try cluster.awaitHealth()
        let unknown = try XCTUnwrap(failure)
        var isThere: Bool?
        wait("an answer") {
            isThere = try? realm.wasCarriedOut(unknown)
            return isThere != nil
        }
        wait("what was answered to be there") { self.numbers(realm) == (isThere == true ? [1, 2] : [1]) }
        wait("writes to go on") { (try? self.write(realm, 3)) != nil }
        wait("all of it") { self.numbers(realm) == (isThere == true ? [1, 2, 3] : [1, 3]) }
    }

    /// The watch finds that its revision was compacted while its member was stopped, and the log is read.
    func testACompactedRevision() throws {
        let cluster = try EtcdCluster(1)
        let (first, second) = (try realm(cluster.options()), try realm(cluster.options()))
        try write(first, 1)
        wait("the first commit") { self.numbers(second) == [1] }
        for number in 2...5 {
            cluster.kill(0)
            try cluster.start(0)
            try cluster.awaitHealth()
            try write(first, number)
            try cluster.compact()
        }
        wait("all commits") { self.numbers(second) == [1, 2, 3, 4, 5] }
    }

    /// The writer whose lease has passed is refused by the server, and others write.
    func testAPausedWriterIsFenced() throws {
        let cluster = try EtcdCluster(1)
        var options = cluster.options("lease \(UUID())")
        options.writing = .lease(seconds: 2)
        let open = try XCTUnwrap(Realm.Configuration.etcd(options).commitLog).open
        let (paused, other) = (try open(), try open())
        for log in [paused, other] {
            try log.open(restoring: { _ in }, reading: { _ in }, accepting: {})
        }
        defer { for log in [paused, other] { log.close() } }
        let end = ContinuousClock.now + .seconds(30)
        let lease = try XCTUnwrap(paused.acquireLease(until: end))
        // Simulates that the server revokes the lease of a paused writer, which does not renew it.
        let key = Data("\(options.prefix)/writer".utf8).base64EncodedString()
        let pair = (try cluster.post("kv/range", "{\"key\":\"\(key)\"}")["kvs"] as? [[String: Any]])?.first
        let grant = try XCTUnwrap(pair?["lease"] as? String)
        try cluster.post("lease/revoke", "{\"ID\":\"\(grant)\"}")
        let second = try XCTUnwrap(other.acquireLease(until: end))
        let late = EncodedCommit(.changes, [1], identity: .init(store: 1, number: 1), log: paused.id)
        let outcome = try paused.append(AppendRequest(late, after: 0, lease: lease, deadline: end))
        XCTAssertEqual(outcome, .fenced)
        let commit = EncodedCommit(.changes, [2], identity: .init(store: 2, number: 1), log: other.id)
        let appended = try other.append(AppendRequest(commit, after: 0, lease: second, deadline: end))
        XCTAssertEqual(appended, .appended(version: 1))
    }

    /// A quota that is full refuses commits, in words, and nothing that was acknowledged is lost.
    func testAFullQuota() throws {
        let cluster = try EtcdCluster(1, ["--quota-backend-bytes", "\(4 << 20)"])
        let realm = try realm(cluster.options(), timeout: 5)
        let text = String(repeating: "full", count: 100_000)
        var written: [Int] = []
        var failure: Realm.Error?
        for number in 1...40 where failure == nil {
            do {
                try write(realm, number, text: text)
                written.append(number)
            } catch { failure = error as? Realm.Error }
        }
        XCTAssertEqual(failure?.code, .logUnavailable)
        XCTAssertTrue(failure?.message.contains("space") ?? false, failure?.message ?? "")
        XCTAssertEqual(numbers(realm), written)
        XCTAssertEqual(numbers(try self.realm(cluster.options(), readOnly: true)), written)
    }

    /// A cluster that was restored from an older backup is recognised: reads go on at the newest version, writes are refused.
    func testAnOlderBackup() throws {
        let cluster = try EtcdCluster(1)
        var options = cluster.options()
        options.replicaPath = path("replica")
        try restoreBackup(of: cluster, below: realm(options, timeout: 5))
        XCTAssertThrowsError(try realm(options)) { XCTAssertTrue(Realm.Error.otherLog ~= $0, "\($0)") }
        XCTAssertEqual(numbers(try realm(cluster.options())), [1, 3])
    }

    private func restoreBackup(of cluster: EtcdCluster, below realm: Realm) throws {
        try write(realm, 1)
        cluster.kill(0)
        let backup = URL(fileURLWithPath: path("backup"))
        try FileManager.default.copyItem(at: cluster.data(0), to: backup)
        try cluster.start(0)
        try cluster.awaitHealth()
        try write(realm, 2)
        cluster.kill(0)
        try FileManager.default.removeItem(at: cluster.data(0))
        try FileManager.default.copyItem(at: backup, to: cluster.data(0))
        try cluster.start(0)
        try cluster.awaitHealth()
        // Another store goes on where the backup ends.
        try write(self.realm(cluster.options()), 3)
        wait("the backup to be recognised") {
            do {
                try self.write(realm, 4)
                return false
            } catch Realm.Error.otherLog {
                return true
            } catch {
                return false
            }
        }
        XCTAssertEqual(numbers(realm), [1, 2])
    }

    /// The parts that a killed writer left behind do not disturb other writers, and are removed with a checkpoint.
    func testPartsThatWereLeftBehind() throws {
        let cluster = try EtcdCluster(1)
        var options = cluster.options()
        options.checkpointInterval = 5
        let key = Data("realm/parts/0000000000000001-0000000000000001/00000000000000000000".utf8)
            .base64EncodedString()
        try cluster.post("kv/put", "{\"key\":\"\(key)\",\"value\":\"AAAA\"}")
        let realm = try realm(options)
        // The first checkpoint may be in progress until the last of these commits, and nothing is removed while others append.
        for number in 1...12 { try write(realm, number) }
        var (last, checks) = (12, 0)
        try wait("the parts to be removed") {
            checks += 1
            if checks.isMultiple(of: 20) {
                last += 1
                try write(realm, last)
            }
            return try cluster.post("kv/range", "{\"key\":\"\(key)\"}")["kvs"] == nil
        }
        XCTAssertEqual(numbers(try self.realm(options)), Array(1...last))
    }
}
