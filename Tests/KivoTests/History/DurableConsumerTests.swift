import Foundation
import KivoJournal
import KivoLog
import TestRandomness
import XCTest

@testable import Kivo

/// Consumers whose place is stored in the realm.
final class DurableConsumerTests: FileTestCase {
    /// Opens a realm as synchronous code does.
    private func open(_ configuration: Realm.Configuration? = nil) throws -> Realm {
        try Realm(configuration: configuration ?? self.configuration)
    }

    private func add(_ realm: Realm, _ ids: Range<Int>, author: String? = nil) throws {
        for id in ids {
            try realm.write(label: "\(id)", author: author) {
                realm.create(HistoryDog.self, value: ["id": id])
            }
        }
    }

    private func ids(_ changes: ChangeSet) -> [Int] {
        changes.all.compactMap { if case .int(let id)? = $0.primaryKey { id } else { nil } }.sorted()
    }

    @MainActor
    func testWhatIsNotAcknowledgedIsDeliveredAgain() async throws {
        for isFile in [true, false] {
            let realm = try open(isFile ? configuration : Realm.Configuration(inMemoryIdentifier: name))
            try add(realm, 0..<1)
            let consumer = try realm.consumer("uploader")
            XCTAssertEqual(try consumer.version.number, realm.consumerVersions["uploader"]?.number)
            try add(realm, 1..<4)
            var first = consumer.batches.makeAsyncIterator()
            var batch = try await first.next()
            XCTAssertEqual(ids(try XCTUnwrap(batch).changes), [1, 2, 3])
            XCTAssertEqual(batch?.version, realm.version)
            if isFile { XCTAssertEqual(batch?.commitCount, 3) }
            try add(realm, 4..<5)
            batch = try await first.next()
            XCTAssertEqual(ids(try XCTUnwrap(batch).changes), [4])
            first = try realm.consumer("other").batches.makeAsyncIterator()

            var second = try realm.consumer("uploader").batches.makeAsyncIterator()
            batch = try await second.next()
            XCTAssertEqual(ids(try XCTUnwrap(batch).changes), [1, 2, 3, 4])
            try batch?.acknowledge()
            XCTAssertEqual(try consumer.version, batch?.version)
            try add(realm, 5..<6)
            batch = try await second.next()
            XCTAssertEqual(ids(try XCTUnwrap(batch).changes), [5])
            second = try realm.consumer("other").batches.makeAsyncIterator()

            var third = consumer.batches.makeAsyncIterator()
            batch = try await third.next()
            XCTAssertEqual(ids(try XCTUnwrap(batch).changes), [5])
        }
    }

    @MainActor
    func testWhatATransactionDoesWithABatchIsDoneOnce() async throws {
        struct Stop: Error {}
        let realm = try open()
        let consumer = try realm.consumer("copier")
        try add(realm, 0..<1)
        var iterator = consumer.batches.makeAsyncIterator()
        let batch = try await iterator.next()
        XCTAssertThrowsError(
            try realm.write {
                realm.create(HistoryPerson.self, value: ["name": "a"])
                try batch?.acknowledge()
                throw Stop()
            })
        XCTAssertLessThan(try consumer.version, try XCTUnwrap(batch).version)
        try realm.write {
            realm.create(HistoryPerson.self, value: ["name": "b"])
            try batch?.acknowledge()
        }
        XCTAssertEqual(try consumer.version, batch?.version)
        // What the consumer itself wrote is a change like others.
        let next = try await iterator.next()
        XCTAssertEqual(next?.changes.of(HistoryPerson.self).first?.new(\.name), "b")
        // An acknowledgement alone is none.
        try next?.acknowledge()
        try add(realm, 1..<2)
        let last = try await iterator.next()
        XCTAssertEqual(last.map { ids($0.changes) }, [1])
        XCTAssertEqual(last?.commitCount, 1)
        // An older one changes nothing.
        try last?.acknowledge()
        try batch?.acknowledge()
        XCTAssertEqual(try consumer.version, last?.version)
    }

    @MainActor
    func testABatchEndsWhereTheAuthorChanges() async throws {
        let realm = try open()
        let consumer = try realm.consumer("uploader")
        try add(realm, 0..<3, author: "app")
        try add(realm, 3..<5, author: "download")
        try add(realm, 5..<6)
        try add(realm, 6..<7, author: "app")
        var iterator = consumer.batches(ofAtMost: 2).makeAsyncIterator()
        for (author, label, expected) in [
            ("app", "0, 1", [0, 1]), ("app", "2", [2]), ("download", "3, 4", [3, 4]), (nil, "5", [5]),
            ("app", "6", [6]),
        ] {
            let batch = try await iterator.next()
            XCTAssertEqual(batch.map { ids($0.changes) }, expected)
            XCTAssertEqual(batch?.author, author)
            XCTAssertEqual(batch?.label, label)
            XCTAssertEqual(batch?.commitCount, expected.count)
            XCTAssertNotNil(batch?.date)
            // Between commits of one batch, too.
            if expected.count == 1 { try batch?.acknowledge() }
        }
    }

    @MainActor
    func testOneIterationAtATimeInAllProcesses() async throws {
        let (here, there) = (try open(process("here")), try open(process("there")))
        let consumer = try here.consumer("uploader")
        there.refresh()
        let others = [consumer, try there.consumer("uploader")]
        try add(here, 0..<1)
        var active: DurableConsumer.Batches.Iterator? = consumer.batches.makeAsyncIterator()
        let first = try await active?.next()
        XCTAssertNotNil(first)
        for other in others {
            let task = Task.detached {
                var iterator = other.batches.makeAsyncIterator()
                let batch = try await iterator.next()
                try batch?.acknowledge()
                return batch?.version
            }
            try await Task.sleep(for: .milliseconds(60))
            XCTAssertLessThan(try consumer.version.number, try XCTUnwrap(first).version.number)
            if other.store === consumer.store {
                task.cancel()
                let version = try await task.value
                XCTAssertNil(version)
            } else {
                active = nil
                let version = try await task.value
                XCTAssertEqual(version, first?.version)
                XCTAssertEqual(try consumer.version, first?.version)
            }
        }
    }

    @MainActor
    func testNoTwoIterationsAcknowledgeTheSameChanges() async throws {
        let realm = try open()
        let consumer = try realm.consumer("uploader")
        try add(realm, 0..<3)
        var first: DurableConsumer.Batches.Iterator? = consumer.batches(ofAtMost: 1).makeAsyncIterator()
        var batches: [DurableConsumer.Batch] = []
        for _ in 0..<3 { batches.append(try await first!.next()!) }
        try batches[0].acknowledge()
        // The lease ends, and another iteration reads the same.
        first = nil
        var second = consumer.batches(ofAtMost: 1).makeAsyncIterator()
        let again = try await second.next()
        XCTAssertEqual(again.map { ids($0.changes) }, [1])
        try again?.acknowledge()
        for batch in batches {
            XCTAssertThrowsError(
                try realm.write {
                    realm.create(HistoryPerson.self)
                    try batch.acknowledge()
                }
            ) { XCTAssertEqual($0 as? Realm.HistoryError, .consumerMoved("uploader")) }
        }
        XCTAssertEqual(realm.objects(HistoryPerson.self).count, 0)
        try again?.acknowledge()
        let last = try await second.next()
        try last?.acknowledge()
        XCTAssertEqual(try consumer.version, last?.version)
    }

    @MainActor
    func testConsumersAreNoObjects() async throws {
        let realm = try open()
        XCTAssertTrue(realm.isEmpty)
        let before = realm.version
        let consumer = try realm.consumer("uploader")
        XCTAssertTrue(realm.isEmpty)
        XCTAssertEqual(realm.schema.held.map(\.className).filter { $0.contains("$") }, [])
        XCTAssertTrue(try realm.changes(since: before).isEmpty)
        XCTAssertNil(try realm.rowClass(named: "$Consumer"))
        try add(realm, 0..<1)
        try realm.write { realm.deleteAll() }
        XCTAssertTrue(realm.isEmpty)
        // Changes that cancel each other out are none.
        try add(realm, 1..<2)
        var iterator = consumer.batches.makeAsyncIterator()
        let batch = try await iterator.next()
        XCTAssertEqual(batch.map { ids($0.changes) }, [1])
        XCTAssertEqual(realm.consumerVersions.count, 1)
        // A forged change set writes no rows of Kivo itself.
        let forged = ChangeSet(
            [
                "$Consumer": [
                    ChangeSet.Change(
                        .inserted, ChangeSet.ObjectID(className: "$Consumer", key: 1),
                        [ChangeSet.Property("name", old: nil, new: .string("x"), isCollection: false)])
                ]
            ], lineage: 0)
        XCTAssertThrowsError(try realm.apply(forged))
    }

    @MainActor
    func testRemovedConsumersAndCopiesThrow() async throws {
        let realm = try open()
        let consumer = try realm.consumer("uploader")
        try add(realm, 0..<1)
        var iterator = consumer.batches.makeAsyncIterator()
        let batch = try await iterator.next()

        let copy = folder.appendingPathComponent("copy.kivo")
        try realm.writeCopy(toFile: copy)
        let copied = try open(Realm.Configuration(fileURL: copy))
        XCTAssertEqual(copied.consumerVersions, [:])
        XCTAssertThrowsError(try copied.consumer("uploader", since: realm.version))
        let other = try copied.consumer("uploader")
        XCTAssertEqual(try other.version, copied.consumerVersions["uploader"])

        try realm.removeConsumer("uploader")
        try realm.removeConsumer("never made")
        XCTAssertEqual(realm.consumerVersions, [:])
        XCTAssertThrowsError(try batch?.acknowledge()) {
            XCTAssertEqual($0 as? Realm.HistoryError, .consumerRemoved("uploader"))
            XCTAssertTrue("\($0)".contains("uploader"))
        }
        iterator = consumer.batches.makeAsyncIterator()
        do {
            _ = try await iterator.next()
            XCTFail("the consumer was removed")
        } catch let error as Realm.HistoryError {
            XCTAssertEqual(error, .consumerRemoved("uploader"))
        }
    }

    @MainActor
    func testAConsumerPassesMigrations() async throws {
        let name = "uploader"
        try withRealm { realm in
            _ = try realm.consumer(name)
            try add(realm, 0..<3)
        }
        for version in 1...2 {
            try waitUntilClosed()
            var migrated = configuration
            migrated.schemaVersion = UInt64(version)
            migrated.migrationBlock = { migration, _ in
                migration.enumerateObjects(ofType: "HistoryDog") { _, new in new?["name"] = "\(version)" }
            }
            try withRealm(migrated) { try add($0, version * 10..<version * 10 + 2) }
        }
        try waitUntilClosed()
        var last = configuration
        last.schemaVersion = 2
        let realm = try open(last)
        for limit in [100, 1] {
            var (found, migrations): ([Int], [Int]) = ([], [])
            for try await batch in try realm.consumer(name).batches(ofAtMost: limit) {
                if batch.followsMigration { migrations.append(ids(batch.changes)[0]) }
                found += ids(batch.changes)
                if found.count == 7 { break }
            }
            XCTAssertEqual(found, [0, 1, 2, 10, 11, 20, 21])
            XCTAssertEqual(migrations, [10, 20])
        }
    }

    @MainActor
    func testARealmForReadingDeliversBatchesAndTakesNoAcknowledgements() async throws {
        try withRealm { realm in
            _ = try realm.consumer("uploader")
            try add(realm, 0..<2)
        }
        try waitUntilClosed()
        var reading = configuration
        reading.readOnly = true
        let realm = try open(reading)
        var iterator = try realm.consumer("uploader").batches.makeAsyncIterator()
        let batch = try await iterator.next()
        XCTAssertEqual(batch.map { ids($0.changes) }, [0, 1])
        XCTAssertThrowsError(try batch?.acknowledge())
        XCTAssertThrowsError(try realm.consumer("other"))
        try realm.removeConsumer("other")
        XCTAssertThrowsError(try realm.removeConsumer("uploader"))
    }

    @MainActor
    func testACancelledWriteMovesNoConsumerInMemory() async throws {
        struct Stop: Error {}
        let realm = try open(Realm.Configuration(inMemoryIdentifier: name))
        let consumer = try realm.consumer("uploader")
        for round in 0..<3 {
            try add(realm, round * 2..<round * 2 + 1)
            var iterator = consumer.batches.makeAsyncIterator()
            let batch = try await iterator.next()
            XCTAssertThrowsError(
                try realm.write {
                    try batch?.acknowledge()
                    throw Stop()
                })
            try add(realm, round * 2 + 1..<round * 2 + 2)
            iterator = try realm.consumer("other").batches.makeAsyncIterator()
            iterator = consumer.batches.makeAsyncIterator()
            let next = try await iterator.next()
            XCTAssertEqual(next.map { ids($0.changes) }, [round * 2, round * 2 + 1])
            try next?.acknowledge()
            XCTAssertThrowsError(try batch?.acknowledge())
            XCTAssertEqual(try consumer.version, next?.version)
        }
        // Two that are made in one transaction.
        let made = try realm.write { (try realm.consumer("x"), try realm.consumer("y")) }
        try add(realm, 10..<11)
        for consumer in [made.0, made.1] {
            var iterator = consumer.batches.makeAsyncIterator()
            let batch = try await iterator.next()
            XCTAssertEqual(batch.map { ids($0.changes) }, [10])
        }
        for name in ["x", "y", "uploader"] { try realm.removeConsumer(name) }
        XCTAssertEqual(realm.instance.store.memoryOfConsumers.withLock { Array($0.keys) }, ["other"])
    }
}
