import Dispatch
import Foundation
import Kivo
import XCTest

/// A `@ThreadSafe` variable shows its object or collection wherever it is read.
final class ThreadSafeTests: RealmTestCase {
    private func parcel(_ configuration: Realm.Configuration, _ number: Int) throws -> CrossingParcel {
        let realm = try Realm(configuration: configuration)
        return try realm.write {
            realm.create(CrossingParcel.self, value: ["number": number, "label": "old"])
        }
    }

    func testAVariableIsReadAndWrittenOnOtherThreads() throws {
        @ThreadSafe var parcel = try parcel(configuration, 1)
        XCTAssertEqual(parcel?.label, "old")
        for round in 0..<3 {
            try onAnotherThread { [$parcel] in
                XCTAssertEqual($parcel.wrappedValue?.weight, round)
                let parcel = try XCTUnwrap($parcel.wrappedValue)
                try XCTUnwrap(parcel.realm).write {
                    parcel.label = "new"
                    parcel.weight += 1
                }
                XCTAssertEqual($parcel.wrappedValue?.weight, round + 1)
            }
            XCTAssertEqual(parcel?.weight, round + 1, "no refresh is needed")
            XCTAssertEqual(parcel?.label, "new")
        }
    }

    func testReadingInsideOfAWriteElsewhere() throws {
        let first = try parcel(configuration, 1)
        @ThreadSafe var parcel = first
        let configuration = configuration
        try onAnotherThread { [$parcel] in
            let realm = try Realm(configuration: configuration)
            try realm.write { $parcel.wrappedValue?.label = "new" }
        }
        XCTAssertEqual(parcel?.label, "new")
        XCTAssertEqual(first.label, "new", "reading moved the instance of this thread")
    }

    /// Deletes a table's row from a background thread, like the example on realm-swift's page.
    func testDeletingInTheBackground() throws {
        let realm = try openRealm()
        try realm.write {
            for number in 0..<3 { realm.create(CrossingParcel.self, value: ["number": number]) }
        }
        let results = realm.objects(CrossingParcel.self)
        var changes: [String] = []
        let token = results.observe { changes.append(self.text($0)) }
        wait("the initial call") { changes.count == 1 }
        let done = Done()
        @ThreadSafe var object = results[1]
        DispatchQueue.global().async { [$object] in
            guard let object = $object.wrappedValue else { return }
            let realm = object.realm!
            try! realm.write {
                if !object.isInvalidated {
                    realm.delete(object)
                }
            }
            done.set()
        }
        wait("the update") { done.isSet && changes.count == 2 }
        XCTAssertEqual(changes, ["initial", "-[1] +[] ~[]"])
        XCTAssertNil(object)
        token.invalidate()
    }

    func testAVariableOfADeletedObjectIsNil() throws {
        @ThreadSafe var parcel = try parcel(configuration, 1)
        try writeElsewhere { $0.deleteAll() }
        XCTAssertNil(parcel)
        try onAnotherThread { [$parcel] in XCTAssertNil($parcel.wrappedValue) }
        XCTAssertNil(parcel)
    }

    func testCollections() throws {
        let first = try parcel(configuration, 1)
        @ThreadSafe var codes = first.codes
        @ThreadSafe var tags = first.tags
        @ThreadSafe var counts = first.counts
        @ThreadSafe var all = first.realm?.objects(CrossingParcel.self)
        @ThreadSafe var erased = first.realm.map { AnyRealmCollection($0.objects(CrossingParcel.self)) }
        try onAnotherThread { [$codes, $tags, $counts, $all, $erased] in
            let realm = try XCTUnwrap($codes.wrappedValue?.realm)
            try realm.write {
                $codes.wrappedValue?.append(4)
                $tags.wrappedValue?.insert("a")
                $counts.wrappedValue?["x"] = 1
                realm.create(CrossingParcel.self, value: ["number": 2])
            }
            XCTAssertEqual($all.wrappedValue?.count, 2)
            XCTAssertEqual($erased.wrappedValue?.count, 2)
        }
        XCTAssertEqual(codes.map(Array.init), [4])
        XCTAssertEqual(tags.map(Array.init), ["a"])
        XCTAssertEqual(counts?["x"], 1)
        XCTAssertEqual(all?.count, 2)
        XCTAssertEqual(erased?.count, 2)
    }

    func testAVariableFollowsTheConfigurationOfTheValueThatWasAssignedLast() throws {
        let other = Realm.Configuration(inMemoryIdentifier: name + " other")
        @ThreadSafe var parcel = try parcel(configuration, 1)
        try onAnotherThread { [$parcel] in
            let realm = try Realm(configuration: other)
            let there = try realm.write { realm.create(CrossingParcel.self, value: ["number": 2]) }
            $parcel.wrappedValue = there
        }
        XCTAssertEqual(parcel?.number, 2)
        XCTAssertEqual(parcel?.realm?.configuration.inMemoryIdentifier, name + " other")
        parcel = nil
        XCTAssertNil(parcel)
        parcel = try self.parcel(configuration, 3)
        XCTAssertEqual(parcel?.number, 3)
        XCTAssertEqual(parcel?.realm?.configuration.inMemoryIdentifier, name)
    }

    func testAVariableKeepsNoVersion() throws {
        let first = try parcel(configuration, 1)
        let realm = try XCTUnwrap(first.realm)
        @ThreadSafe var parcel = first
        let before = realm.versionCount
        for _ in 0..<10 { try realm.write { first.weight += 1 } }
        XCTAssertEqual(realm.versionCount, before)
        XCTAssertEqual(parcel?.weight, 10)
    }

    func testOnAQueueAVariableIsReadInTheRealmOfTheQueue() throws {
        @ThreadSafe var parcel = try parcel(configuration, 1)
        let (queue, configuration) = (DispatchQueue(label: "queue"), configuration)
        try queue.sync { [$parcel] in
            let realm = try Realm(configuration: configuration, queue: queue)
            XCTAssertEqual($parcel.wrappedValue?.realm, realm)
        }
        let byThread = try openRealm()
        XCTAssertEqual(parcel?.realm, byThread)
    }

    func testAsAParameterAndInTasks() async throws {
        try await grow(parcel: parcel(configuration, 1))
    }

    private func grow(@ThreadSafe parcel: CrossingParcel?) async throws {
        for _ in 0..<5 {
            try await Task.detached { [$parcel] in
                let parcel = try XCTUnwrap($parcel.wrappedValue)
                try XCTUnwrap(parcel.realm).write { parcel.weight += 1 }
            }.value
        }
        XCTAssertEqual(parcel?.weight, 5)
        await Task { [$parcel] in XCTAssertEqual($parcel.wrappedValue?.weight, 5) }.value
    }

    /// Inside of a notification no refresh is possible: the version is the one that the notification is about.
    func testReadingInsideOfANotification() throws {
        let first = try parcel(configuration, 1)
        let realm = try XCTUnwrap(first.realm)
        @ThreadSafe var parcel = first
        var seen: [Int?] = []
        let token = first.observe { (_: ObjectChange<CrossingParcel>) in
            self.expectSuccess { try self.writeElsewhere { $0.objects(CrossingParcel.self)[0].weight = 9 } }
            seen.append(parcel?.weight)
        }
        try realm.write { first.weight = 1 }
        wait("the notification") { !seen.isEmpty }
        token.invalidate()
        XCTAssertEqual(seen, [1])
        XCTAssertEqual(parcel?.weight, 9)
    }
}
