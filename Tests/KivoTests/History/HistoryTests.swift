import Foundation
import TestRandomness
import XCTest

@testable import Kivo

/// Changes since a version, from memory and from a file.
final class HistoryTests: FileTestCase {
    private var memory: Realm.Configuration { Realm.Configuration(inMemoryIdentifier: name) }

    private func add(_ realm: Realm, _ id: Int, _ name: String = "") throws {
        try realm.write { _ = realm.create(HistoryDog.self, value: ["id": id, "name": name]) }
    }

    func testTheDocumentedExample() throws {
        let realm = try Realm(configuration: memory)
        try add(realm, 1, "Rex")
        try add(realm, 2, "Ida")
        let before = realm.version
        try realm.write {
            realm.object(ofType: HistoryDog.self, forPrimaryKey: 1)!.name = "Max"
            realm.object(ofType: HistoryDog.self, forPrimaryKey: 1)!.age = 3
            realm.delete(realm.object(ofType: HistoryDog.self, forPrimaryKey: 2)!)
            realm.create(HistoryDog.self, value: ["id": 3, "tags": ["new"]])
        }
        let changes = try realm.changes(since: before).of(HistoryDog.self)
        XCTAssertEqual(changes.map(\.kind), [.modified, .deleted, .inserted])
        XCTAssertEqual(changes.map(\.primaryKey), [.int(1), .int(2), .int(3)])
        XCTAssertEqual(changes[0].old(\.name), "Rex")
        XCTAssertEqual(changes[0].new(\.name), "Max")
        XCTAssertNil(changes[0].old(\.age))
        XCTAssertEqual(changes[0].new(\.age), 3)
        XCTAssertNil(changes[0].old(\.weight))
        XCTAssertTrue(changes[0].differs(\.age))
        XCTAssertFalse(changes[0].differs(\.tags))
        XCTAssertEqual(changes[0].keyPaths, ["age", "name"])
        XCTAssertEqual(changes[1].old(\.name), "Ida")
        XCTAssertNil(changes[1].new(\.name))
        XCTAssertEqual(changes[2].new(\.tags).map(Array.init), ["new"])
        XCTAssertTrue(try realm.changes(since: realm.version).isEmpty)
    }

    func testLinksAndEmbeddedObjects() throws {
        let realm = try Realm(configuration: memory)
        try add(realm, 1)
        try realm.write {
            let dog = realm.objects(HistoryDog.self)[0]
            dog.home = HistoryPlace(value: ["city": "Ulm", "inner": ["x": 1]])
            dog.places.append(HistoryPlace(value: ["city": "Rom"]))
            dog.named["a"] = HistoryPlace(value: ["city": "Bern"])
        }
        let before = realm.version
        try realm.write {
            let dog = realm.objects(HistoryDog.self)[0]
            dog.home!.inner!.x = 2
            dog.places[0].city = "Pisa"
            dog.named["a"]!!.city = "Genf"
            dog.owner = realm.create(HistoryPerson.self, value: ["name": "Eva"])
        }
        let changes = try realm.changes(since: before)
        XCTAssertEqual(changes.classNames, ["HistoryDog", "HistoryPerson"])
        let dog = changes.of(HistoryDog.self)[0]
        XCTAssertEqual(dog.keyPaths, ["home.inner.x", "named", "owner", "places"])
        XCTAssertEqual(dog.new(\.owner), changes.of(HistoryPerson.self)[0].change.object)
        XCTAssertNil(dog.old(\.owner) as ChangeSet.ObjectID?)
        let places = try XCTUnwrap(dog.edits(\.places)?.modifications.first)
        XCTAssertEqual([places.oldIndex, places.newIndex], [0, 0])
        guard case .embedded(let old) = places.old, case .embedded(let new) = places.new else {
            return XCTFail("\(places)")
        }
        XCTAssertEqual([old["city"], new["city"]], [.string("Rom"), .string("Pisa")])
        XCTAssertEqual(dog.edits(\.named)?.entries.map(\.key), ["a"])
        XCTAssertEqual(changes.change(of: realm.objects(HistoryDog.self)[0])?.keyPaths, dog.keyPaths)
    }

    func testAnObjectThatReturnsWithItsPrimaryKeyIsModified() throws {
        let realm = try Realm(configuration: memory)
        try add(realm, 1, "Rex")
        try add(realm, 2, "Ida")
        let before = realm.version
        try realm.write { realm.deleteAll() }
        try add(realm, 1, "Max")
        try add(realm, 2, "Ida")
        let changes = try realm.changes(since: before).of(HistoryDog.self)
        XCTAssertEqual(changes.map(\.kind), [.modified])
        XCTAssertEqual(changes[0].keyPaths, ["name"])
    }

    func testChangesInAnOpenWriteAreNotIncluded() throws {
        let realm = try Realm(configuration: memory)
        let before = realm.version
        try realm.write {
            realm.create(HistoryDog.self, value: ["id": 1])
            XCTAssertEqual(realm.version, before)
            XCTAssertTrue(try realm.changes(since: before).isEmpty)
        }
        XCTAssertEqual(try realm.changes(since: before).count, 1)
        XCTAssertGreaterThan(realm.version, before)
    }

    func testAVersionInMemoryIsRetainedByItsValueOnly() throws {
        let realm = try Realm(configuration: memory)
        var before: Realm.Version? = realm.version
        let decoded = try JSONDecoder().decode(Realm.Version.self, from: JSONEncoder().encode(before!))
        try add(realm, 1)
        XCTAssertEqual(decoded, before)
        XCTAssertEqual(try realm.changes(since: decoded).count, 1)
        XCTAssertEqual(realm.at(decoded)?.objects(HistoryDog.self).count, 0)
        before = nil
        XCTAssertNil(realm.at(decoded))
        XCTAssertThrowsError(try realm.changes(since: decoded)) { error in
            guard case .removed(let oldest)? = error as? Realm.HistoryError else {
                return XCTFail("\(error)")
            }
            XCTAssertEqual(oldest, realm.version)
        }
        // The error says from which version on there is history.
        XCTAssertEqual(realm.instance.store.versionCount, 1)
    }

    func testAVersionDoesNotKeepItsRealmOpen() throws {
        let version = try withRealm { realm in
            try add(realm, 1)
            return realm.version
        }
        try waitUntilClosed()
        try withRealm { realm in
            XCTAssertEqual(realm.version, version)
            try add(realm, 2)
            XCTAssertEqual(try realm.changes(since: version).all.map(\.primaryKey), [.int(2)])
        }
        try waitUntilClosed()
        XCTAssertTrue(try Realm.deleteFiles(for: configuration))
    }

    func testVersionsOfOtherRealmsAndOfTheFutureAreRefused() throws {
        let realm = try Realm(configuration: memory)
        let other = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: name + " 2"))
        XCTAssertThrowsError(try realm.changes(since: other.version)) {
            XCTAssertEqual($0 as? Realm.HistoryError, .otherData)
        }
        let future = Realm.Version(lineage: realm.version.lineage, number: realm.version.number + 1)
        XCTAssertThrowsError(try realm.changes(since: future)) {
            XCTAssertEqual($0 as? Realm.HistoryError, .missing(newest: realm.version))
        }
        XCTAssertNil(realm.at(other.version))
    }

    /// Returns a version without what it retains.
    private func stored(_ version: Realm.Version) -> Realm.Version {
        Realm.Version(lineage: version.lineage, number: version.number)
    }

    func testTheFileTellsChangesSinceAnyVersion() throws {
        for round in TestEffort.rounds(12) {
            try checkFile(RandomSource("history of files \(round)"))
            try waitUntilClosed()
            try Realm.deleteFiles(for: configuration)
        }
    }

    private func checkFile(_ source: RandomSource) throws {
        var versions: [(version: Realm.Version, contents: HistoryContents)] = []
        var random = source
        for _ in 0..<3 {
            // Each closing makes a checkpoint, so that the file has several.
            try withRealm { realm in
                var edits = HistoryEdits(random: random, realm: realm)
                for _ in 0..<4 {
                    versions.append((stored(realm.version), HistoryContents(realm)))
                    try realm.write(label: "\(versions.count)") { edits.edit(edits.random.below(12)) }
                }
                random = edits.random
            }
            try waitUntilClosed()
        }
        try withRealm { realm in
            let last = HistoryContents(realm)
            for (version, contents) in versions {
                let changes = try realm.changes(since: version)
                var reached = contents
                reached.apply(changes)
                XCTAssertEqual(reached, last)
            }
        }
    }

    func testCompactionKeepsVersionsAndEndsTheHistoryBefore() throws {
        let (first, second) = try withRealm { realm in
            let first = stored(realm.version)
            for id in 0..<10 { try add(realm, id) }
            return (first, stored(realm.version))
        }
        try waitUntilClosed()
        var compacting = configuration
        compacting.shouldCompactOnLaunch = { _, _ in true }
        try withRealm(compacting) { realm in
            XCTAssertEqual(realm.version, second)
            try add(realm, 10)
            XCTAssertEqual(try realm.changes(since: second).count, 1)
            XCTAssertThrowsError(try realm.changes(since: first)) {
                XCTAssertEqual($0 as? Realm.HistoryError, .removed(oldest: second))
            }
        }
    }

    func testOtherProcessesHaveTheSameVersions() throws {
        let (here, there) = (
            try Realm(configuration: configuration), try Realm(configuration: process("other"))
        )
        let before = stored(here.version)
        try add(here, 1)
        there.refresh()
        XCTAssertEqual(there.version, here.version)
        try add(there, 2)
        let after = there.version
        XCTAssertLessThan(here.version, after)
        // This instance has not advanced yet.
        XCTAssertTrue(try here.changes(since: after).isEmpty)
        here.refresh()
        XCTAssertEqual(here.version, after)
        XCTAssertEqual(try here.changes(since: before).count, 2)
        XCTAssertEqual(try there.changes(since: before), try here.changes(since: before))
    }

    func testAWriteThatBecomesDurableLaterIsInTheNextChanges() throws {
        let realm = try Realm(configuration: configuration)
        let before = realm.version
        let done = expectation(description: "durable")
        realm.writeAsync {
            realm.create(HistoryDog.self, value: ["id": 1])
            realm.create(HistoryDog.self, value: ["id": 2])
        } onComplete: { _ in
            done.fulfill()
        }
        wait(for: [done], timeout: 60)
        XCTAssertEqual(try realm.changes(since: before).count, 2)
        XCTAssertEqual(try realm.changes(since: stored(before)).count, 2)
        XCTAssertTrue(try realm.changes(since: realm.version).isEmpty)
    }

    func testAMigrationEndsTheHistoryBefore() throws {
        let before = try withRealm { realm in
            try add(realm, 1)
            return stored(realm.version)
        }
        try waitUntilClosed()
        var migrated = configuration
        migrated.schemaVersion = 1
        migrated.migrationBlock = { migration, _ in
            migration.enumerateObjects(ofType: "HistoryDog") { _, new in new?["name"] = "migrated" }
        }
        try withRealm(migrated) { realm in
            XCTAssertThrowsError(try realm.changes(since: before)) { error in
                guard case .migrated(let version)? = error as? Realm.HistoryError else {
                    return XCTFail("\(error)")
                }
                XCTAssertEqual(try? realm.changes(since: version).count, 0)
            }
        }
    }
}
