import Foundation
import Kivo
import KivoEtcd
import XCTest

/// Replicas after losses of power, at paths that cannot be used, and under commits that never pause.
final class EtcdReplicaTests: EtcdTestCase {
    private func files(_ beginning: String) throws -> [URL] {
        let url = URL(fileURLWithPath: path(beginning))
        let folder = url.deletingLastPathComponent()
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            .filter { $0.hasPrefix(url.lastPathComponent) }.map { folder.appendingPathComponent($0) }
    }

    /// Writes commits and a checkpoint, and returns the path of a replica that has both.
    private func makeReplica(_ cluster: EtcdCluster, _ options: inout EtcdOptions) throws {
        options.checkpointInterval = 10
        let writer = try realm(options)
        for number in 1...12 { try write(writer, number, text: String(repeating: "replica", count: 1000)) }
        try wait("a checkpoint") { try self.keys("realm/", of: cluster).contains("realm/checkpoint") }
        try wait("the commits to be removed") {
            try self.keys("realm/commits/", of: cluster)[0] > "realm/commits/00000000000000000005"
        }
        options.replicaPath = path("replica")
        XCTAssertEqual(numbers(try realm(options)), Array(1...12))
        XCTAssertEqual(try files("replica.image-").count, 1)
        for number in 13...15 { try write(writer, number) }
        XCTAssertEqual(numbers(try realm(options)), Array(1...15))
    }

    /// A process that was killed, or a loss of power: whatever it has done to the files, they are read or fetched again, and no
    /// start ends the program.
    func testLossesOfPower() throws {
        let cluster = try EtcdCluster(1)
        var options = cluster.options()
        try makeReplica(cluster, &options)
        let replica = try XCTUnwrap(files("replica").first { $0.lastPathComponent == "replica" })
        let image = try XCTUnwrap(files("replica.image-").first)
        let (commits, pages) = (try Data(contentsOf: replica), try Data(contentsOf: image))
        // The file of a process that did not close it.
        let used = try withExtendedLifetime(try realm(options)) { try Data(contentsOf: replica) }
        XCTAssertNotEqual(used, commits)
        func check(_ what: String, _ commits: Data, _ pages: Data?, line: UInt = #line) throws {
            try commits.write(to: replica)
            try? FileManager.default.removeItem(at: image)
            try pages?.write(to: image)
            XCTAssertEqual(numbers(try realm(options)), Array(1...15), what, line: line)
            // And once more, with what was fetched.
            XCTAssertEqual(numbers(try realm(options)), Array(1...15), what, line: line)
        }
        try check("unharmed", commits, pages)
        try check("not closed", used, pages)
        try check("no image", used, nil)
        try check("an empty image", used, Data())
        try check("a short image", used, pages.prefix(pages.count / 2))
        try check("zeros", used, Data(count: pages.count))
        for place in stride(from: 0, to: pages.count, by: max(1, pages.count / 40)) {
            var damaged = pages
            damaged[place] ^= 0x10
            try check("byte \(place) of the image", used, damaged)
            let sectors = place..<min(place + 4096, pages.count)
            damaged.replaceSubrange(sectors, with: Data(count: sectors.count))
            try check("the sectors from byte \(place) of the image on", used, damaged)
        }
        for count in stride(from: 0, to: commits.count, by: max(1, commits.count / 25)) {
            try check("\(count) bytes of commits", used.prefix(count), pages)
            let zeros = Data(count: used.count - count)
            try check("\(count) bytes of commits, then zeros", used.prefix(count) + zeros, pages)
        }
        XCTAssertEqual(try files("replica").count, 2)
    }

    /// The checkpoint of an image that passes its check, but that the store refuses, is fetched again as well.
    func testAnImageOfAnotherRealm() throws {
        let cluster = try EtcdCluster(1)
        var options = cluster.options()
        try makeReplica(cluster, &options)
        let image = try XCTUnwrap(files("replica.image-").first)
        let size = try Data(contentsOf: image).count
        try Data(count: size).write(to: image)
        // Closed properly, so that it is not verified before the store reads it.
        XCTAssertEqual(numbers(try realm(options)), Array(1...15))
        XCTAssertEqual(numbers(try realm(options)), Array(1...15))
        XCTAssertNotEqual(
            try Data(contentsOf: try XCTUnwrap(files("replica.image-").first)), Data(count: size))
    }

    /// A path that belongs to another realm, or to another file, is left as it is.
    func testAPathThatIsTaken() throws {
        let cluster = try EtcdCluster(1)
        var options = cluster.options()
        try makeReplica(cluster, &options)
        let before = try Data(contentsOf: URL(fileURLWithPath: path("replica")))
        var other = cluster.options("other")
        other.replicaPath = path("replica")
        let realm = try realm(other)
        try write(realm, 100)
        XCTAssertEqual(numbers(realm), [100])
        XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: path("replica"))), before)
        XCTAssertEqual(numbers(try self.realm(options)), Array(1...15))

        let text = Data(
            "Dear reader, this is no replica, but it is long enough for one: sixty-four bytes.".utf8)
        try text.write(to: URL(fileURLWithPath: path("letter")))
        other.replicaPath = path("letter")
        XCTAssertEqual(numbers(try self.realm(other)), [100])
        XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: path("letter"))), text)

        // A realm of this machine, which begins like a replica.
        let local = URL(fileURLWithPath: path("local.kivo"))
        do {
            let realm = try Realm(configuration: .init(fileURL: local, objectTypes: [EtcdNote.self]))
            try write(realm, 1, 2, 3)
        }
        let stored = try Data(contentsOf: local)
        other.replicaPath = local.path
        XCTAssertEqual(numbers(try self.realm(other)), [100])
        XCTAssertEqual(try Data(contentsOf: local), stored)
        let mixed = Data(count: 8192) + Data("the contents of a disk".utf8)
        try mixed.write(to: URL(fileURLWithPath: path("disk")))
        other.replicaPath = path("disk")
        XCTAssertEqual(numbers(try self.realm(other)), [100])
        XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: path("disk"))), mixed)

        // Paths at which writing fails.
        other.replicaPath = "/dev/full"
        XCTAssertEqual(numbers(try self.realm(other)), [100])
        other.replicaPath = path("no folder/replica")
        XCTAssertEqual(numbers(try self.realm(other)), [100])
    }

    /// Commits that come without a pause: the replica is renewed by what it weighs.
    func testCommitsThatNeverPause() throws {
        let cluster = try EtcdCluster(1)
        var options = cluster.options()
        options.checkpointInterval = 10
        let writer = try realm(options)
        options.replicaPath = path("replica")
        let follower = try realm(options, readOnly: true)
        let text = String(repeating: "pause", count: 40_000)
        var (largest, size, number) = (0, 0, 0)
        // Until it shrinks, however slow the machine is.
        while size > largest - (2 << 20), number < 1000 {
            number += 1
            try writer.write(attempts: 50) {
                writer.create(EtcdNote.self, value: ["number": 1, "text": "\(number) \(text)"], update: .all)
            }
            let sizes = try files("replica").map { file in
                (try? FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int) ?? 0
            }
            size = sizes.reduce(0, +)
            largest = max(largest, size)
        }
        XCTAssertLessThanOrEqual(size, largest - (2 << 20), "\(number) commits")
        wait("the last commit") {
            follower.refresh()
            return follower.objects(EtcdNote.self).first?.text.hasPrefix("\(number) ") ?? false
        }
    }
}
