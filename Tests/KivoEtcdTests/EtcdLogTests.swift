import Foundation
import Kivo
import KivoEtcd
import KivoLog
import KivoTesting
import XCTest

/// The requirements of every log, and those of logs over etcd: replicas, parts, checkpoints.
final class EtcdLogTests: EtcdTestCase {
    private func suite(_ name: String, _ writing: EtcdOptions.Writing, checkpoints: Int) throws {
        let cluster = try EtcdCluster(1)
        var suite = CommitLogSuite(name) {
            var options = cluster.options("suite \(UUID())")
            options.writing = writing
            options.checkpointInterval = checkpoints
            let source = Realm.Configuration.etcd(options).commitLog!
            return source.open
        }
        suite.writesPerRealm = 15
        for failure in suite.run() { XCTFail(failure) }
    }

    func testTheSuite() throws { try suite("etcd", .optimistic, checkpoints: 1000) }

    func testTheSuiteWithLeasesAndCheckpoints() throws {
        try suite("etcd with leases", .lease(seconds: 5), checkpoints: 10)
    }

    func testTwoRealms() throws {
        let cluster = try EtcdCluster(3)
        let (first, second) = (try realm(cluster.options()), try realm(cluster.options()))
        let table = BatchUpdateTable<EtcdNote, Int> { $0.number }
        let token = second.objects(EtcdNote.self).sorted(byKeyPath: "number").observe { table.apply($0) }
        for number in 1...5 { try write(first, number) }
        wait("the notifications") { table.rows == [1, 2, 3, 4, 5] }
        XCTAssertEqual(table.problems, [])
        try write(second, 6)
        wait("the other's commit") { self.numbers(first).last == 6 }
        let following = try realm(cluster.options(), readOnly: true)
        XCTAssertEqual(numbers(following), [1, 2, 3, 4, 5, 6])
        token.invalidate()
    }

    /// A commit that is larger than a request is seen whole or not at all.
    func testALargeCommit() throws {
        let cluster = try EtcdCluster(1)
        let (first, second) = (try realm(cluster.options()), try realm(cluster.options()))
        let text = String(repeating: "0123456789", count: 300_000)
        try write(first, 1, text: text)
        wait("the large commit") { self.numbers(second) == [1] }
        XCTAssertEqual(second.object(ofType: EtcdNote.self, forPrimaryKey: 1)?.text, text)
        XCTAssertEqual(numbers(try realm(cluster.options())), [1])
    }

    /// Checkpoints replace commits, for who opens, who follows, and who was away.
    func testCheckpoints() throws {
        let cluster = try EtcdCluster(1)
        var options = cluster.options()
        options.checkpointInterval = 10
        options.replicaPath = path("away")
        var away: Realm? = try realm(options)
        try write(away!, 0)
        away = nil
        options.replicaPath = nil
        let (writing, following) = (try realm(options), try realm(options))
        for number in 1...40 { try write(writing, number) }
        func firstCommit() throws -> String {
            let key = Data("realm/commits/".utf8).base64EncodedString()
            let end = Data("realm/commits0".utf8).base64EncodedString()
            let json = try cluster.post(
                "kv/range", "{\"key\":\"\(key)\",\"range_end\":\"\(end)\",\"limit\":\"1\",\"keys_only\":true}"
            )
            let pair = (json["kvs"] as? [[String: Any]])?.first
            let name = (pair?["key"] as? String).flatMap { Data(base64Encoded: $0) } ?? Data()
            return String(decoding: name, as: UTF8.self)
        }
        try wait("commits to be removed") { try firstCommit() > "realm/commits/00000000000000000009" }
        let all = Array(0...40)
        wait("all to arrive") { self.numbers(following) == all }
        XCTAssertEqual(numbers(try realm(options)), all)
        options.replicaPath = path("away")
        XCTAssertEqual(numbers(try realm(options)), all)
    }

    /// A restart without the network reads what is here.
    func testAReplicaWithoutTheCluster() throws {
        let cluster = try EtcdCluster(1)
        var options = cluster.options()
        options.replicaPath = path("replica")
        do {
            let realm = try realm(options)
            for number in 1...20 { try write(realm, number) }
        }
        cluster.kill(0)
        let offline = try realm(options, timeout: 0.5)
        XCTAssertEqual(numbers(offline), Array(1...20))
        wait("the realm to say that it is alone") { offline.logDisconnection != nil }
        XCTAssertThrowsError(try write(offline, 21)) {
            XCTAssertTrue(Realm.Error.logUnavailable ~= $0, "\($0)")
        }
        XCTAssertEqual(numbers(offline), Array(1...20))
        var other = cluster.options()
        other.openTimeout = 0.5
        XCTAssertThrowsError(try realm(other)) {
            XCTAssertTrue(Realm.Error.logUnavailable ~= $0, "\($0)")
        }
        try cluster.start(0)
        try cluster.awaitHealth()
        wait("the cluster to be found again") { (try? self.write(offline, 22)) != nil }
        XCTAssertEqual(numbers(offline), Array(1...20) + [22])
        wait("the realm to say that it is not alone") { offline.logDisconnection == nil }
    }

    /// A torn or damaged replica is ignored completely.
    func testADamagedReplica() throws {
        let cluster = try EtcdCluster(1)
        var options = cluster.options()
        options.replicaPath = path("replica")
        do {
            let realm = try realm(options)
            for number in 1...20 { try write(realm, number) }
        }
        let whole = try Data(contentsOf: URL(fileURLWithPath: path("replica")))
        for place in [3, 40, whole.count / 2, whole.count - 1] {
            var damaged = whole
            damaged[place] ^= 1
            try damaged.write(to: URL(fileURLWithPath: path("replica")))
            XCTAssertEqual(numbers(try realm(options)), Array(1...20), "\(place)")
        }
    }
}
