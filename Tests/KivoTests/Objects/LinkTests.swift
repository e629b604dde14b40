import Kivo
import XCTest

final class LinkTests: RealmTestCase {
    func testDeletingATargetMakesLinksNil() throws {
        let realm = try openRealm()
        let (ann, bob) = (Person(value: ["name": "Ann"]), Person(value: ["name": "Bob"]))
        let dog = Dog(value: ["name": "Rex"])
        try realm.write {
            realm.add([ann, bob])
            ann.favourite = dog
            bob.favourite = dog
            ann.dogs.append(objectsIn: [dog, Dog(value: ["name": "Max"]), dog])
        }
        try realm.write { realm.delete(dog) }
        XCTAssertNil(ann.favourite)
        XCTAssertNil(bob.favourite)
        XCTAssertEqual(ann.dogs.map(\.name), ["Max"])
    }

    func testLinkingObjects() throws {
        let realm = try openRealm()
        let (ann, bob) = (Person(value: ["name": "Ann"]), Person(value: ["name": "Bob"]))
        let dog = Dog(value: ["name": "Rex"])
        XCTAssertEqual(dog.holders.count, 0)
        try realm.write {
            realm.add([ann, bob])
            ann.dogs.append(dog)
            XCTAssertEqual(dog.holders.map(\.name), ["Ann"])
            bob.dogs.append(objectsIn: [dog, dog])
        }
        XCTAssertEqual(dog.holders.map(\.name).sorted(), ["Ann", "Bob", "Bob"], "once for each reference")
        XCTAssertEqual(dog.holders.where { $0.name == "Ann" }.count, 1)
        XCTAssertEqual(dog.holders.sorted(byKeyPath: "name", ascending: false).first?.name, "Bob")
        XCTAssertNotNil(dog.holders.index(of: ann))
        try realm.write { bob.dogs.remove(at: 0) }
        XCTAssertEqual(dog.holders.count, 2)
        try realm.write { realm.delete(bob) }
        XCTAssertEqual(dog.holders.map(\.name), ["Ann"])
        try realm.write { ann.dogs.removeAll() }
        XCTAssertTrue(dog.holders.isEmpty)
    }

    func testLinkingObjectsOfToOneLinks() throws {
        let realm = try openRealm()
        let ann = Person(value: ["name": "Ann"])
        let dogs = (0..<3).map { Dog(value: ["age": $0]) }
        try realm.write {
            realm.add(dogs)
            for dog in dogs { dog.owner = ann }
        }
        XCTAssertEqual(ann.owned.map(\.age), [0, 1, 2])
        try realm.write { dogs[1].owner = nil }
        XCTAssertEqual(ann.owned.map(\.age).sorted(), [0, 2])
        try realm.write { dogs[1].owner = ann }
        XCTAssertEqual(ann.owned.count, 3)
    }

    func testCyclesAreAddedOnce() throws {
        let realm = try openRealm()
        let (ann, bob) = (Person(value: ["name": "Ann"]), Person(value: ["name": "Bob"]))
        ann.friend = bob
        bob.friend = ann
        let dog = Dog(value: ["name": "Rex"])
        dog.owner = ann
        ann.dogs.append(dog)
        bob.dogs.append(dog)
        try realm.write { realm.add(ann) }
        XCTAssertEqual(realm.objects(Person.self).count, 2)
        XCTAssertEqual(realm.objects(Dog.self).count, 1)
        XCTAssertTrue(ann.friend?.friend?.isSameObject(as: ann) ?? false)
        XCTAssertEqual(ann.befriendedBy.map(\.name), ["Bob"])
        XCTAssertEqual(dog.holders.count, 2)
        try realm.write {
            ann.friend = ann
            realm.delete(bob)
        }
        XCTAssertTrue(ann.befriendedBy.first?.isSameObject(as: ann) ?? false)
        try realm.write { realm.delete(ann) }
        XCTAssertEqual(realm.objects(Dog.self).count, 1)
        XCTAssertNil(dog.owner)
    }

    func testALongChainIsAdded() throws {
        let realm = try openRealm()
        let people = (0..<600).map { Person(value: ["name": "\($0)"]) }
        for (person, friend) in zip(people, people.dropFirst()) { person.friend = friend }
        try realm.write { realm.add(people[0]) }
        XCTAssertEqual(realm.objects(Person.self).count, 600)
        XCTAssertEqual(people[599].befriendedBy.first?.name, "598")
        var (person, steps) = (people[0], 0)
        while let next = person.friend { (person, steps) = (next, steps + 1) }
        XCTAssertEqual(steps, 599)
        XCTAssertEqual(person.name, "599")
    }

    func testAssigningAnUnmanagedObjectAddsIt() throws {
        let realm = try openRealm()
        let ann = Person()
        try realm.write {
            realm.add(ann)
            ann.favourite = Dog(value: ["name": "Rex", "owner": ["name": "Bob"]])
        }
        XCTAssertEqual(realm.objects(Dog.self).count, 1)
        XCTAssertEqual(ann.favourite?.owner?.name, "Bob")
    }
}
