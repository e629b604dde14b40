import Foundation
import Kivo
import XCTest

final class RealmTests: RealmTestCase {
    private struct Refusal: Error {}

    // MARK: Instances

    func testOneInstancePerThread() throws {
        let realm = try openRealm()
        XCTAssertEqual(realm, try openRealm())
        let queue = DispatchQueue(label: "queue")
        let configuration = configuration
        try queue.sync {
            let there = try Realm(configuration: configuration, queue: queue)
            XCTAssertEqual(there, try Realm(configuration: configuration, queue: queue))
        }
        let other = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: name + " other"))
        XCTAssertNotEqual(realm, other)
        try realm.write { realm.add(Dog()) }
        XCTAssertTrue(other.isEmpty)
        try elsewhere { XCTAssertEqual($0.objects(Dog.self).count, 1) }
    }

    func testRealmsInMemoryLiveAsLongAsTheyAreOpen() throws {
        do {
            let realm = try openRealm()
            try realm.write { realm.add(Dog()) }
        }
        XCTAssertTrue(try openRealm().isEmpty)
    }

    func testConfigurations() throws {
        var configuration = Realm.Configuration(inMemoryIdentifier: "a")
        XCTAssertNil(configuration.fileURL)
        configuration.fileURL = URL(fileURLWithPath: "/tmp/a.kivo")
        XCTAssertNil(configuration.inMemoryIdentifier)
        configuration.inMemoryIdentifier = "b"
        XCTAssertNil(configuration.fileURL)
        XCTAssertEqual(configuration, Realm.Configuration(inMemoryIdentifier: "b"))
        XCTAssertTrue(configuration.description.contains("inMemoryIdentifier = b"))
        let old = Realm.Configuration.defaultConfiguration
        defer { Realm.Configuration.defaultConfiguration = old }
        Realm.Configuration.defaultConfiguration = self.configuration
        XCTAssertEqual(try Realm(), try openRealm())
        XCTAssertEqual(try Realm().configuration, self.configuration)
    }

    // MARK: Writing

    func testAWriteCommitsAndGivesItsResult() throws {
        let realm = try openRealm()
        let age = try realm.write { () -> Int in
            XCTAssertTrue(realm.isInWriteTransaction)
            return realm.create(Dog.self, value: ["age": 7]).age
        }
        XCTAssertEqual(age, 7)
        XCTAssertFalse(realm.isInWriteTransaction)
        XCTAssertEqual(realm.objects(Dog.self).count, 1)
    }

    func testAThrowingWriteChangesNothing() throws {
        let realm = try openRealm()
        let dog = Dog(value: ["age": 1])
        try realm.write { realm.add(dog) }
        var created: Dog?
        XCTAssertThrowsError(
            try realm.write {
                dog.age = 2
                created = realm.create(Dog.self)
                throw Refusal()
            }
        ) { XCTAssertTrue($0 is Refusal) }
        XCTAssertFalse(realm.isInWriteTransaction)
        XCTAssertEqual(dog.age, 1)
        XCTAssertEqual(created?.isInvalidated, true)
        XCTAssertEqual(realm.objects(Dog.self).count, 1)
        try realm.write { dog.age = 3 }
        XCTAssertEqual(dog.age, 3)
    }

    func testABlockMayEndItsWriteItself() throws {
        let realm = try openRealm()
        try realm.write {
            realm.add(Dog())
            realm.cancelWrite()
        }
        XCTAssertTrue(realm.isEmpty)
        try realm.write {
            realm.add(Dog())
            try realm.commitWrite()
        }
        XCTAssertEqual(realm.objects(Dog.self).count, 1)
        try realm.write {
            realm.cancelWrite()
            realm.beginWrite()
            realm.add(Dog())
        }
        XCTAssertEqual(realm.objects(Dog.self).count, 2)
    }

    func testCancellingRestoresEverything() throws {
        let realm = try openRealm()
        let person = Person(value: ["name": "Ann", "dogs": [["name": "Rex"], ["name": "Max"]]])
        let chip = Chip(value: ["code": 1, "label": "one"])
        try realm.write { realm.add([person, chip]) }
        let rex = person.dogs[0]
        realm.beginWrite()
        person.name = "Bob"
        person.dogs.removeAll()
        person.favourite = Dog(value: ["name": "new"])
        realm.delete(rex)
        realm.delete(chip)
        realm.create(Chip.self, value: ["code": 2])
        XCTAssertTrue(rex.isInvalidated)
        realm.cancelWrite()
        XCTAssertFalse(rex.isInvalidated, "the deletion was taken back")
        XCTAssertEqual(rex.name, "Rex")
        XCTAssertEqual(person.name, "Ann")
        XCTAssertEqual(person.dogs.map(\.name), ["Rex", "Max"])
        XCTAssertNil(person.favourite)
        XCTAssertEqual(realm.objects(Dog.self).count, 2)
        XCTAssertEqual(realm.object(ofType: Chip.self, forPrimaryKey: 1)?.label, "one")
        XCTAssertNil(realm.object(ofType: Chip.self, forPrimaryKey: 2))
    }

    func testAnObjectOfACancelledWriteIsNeverAnother() throws {
        let realm = try openRealm()
        realm.beginWrite()
        let lost = realm.create(Dog.self, value: ["name": "lost"])
        realm.cancelWrite()
        XCTAssertTrue(lost.isInvalidated)
        try realm.write { realm.create(Dog.self, value: ["name": "found"]) }
        XCTAssertTrue(lost.isInvalidated, "its place is not given to another")
        let deleted = realm.objects(Dog.self)[0]
        try realm.write { realm.delete(deleted) }
        try realm.write { realm.add(Dog()) }
        XCTAssertTrue(deleted.isInvalidated)
    }

    func testAnObjectOfACancelledWriteIsNeverOneOfAnotherThread() throws {
        let realm = try openRealm()
        realm.beginWrite()
        let lost = realm.create(Dog.self)
        realm.cancelWrite()
        try writeElsewhere { $0.add(Dog()) }
        realm.refresh()
        XCTAssertEqual(realm.objects(Dog.self).count, 1)
        XCTAssertTrue(lost.isInvalidated)
    }

    func testAddingWhatIsManagedDoesNothing() throws {
        let realm = try openRealm()
        let dog = Dog()
        try realm.write {
            realm.add(dog)
            realm.add(dog)
            realm.add([dog, dog])
        }
        XCTAssertEqual(realm.objects(Dog.self).count, 1)
    }

    func testDeletingAnObjectTwiceAtOnce() throws {
        let realm = try openRealm()
        let (dog, other) = (Dog(), Dog())
        try realm.write { realm.add([dog, other]) }
        try realm.write { realm.delete([dog, dog, realm.objects(Dog.self)[0]]) }
        XCTAssertTrue(dog.isInvalidated)
        XCTAssertFalse(other.isInvalidated)
        XCTAssertEqual(realm.objects(Dog.self).count, 1)
    }

    func testDeletingManyObjects() throws {
        let realm = try openRealm()
        try realm.write { for age in 0..<1000 { realm.create(Dog.self, value: ["age": age]) } }
        try realm.write { realm.delete(realm.objects(Dog.self).where { $0.age < 900 }) }
        XCTAssertEqual(realm.objects(Dog.self).map(\.age), Array(900..<1000))
        let person = Person(value: ["dogs": Array(realm.objects(Dog.self).prefix(3))])
        try realm.write {
            realm.add(person)
            realm.delete(person.dogs)
        }
        XCTAssertEqual(person.dogs.count, 0)
        XCTAssertEqual(realm.objects(Dog.self).count, 97)
        try realm.write { realm.deleteAll() }
        XCTAssertTrue(realm.isEmpty)
    }

    // MARK: Versions

    func testReadsAreOfOneVersionUntilRefresh() throws {
        let realm = try openRealm()
        let dog = Dog(value: ["age": 1])
        try realm.write { realm.add(dog) }
        XCTAssertFalse(realm.refresh())
        try writeElsewhere { $0.objects(Dog.self)[0].age = 2 }
        XCTAssertEqual(dog.age, 1)
        XCTAssertTrue(realm.refresh())
        XCTAssertEqual(dog.age, 2)
        XCTAssertFalse(realm.refresh())
        try writeElsewhere { $0.delete($0.objects(Dog.self)) }
        XCTAssertFalse(dog.isInvalidated)
        XCTAssertEqual(dog.age, 2)
        realm.beginWrite()
        XCTAssertTrue(dog.isInvalidated)
        realm.cancelWrite()
    }

    func testAutorefresh() throws {
        let realm = try openRealm()
        let dogs = realm.objects(Dog.self)
        XCTAssertTrue(realm.autorefresh)
        XCTAssertEqual(dogs.count, 0)
        try writeElsewhere { $0.add(Dog()) }
        wait("the refresh") { dogs.count == 1 }
        realm.autorefresh = false
        try writeElsewhere { $0.add(Dog()) }
        serveRunLoop()
        XCTAssertEqual(dogs.count, 1)
    }

    func testInvalidateEndsEverything() throws {
        let realm = try openRealm()
        let bag = Bag(value: ["numbers": [1]])
        try realm.write { realm.add(bag) }
        let (list, set, map, results) = (
            bag.numbers, bag.numberSet, bag.counts, bag.dogs.where { $0.age > 1 }
        )
        let bags = realm.objects(Bag.self)
        var calls = 0
        let token = bag.observe { (_: ObjectChange<Bag>) in calls += 1 }
        realm.beginWrite()
        bag.name = "never"
        realm.invalidate()
        XCTAssertFalse(realm.isInWriteTransaction)
        XCTAssertTrue(bag.isInvalidated)
        XCTAssertTrue(list.isInvalidated)
        XCTAssertTrue(set.isInvalidated)
        XCTAssertTrue(map.isInvalidated)
        XCTAssertTrue(results.isInvalidated)
        XCTAssertTrue(bags.isInvalidated)
        XCTAssertFalse(realm.objects(Bag.self).isInvalidated)
        let again = try XCTUnwrap(realm.objects(Bag.self).first)
        XCTAssertEqual(again.name, "")
        XCTAssertEqual(Array(again.numbers), [1])
        XCTAssertTrue(bag.isInvalidated, "for good")
        try realm.write { again.name = "new" }
        realm.refresh()
        XCTAssertEqual(calls, 0)
        token.invalidate()
    }

    func testInvalidatedRealmStartsAtTheNewestVersion() throws {
        let realm = try openRealm()
        XCTAssertTrue(realm.isEmpty)
        try writeElsewhere { $0.add(Dog()) }
        XCTAssertTrue(realm.isEmpty)
        realm.invalidate()
        XCTAssertFalse(realm.isEmpty)
    }
}
