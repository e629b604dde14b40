import Foundation
import Kivo
import XCTest

class Animal: Object {
    @Persisted var name = "nameless"
    @Persisted var legs = 4
}

class Bird: Animal {
    @Persisted var wingspan = 0.5
    var notPersisted = "plain"
}

class Parrot: Bird {
    @Persisted var words: List<String>
    @Persisted var mate: Parrot?
}

class Quiet: Object {
    @Persisted var name = ""
    override var description: String { "(\(name))" }
}

final class ObjectTests: RealmTestCase {
    // MARK: Making objects

    func testValuesFromDictionariesArraysAndObjects() {
        let person = Person(value: [
            "name": "Ann", "dogs": [["name": "Rex", "age": 3], ["Max", 4], Dog(value: ["name": "Roy"])],
            "favourite": ["name": "Bo"], "friend": ["name": "Bob", "friend": ["name": "Cid"]],
        ])
        XCTAssertEqual(person.name, "Ann")
        XCTAssertEqual(person.dogs.map(\.name), ["Rex", "Max", "Roy"])
        XCTAssertEqual(person.dogs.map(\.age), [3, 4, 0])
        XCTAssertEqual(person.favourite?.name, "Bo")
        XCTAssertEqual(person.friend?.friend?.name, "Cid")
        let copy = Person(value: person)
        XCTAssertEqual(copy.name, "Ann")
        XCTAssertTrue(copy.favourite === person.favourite, "a copy of an object has its links")
        copy.dogs.removeAll()
        XCTAssertEqual(person.dogs.count, 3, "and collections of its own")
    }

    func testValuesOfManagedObjects() throws {
        let realm = try openRealm()
        let person = Person(value: ["name": "Ann", "dogs": [["Rex"]]])
        try realm.write { realm.add(person) }
        let copy = Person(value: person)
        XCTAssertNil(copy.realm)
        XCTAssertEqual(copy.name, "Ann")
        XCTAssertEqual(copy.dogs.count, 1)
        try realm.write {
            let created = realm.create(Person.self, value: person)
            XCTAssertEqual(created.dogs.first?.isSameObject(as: person.dogs[0]), true)
        }
        XCTAssertEqual(realm.objects(Person.self).count, 2)
        XCTAssertEqual(realm.objects(Dog.self).count, 1)
    }

    func testCreatingWithNestedValues() throws {
        let realm = try openRealm()
        let person = try realm.write {
            realm.create(
                Person.self,
                value: ["name": "Ann", "dogs": [["Rex", 1], ["name": "Max"]], "friend": ["name": "Bob"]])
        }
        XCTAssertEqual(person.realm, realm)
        XCTAssertEqual(person.dogs.map(\.name), ["Rex", "Max"])
        XCTAssertEqual(realm.objects(Dog.self).count, 2)
        XCTAssertEqual(person.friend?.name, "Bob")
        let defaults = try realm.write { realm.create(Parrot.self) }
        XCTAssertEqual(defaults.name, "nameless")
        XCTAssertEqual(defaults.wingspan, 0.5)
    }

    func testSubclassesOfSubclasses() throws {
        let realm = try openRealm()
        let parrot = Parrot(value: ["name": "Polly", "legs": 2, "wingspan": 1.5, "words": ["hello"]])
        parrot.mate = Parrot(value: ["name": "Jack"])
        parrot.notPersisted = "kept"
        try realm.write {
            realm.add(parrot)
            realm.add(Animal(value: ["name": "cat"]))
            realm.add(Bird(value: ["name": "owl"]))
        }
        XCTAssertEqual(realm.objects(Animal.self).map(\.name), ["cat"], "each class has its own objects")
        XCTAssertEqual(realm.objects(Bird.self).map(\.name), ["owl"])
        let found = try XCTUnwrap(realm.objects(Parrot.self).where { $0.legs == 2 }.first)
        XCTAssertEqual(found.wingspan, 1.5)
        XCTAssertEqual(Array(found.words), ["hello"])
        XCTAssertEqual(found.mate?.name, "Jack")
        XCTAssertEqual(parrot.notPersisted, "kept")
        XCTAssertEqual(found.notPersisted, "plain")
    }

    // MARK: Identity

    func testEqualityWithoutAPrimaryKeyIsByInstance() throws {
        let realm = try openRealm()
        let (dog, other) = (Dog(), Dog())
        XCTAssertEqual(dog, dog)
        XCTAssertNotEqual(dog, other)
        try realm.write { realm.add(dog) }
        let same = realm.objects(Dog.self)[0]
        XCTAssertNotEqual(dog, same)
        XCTAssertEqual(dog.freeze(), same.freeze())
        XCTAssertEqual(Set([dog.freeze(), same.freeze()]).count, 1)
        XCTAssertEqual(Set([dog, same]).count, 2)
    }

    func testSameObject() throws {
        let realm = try openRealm()
        let (dog, other) = (Dog(), Dog())
        XCTAssertTrue(dog.isSameObject(as: dog))
        XCTAssertFalse(dog.isSameObject(as: other))
        XCTAssertFalse(dog.isSameObject(as: nil))
        try realm.write { realm.add([dog, other]) }
        XCTAssertTrue(dog.isSameObject(as: realm.objects(Dog.self)[0]))
        XCTAssertFalse(dog.isSameObject(as: realm.objects(Dog.self)[1]))
        XCTAssertFalse(dog.isSameObject(as: dog.freeze()))
    }

    func testInvalidation() throws {
        let realm = try openRealm()
        let dog = Dog()
        XCTAssertFalse(dog.isInvalidated)
        XCTAssertNil(dog.realm)
        try realm.write { realm.add(dog) }
        XCTAssertFalse(dog.isInvalidated)
        XCTAssertEqual(dog.realm, realm)
        try realm.write { realm.delete(dog) }
        XCTAssertTrue(dog.isInvalidated)
    }

    // MARK: Dynamic access

    func testSubscripts() throws {
        let realm = try openRealm()
        let unmanaged = Person()
        let managed = Person()
        realm.beginWrite()
        realm.add(managed)
        for person in [unmanaged, managed] {
            person["name"] = "Ann"
            person["favourite"] = Dog(value: ["name": "Rex"])
            person["dogs"] = [["name": "Max"], ["name": "Bo"]]
            XCTAssertEqual(person["name"] as? String, "Ann")
            XCTAssertEqual((person["favourite"] as? Dog)?.name, "Rex")
            XCTAssertEqual((person["dogs"] as? List<Dog>)?.map(\.name), ["Max", "Bo"])
            XCTAssertEqual(person.dogs.map(\.name), ["Max", "Bo"])
            person["favourite"] = nil
            XCTAssertNil(person["favourite"])
            XCTAssertNil(person.favourite)
            XCTAssertEqual(person["isInvalidated"] as? Bool, false)
        }
        realm.cancelWrite()
    }

    // MARK: Descriptions

    func testDescriptionsCanBeOverridden() {
        XCTAssertEqual("\(Quiet(value: ["name": "hush"]))", "(hush)")
    }
}
