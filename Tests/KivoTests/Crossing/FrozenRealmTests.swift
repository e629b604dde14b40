import Foundation
import Kivo
import XCTest

/// Frozen values keep the state of one version.
final class FrozenRealmTests: RealmTestCase {
    func testFrozenObjectsKeepTheirState() throws {
        let realm = try openRealm()
        let person = Person(value: ["name": "Ann", "dogs": [["name": "Rex"]], "favourite": ["name": "Max"]])
        try realm.write { realm.add(person) }
        let frozen = person.freeze()
        XCTAssertTrue(frozen.isFrozen)
        XCTAssertFalse(person.isFrozen)
        XCTAssertTrue(frozen.freeze() === frozen)
        try realm.write {
            person.name = "Bob"
            person.dogs[0].name = "Roy"
            realm.delete(person.favourite!)
        }
        XCTAssertEqual(frozen.name, "Ann")
        XCTAssertEqual(frozen.dogs.map(\.name), ["Rex"])
        XCTAssertEqual(frozen.favourite?.name, "Max")
        XCTAssertEqual(frozen.thaw()?.name, "Bob")
        try realm.write { realm.delete(person) }
        XCTAssertEqual(frozen.name, "Ann")
        XCTAssertFalse(frozen.isInvalidated)
        XCTAssertNil(frozen.thaw())
        XCTAssertEqual(frozen.dogs[0].holders.map(\.name), ["Ann"])
    }

    func testFreezingInsideOfAWriteShowsTheStateBefore() throws {
        let realm = try openRealm()
        let dog = Dog(value: ["age": 1])
        try realm.write { realm.add(dog) }
        try realm.write {
            dog.age = 2
            XCTAssertEqual(dog.freeze().age, 1)
            XCTAssertEqual(realm.freeze().objects(Dog.self).first?.age, 1)
        }
        XCTAssertEqual(dog.freeze().age, 2)
    }

    func testThawingOnAThreadThatIsBehindOrAhead() throws {
        let realm = try openRealm()
        XCTAssertTrue(realm.isEmpty)
        let frozen = Box<Dog?>(nil)
        let configuration = configuration
        let queue = DispatchQueue(label: "queue")
        nonisolatedSync(queue) {
            let there = try Realm(configuration: configuration, queue: queue)
            try there.write { there.add(Dog(value: ["age": 1])) }
        }
        realm.autorefresh = false
        XCTAssertEqual(realm.objects(Dog.self).count, 0)
        realm.refresh()
        frozen.value = realm.objects(Dog.self).first?.freeze()
        XCTAssertEqual(frozen.value?.age, 1)
        try writeElsewhere { $0.objects(Dog.self)[0].age = 2 }
        XCTAssertEqual(frozen.value?.thaw()?.age, 1, "the live realm is not refreshed yet")
        realm.refresh()
        XCTAssertEqual(frozen.value?.thaw()?.age, 2)
    }

    private func nonisolatedSync(_ queue: DispatchQueue, _ work: @Sendable () throws -> Void) {
        expectSuccess { try queue.sync(execute: work) }
    }

    func testFrozenResults() throws {
        let realm = try openRealm()
        try realm.write { for age in 0..<5 { realm.create(Dog.self, value: ["age": age]) } }
        let frozen = realm.objects(Dog.self).where { $0.age > 1 }.sorted(byKeyPath: "age", ascending: false)
            .freeze()
        try realm.write { realm.deleteAll() }
        XCTAssertTrue(frozen.isFrozen)
        XCTAssertEqual(frozen.map(\.age), [4, 3, 2])
        XCTAssertEqual(frozen[1].age, 3)
        XCTAssertEqual(frozen.where { $0.age < 4 }.map(\.age), [3, 2])
        XCTAssertEqual(frozen.thaw()?.count, 0)
        XCTAssertEqual(realm.freeze().objects(Dog.self).count, 0)
    }
}
