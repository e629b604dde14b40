import Foundation
import KivoJournal
import KivoLog
import TestRandomness
import XCTest

@testable import Kivo

/// The commits of a realm, one by one.
final class CommitSequenceTests: FileTestCase {
    private func add(_ realm: Realm, _ ids: Range<Int>, _ label: String) throws {
        try realm.write(label: label, author: "tests") {
            for id in ids { realm.create(HistoryDog.self, value: ["id": id]) }
        }
    }

    /// Opens a realm as synchronous code does.
    private func open(_ configuration: Realm.Configuration) throws -> Realm {
        try Realm(configuration: configuration)
    }

    private func stored(_ version: Realm.Version) -> Realm.Version {
        Realm.Version(lineage: version.lineage, number: version.number)
    }

    @MainActor
    func testCommitsHaveNumbersTimesLabelsAndChanges() async throws {
        let realm = try open(configuration)
        let start = stored(realm.version)
        let began = Date()
        for index in 0..<200 { try add(realm, index..<index + 1, "commit \(index)") }
        let end = realm.version
        var number = start.number
        var index = 0
        for try await commit in realm.commits(since: start, until: end) {
            number += 1
            XCTAssertEqual(commit.version.number, number)
            XCTAssertEqual(commit.label, "commit \(index)")
            XCTAssertEqual(commit.author, "tests")
            XCTAssertGreaterThan(commit.date ?? .distantPast, began - 1)
            XCTAssertEqual(commit.changes.all.map(\.primaryKey), [.int(index)])
            index += 1
        }
        XCTAssertEqual(index, 200)
        XCTAssertEqual(number, end.number)
    }

    @MainActor
    func testTheSequenceContinuesWithNewCommitsUntilItsTaskIsCancelled() async throws {
        for isFile in [true, false] {
            let realm = try open(isFile ? configuration : Realm.Configuration(inMemoryIdentifier: name))
            let commits = realm.commits(since: realm.version)
            let (counts, continuation) = AsyncStream<Int>.makeStream()
            let task = Task.detached {
                var count = 0
                for try await commit in commits {
                    count += commit.changes.count
                    continuation.yield(count)
                }
                continuation.finish()
            }
            var iterator = counts.makeAsyncIterator()
            for index in 0..<20 {
                try add(realm, index..<index + 1, "")
                var count = await iterator.next()
                while let last = count, last < index + 1 { count = await iterator.next() }
                XCTAssertEqual(count, index + 1)
            }
            task.cancel()
            try await task.value
        }
    }

    /// A configuration of the file that is compacted often, in a store of its own, as another process has.
    private func compacted(_ name: String) -> Realm.Configuration {
        let path = file.path
        var policy = CheckpointPolicy()
        policy.allowance = 1 << 14
        policy.smallestTail = 1 << 11
        policy.tailShare = 1 << 10
        var configuration = Realm.Configuration()
        configuration.commitLog = CommitLogSource(identifier: "\(path) \(name)") { [policy] in
            JournalLog(
                try FileDevice.open(path: path, readOnly: false, isShared: true), readOnly: false,
                policy: policy)
        }
        return configuration
    }

    @MainActor
    func testCommitsOfOtherProcessesAndCompactionsAreFollowed() async throws {
        let here = try open(compacted("here"))
        let there = try open(compacted("there"))
        try add(here, 0..<1, "first")
        var iterator = here.commits(since: stored(here.version)).makeAsyncIterator()
        var numbers: Set<Int> = []
        for round in 0..<TestEffort.size(150, full: 600) {
            for (realm, label) in [(here, "here"), (there, "there")] {
                let text = "\(label) \(round) " + String(repeating: "x", count: 500)
                try realm.write(label: label) { realm.objects(HistoryDog.self)[0].name = text }
            }
            for label in ["here", "there"] {
                let commit = try await iterator.next()
                XCTAssertEqual(commit?.label, label)
                let new: String? = commit?.changes.of(HistoryDog.self).first?.new(\.name)
                XCTAssertTrue(new?.hasPrefix("\(label) \(round) ") ?? false, new ?? "nil")
            }
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            numbers.insert(try XCTUnwrap(attributes[.systemFileNumber] as? Int))
        }
        XCTAssertGreaterThan(numbers.count, 1, "the file was never compacted")
    }

    @MainActor
    func testAnIterationEndsWithItsLastVersionAndRetainsNoOther() async throws {
        for isFile in [true, false] {
            let realm = try open(isFile ? configuration : Realm.Configuration(inMemoryIdentifier: name))
            var iterator = realm.commits(since: realm.version).makeAsyncIterator()
            var (middle, id) = (stored(realm.version), 0)
            for index in 0..<50 {
                try add(realm, id..<id + 1, "")
                id += 1
                let commit = try await iterator.next()
                XCTAssertEqual(commit?.changes.count, 1)
                if index == 20 {
                    // No more than those that the iterator and the realm are at.
                    XCTAssertLessThanOrEqual(realm.instance.store.activeVersions, 3, "\(isFile)")
                    middle = realm.version
                }
            }
            let start = middle
            try add(realm, id..<id + 1, "")
            let end = realm.version
            try add(realm, id + 1..<id + 2, "")
            var count = 0
            for try await commit in realm.commits(since: start, until: end) {
                count += commit.changes.count
                XCTAssertLessThanOrEqual(commit.version, end)
            }
            XCTAssertEqual(count, 30)
            var wrong = realm.commits(since: start, until: Realm.Version(lineage: 1, number: 1))
                .makeAsyncIterator()
            do {
                _ = try await wrong.next()
                XCTFail("it is the version of another realm")
            } catch let error as Realm.HistoryError {
                XCTAssertEqual(error, .otherData)
            }
        }
    }

    @MainActor
    func testTheCommitsBeforeAMigrationAreDeliveredBeforeTheError() async throws {
        try withRealm { realm in
            for index in 0..<4 { try add(realm, index..<index + 1, "\(index)") }
        }
        try waitUntilClosed()
        var migrated = configuration
        migrated.schemaVersion = 1
        migrated.migrationBlock = { migration, _ in
            migration.enumerateObjects(ofType: "HistoryDog") { _, new in new?["name"] = "migrated" }
        }
        let realm = try open(migrated)
        try add(realm, 4..<5, "4")
        let first = Realm.Version(lineage: realm.version.lineage, number: 0)
        var labels: [String?] = []
        do {
            for try await commit in realm.commits(since: first) { labels.append(commit.label) }
            XCTFail("the sequence ended")
        } catch Realm.HistoryError.migrated(let version) {
            var iterator = realm.commits(since: version).makeAsyncIterator()
            labels.append(try await iterator.next()?.label)
        }
        XCTAssertEqual(labels, ["0", "1", "2", "3", "4"])
    }

    @MainActor
    func testOtherLogsTellTheirCommits() async throws {
        let log = MemoryLog(checkpointInterval: 50)
        var configuration = Realm.Configuration()
        configuration.commitLog = CommitLogSource(identifier: name) { MemoryLog(sharing: log) }
        let realm = try open(configuration)
        let start = stored(realm.version)
        for index in 0..<30 { try add(realm, index..<index + 1, "\(index)") }
        XCTAssertEqual(try realm.changes(since: start).count, 30)
        var labels: [String] = []
        for try await commit in realm.commits(since: start, until: realm.version) {
            labels.append(commit.label ?? "")
        }
        XCTAssertEqual(labels, (0..<30).map { "\($0)" })
    }

    @MainActor
    func testOtherDataAndRemovedCommitsThrow() async throws {
        let realm = try open(Realm.Configuration(inMemoryIdentifier: name))
        let version = stored(realm.version)
        try add(realm, 0..<1, "")
        for (start, error) in [
            (version, Realm.HistoryError.removed(oldest: realm.version)),
            (Realm.Version(lineage: 1, number: 1), .otherData),
        ] {
            var iterator = realm.commits(since: start).makeAsyncIterator()
            do {
                _ = try await iterator.next()
                XCTFail("there is a commit")
            } catch let thrown as Realm.HistoryError {
                XCTAssertEqual(thrown, error)
            }
            let end = try await iterator.next()
            XCTAssertNil(end)
        }
    }
}
