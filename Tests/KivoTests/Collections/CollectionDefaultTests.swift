import Foundation
import Kivo
import XCTest

/// Collections that a class declares with a default: `= List<Dog>()` is an unmanaged list for every new instance.
final class CollectionDefaultTests: RealmTestCase {
    private func addKennel(to realm: Realm) throws {
        let kennel = Kennel()
        kennel.dogs.append(Dog(value: ["name": "Rex"]))
        kennel.numbers.append(objectsIn: [1, 2])
        kennel.wordSet.insert("a")
        kennel.counts["x"] = 1
        try realm.write { realm.add(kennel) }
        assertContents(kennel)
    }

    private func assertContents(_ kennel: Kennel, file: StaticString = #filePath, line: UInt = #line) {
        XCTAssertEqual(kennel.dogs.map(\.name), ["Rex"], file: file, line: line)
        XCTAssertEqual(Array(kennel.numbers), [1, 2], file: file, line: line)
        XCTAssertEqual(Array(kennel.wordSet), ["a"], file: file, line: line)
        XCTAssertEqual(kennel.counts["x"], 1, file: file, line: line)
        XCTAssertNotNil(kennel.dogs.realm, "dogs", file: file, line: line)
        XCTAssertNotNil(kennel.numbers.realm, "numbers", file: file, line: line)
        XCTAssertNotNil(kennel.wordSet.realm, "wordSet", file: file, line: line)
        XCTAssertNotNil(kennel.counts.realm, "counts", file: file, line: line)
    }

    func testAFetchedObjectShowsWhatIsStored() throws {
        let realm = try openRealm()
        try addKennel(to: realm)
        assertContents(try XCTUnwrap(realm.objects(Kennel.self).first))
        for kennel in realm.objects(Kennel.self) { assertContents(kennel) }
        try elsewhere { realm in
            let kennel = try XCTUnwrap(realm.objects(Kennel.self).first)
            XCTAssertEqual(kennel.dogs.map(\.name), ["Rex"])
            XCTAssertEqual(Array(kennel.wordSet), ["a"])
        }
    }

    func testWritesThroughAFetchedObjectLand() throws {
        let realm = try openRealm()
        try addKennel(to: realm)
        let kennel = try XCTUnwrap(realm.objects(Kennel.self).first)
        try realm.write {
            kennel.dogs.append(Dog(value: ["name": "Max"]))
            kennel.numbers[0] = 7
            kennel.wordSet.insert("b")
            kennel.counts["y"] = 2
        }
        try elsewhere { realm in
            let kennel = try XCTUnwrap(realm.objects(Kennel.self).first)
            XCTAssertEqual(kennel.dogs.map(\.name), ["Rex", "Max"])
            XCTAssertEqual(Array(kennel.numbers), [7, 2])
            XCTAssertEqual(Set(kennel.wordSet), ["a", "b"])
            XCTAssertEqual(kennel.counts["y"], 2)
        }
    }

    func testAnUpdatedObjectShowsWhatIsStored() throws {
        let realm = try openRealm()
        try realm.write {
            let stored = realm.create(DefaultBox.self, value: ["id": 1, "numbers": [1, 2]])
            let updated = realm.create(DefaultBox.self, value: ["id": 1, "label": "x"], update: .modified)
            XCTAssertEqual(Array(updated.numbers), [1, 2])
            updated.numbers.append(3)
            XCTAssertEqual(Array(stored.numbers), [1, 2, 3])
        }
    }

    func testObjectsDoNotShareTheDefault() throws {
        let realm = try openRealm()
        let (a, b) = (Kennel(), Kennel())
        a.numbers.append(1)
        XCTAssertTrue(b.numbers.isEmpty)
        try realm.write {
            realm.add([a, b])
            b.numbers.append(2)
        }
        XCTAssertEqual(realm.objects(Kennel.self).map { Array($0.numbers) }, [[1], [2]])
    }

    func testFrozenObjectsAndLinksShowWhatIsStored() throws {
        let realm = try openRealm()
        try addKennel(to: realm)
        let kennel = try XCTUnwrap(realm.objects(Kennel.self).first)
        let street = Street()
        try realm.write {
            realm.add(street)
            street.kennel = kennel
        }
        XCTAssertEqual(kennel.freeze().dogs.map(\.name), ["Rex"])
        let fetched = try XCTUnwrap(realm.objects(Street.self).first?.kennel)
        assertContents(fetched)
    }

    func testObservingAFetchedCollection() throws {
        let realm = try openRealm()
        try addKennel(to: realm)
        let kennel = try XCTUnwrap(realm.objects(Kennel.self).first)
        var told: [String] = []
        let token = kennel.numbers.observe { told.append(self.text($0)) }
        realm.refresh()
        try realm.write { kennel.numbers.append(3) }
        realm.refresh()
        XCTAssertEqual(told, ["initial", "-[] +[2] ~[]"])
        token.invalidate()
    }
}

class Kennel: Object {
    @Persisted var dogs = List<Dog>()
    @Persisted var numbers = List<Int>()
    @Persisted var wordSet = MutableSet<String>()
    @Persisted var counts = Map<String, Int>()
}

class Street: Object {
    @Persisted var kennel: Kennel?
}

class DefaultBox: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var label = ""
    @Persisted var numbers = List<Int>()
}
