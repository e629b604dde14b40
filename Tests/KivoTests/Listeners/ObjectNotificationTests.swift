import Foundation
import Kivo
import XCTest

/// Notifications of one object.
final class ObjectNotificationTests: RealmTestCase {
    private var token: NotificationToken?

    override func tearDown() {
        token = nil
        super.tearDown()
    }

    private func observe<T: Object>(_ object: T, _ keyPaths: [String]? = nil) -> Box<[String]> {
        let told = Box<[String]>([])
        token = object.observe(keyPaths: keyPaths) { (change: ObjectChange<T>) in
            switch change {
            case .change(let observed, let properties):
                XCTAssertTrue(observed.isSameObject(as: object))
                told.value.append(
                    properties.map { "\($0.name) \(self.text($0.oldValue)) \(self.text($0.newValue))" }
                        .joined(separator: ", "))
            case .deleted: told.value.append("deleted")
            case .error(let error): told.value.append("\(error)")
            }
        }
        return told
    }

    private func text(_ value: Any?) -> String {
        if let dog = value as? Dog { return dog.name }
        return value.map { "\($0)" } ?? "nil"
    }

    func testLocalChangesCarryNoOldValues() throws {
        let realm = try openRealm()
        let dog = Dog(value: ["name": "Rex", "age": 1])
        try realm.write { realm.add(dog) }
        let told = observe(dog)
        realm.refresh()
        XCTAssertEqual(told.value, [], "there is no first call")
        try realm.write { dog.age = 2 }
        realm.refresh()
        XCTAssertEqual(told.value, ["age nil 2"])
    }

    func testForeignChangesCarryTheFirstOldAndTheLastNewValueInOrderOfDeclaration() throws {
        let realm = try openRealm()
        let dog = Dog(value: ["name": "Rex", "age": 1])
        try realm.write { realm.add(dog) }
        let told = observe(dog)
        try realm.write {}
        try elsewhere { realm in
            let dog = realm.objects(Dog.self)[0]
            try realm.write { dog.age = 2 }
            try realm.write {
                dog.age = 3
                dog.name = "Max"
            }
        }
        realm.refresh()
        XCTAssertEqual(told.value, ["name Rex Max, age 1 3"])
    }

    func testAnEqualValueIsAChange() throws {
        let realm = try openRealm()
        let dog = Dog(value: ["age": 1])
        try realm.write { realm.add(dog) }
        let told = observe(dog)
        try realm.write { dog.age = 1 }
        realm.refresh()
        XCTAssertEqual(told.value, ["age nil 1"])
    }

    func testLinksAndListsAreShallow() throws {
        let realm = try openRealm()
        let person = Person(value: ["dogs": [["name": "Rex"]], "favourite": ["name": "Max"]])
        try realm.write { realm.add(person) }
        let told = observe(person)
        try realm.write {}
        try realm.write {
            person.favourite?.name = "Moritz"
            person.dogs[0].name = "Roy"
        }
        realm.refresh()
        XCTAssertEqual(told.value, [])
        try writeElsewhere { realm in
            let person = realm.objects(Person.self)[0]
            person.dogs.append(Dog(value: ["name": "Bo"]))
            person.favourite = person.dogs[0]
        }
        realm.refresh()
        XCTAssertEqual(told.value, ["dogs nil nil, favourite Moritz Roy"])
    }

    func testDeletionIsTheLastCall() throws {
        let realm = try openRealm()
        let dog = Dog()
        try realm.write { realm.add(dog) }
        let told = observe(dog)
        try realm.write {
            dog.age = 7
            realm.delete(dog)
        }
        realm.refresh()
        try realm.write { realm.add(Dog()) }
        realm.refresh()
        XCTAssertEqual(told.value, ["deleted"])
    }

    func testDeletingTheTargetOfALinkIsAChange() throws {
        let realm = try openRealm()
        let person = Person(value: ["favourite": ["name": "Max"], "dogs": [["name": "Rex"]]])
        try realm.write { realm.add(person) }
        let told = observe(person)
        try realm.write {}
        try writeElsewhere { $0.delete($0.objects(Dog.self)) }
        realm.refresh()
        XCTAssertEqual(told.value.count, 1)
        XCTAssertTrue(told.value.first?.contains("favourite nil nil") ?? false, "\(told.value)")
        XCTAssertTrue(told.value.first?.contains("dogs nil nil") ?? false, "\(told.value)")
    }

    // MARK: Key paths

    /// Which of five changes an observer of key paths hears of.
    private func heard(_ keyPaths: [String]?) throws -> [String] {
        let realm = try openRealm()
        defer { realm.invalidate() }
        let person = Person(value: ["name": "Ann", "dogs": [["name": "Rex"]], "favourite": ["name": "Max"]])
        try realm.write {
            realm.deleteAll()
            realm.add(person)
        }
        let told = observe(person, keyPaths)
        realm.refresh()
        let edits: [(String, () -> Void)] = [
            ("name", { person.name = "Bob" }),
            ("favourite.name", { person.favourite?.name = "Moritz" }),
            ("favourite.age", { person.favourite?.age = 3 }),
            ("favourite", { person.favourite = Dog(value: ["name": "Roy"]) }),
            ("dogs.name", { person.dogs[0].name = "Bo" }),
            ("dogs.age", { person.dogs[0].age = 4 }),
            ("dogs", { person.dogs.append(Dog()) }),
        ]
        var heard: [String] = []
        for (name, edit) in edits {
            try realm.write(edit)
            realm.refresh()
            if !told.value.isEmpty { heard.append(name) }
            let reported = Set(told.value.map { $0.split(separator: " ")[0] })
            XCTAssertTrue(
                reported.isEmpty || reported == [name.split(separator: ".")[0]], "\(name): \(reported)")
            told.value = []
        }
        token = nil
        return heard
    }

    func testKeyPathFilters() throws {
        XCTAssertEqual(try heard(nil), ["name", "favourite", "dogs"])
        XCTAssertEqual(try heard([]), ["name", "favourite", "dogs"])
        XCTAssertEqual(try heard(["name"]), ["name"])
        XCTAssertEqual(try heard(["favourite"]), ["favourite"])
        XCTAssertEqual(try heard(["favourite.name"]), ["favourite.name", "favourite"])
        XCTAssertEqual(try heard(["dogs"]), ["dogs"])
        XCTAssertEqual(try heard(["dogs.age"]), ["dogs.age", "dogs"])
        XCTAssertEqual(try heard(["name", "favourite.age"]), ["name", "favourite.age", "favourite"])
        XCTAssertEqual(
            try heard(["favourite.name", "dogs.name"]), ["favourite.name", "favourite", "dogs.name", "dogs"])
    }

    func testTypedKeyPaths() throws {
        let realm = try openRealm()
        let person = Person(value: ["dogs": [["name": "Rex"]], "favourite": ["name": "Max"]])
        try realm.write { realm.add(person) }
        var calls: [[String]] = []
        token = person.observe(keyPaths: [\Person.favourite?.name, \Person.dogs[0].age]) {
            (change: ObjectChange<Person>) in
            if case .change(_, let properties) = change { calls.append(properties.map(\.name)) }
        }
        let edits: [() -> Void] = [
            { person.favourite?.name = "Moritz" }, { person.favourite?.age = 1 },
            { person.dogs[0].age = 2 }, { person.dogs[0].name = "Roy" }, { person.name = "Ann" },
        ]
        for edit in edits {
            try realm.write(edit)
            realm.refresh()
        }
        XCTAssertEqual(calls, [["favourite"], ["dogs"]])
    }

    func testKeyPathsOverBacklinks() throws {
        let realm = try openRealm()
        let person = Person(value: ["name": "Ann"])
        let dog = Dog(value: ["name": "Rex"])
        try realm.write { realm.add([person, Person(value: ["name": "Bob"])]) }
        try realm.write { realm.add(dog) }
        let told = observe(dog, ["holders.name"])
        realm.refresh()
        try realm.write { person.dogs.append(dog) }
        realm.refresh()
        XCTAssertEqual(told.value.count, 1, "somebody who was there before holds it now")
        try realm.write { person.name = "Cid" }
        realm.refresh()
        XCTAssertEqual(told.value.count, 2, "a holder's name changed")
        try realm.write { realm.objects(Person.self)[1].name = "Dan" }
        realm.refresh()
        XCTAssertEqual(told.value.count, 2, "somebody else's name changed")
        try realm.write { person.friend = Person() }
        realm.refresh()
        XCTAssertEqual(told.value.count, 2, "another property of a holder changed")
        try realm.write { person.dogs.removeAll() }
        realm.refresh()
        XCTAssertEqual(told.value.count, 3, "a holder has left")
        try realm.write { person.name = "Eve" }
        realm.refresh()
        XCTAssertEqual(told.value.count, 3, "a former holder's name changed")
    }

    func testKeyPathsReachAnyDepth() throws {
        let realm = try openRealm()
        let people = (0..<6).map { Person(value: ["name": "\($0)"]) }
        for (person, friend) in zip(people, people.dropFirst()) { person.friend = friend }
        try realm.write { realm.add(people[0]) }
        let told = observe(people[0], ["friend.friend.friend.friend.friend.name"])
        realm.refresh()
        try realm.write { people[5].name = "six" }
        realm.refresh()
        XCTAssertEqual(told.value.count, 1)
        try realm.write { people[4].name = "five" }
        realm.refresh()
        XCTAssertEqual(told.value.count, 1)
        try realm.write { people[2].friend = nil }
        realm.refresh()
        XCTAssertEqual(told.value.count, 2)
    }

    /// A listener without key paths is told of the object's own properties, in which nothing changes with what they contain.
    func testWhatIsInsideOfEmbeddedObjects() throws {
        let realm = try openRealm()
        let cart = try realm.write {
            realm.create(Cart.self, value: ["spare": ["size": 1], "wheels": [["size": 2]]])
        }
        let own = observe(cart)
        var deep: [[String]] = []
        let deepToken = cart.observe(keyPaths: ["spare.size", "wheels.size"]) {
            (change: ObjectChange<Cart>) in
            if case .change(_, let properties) = change { deep.append(properties.map(\.name)) }
        }
        try realm.write { cart.spare?.size = 3 }
        realm.refresh()
        try realm.write { cart.wheels[0].size = 4 }
        realm.refresh()
        XCTAssertEqual(own.value, [])
        XCTAssertEqual(deep, [["spare"], ["wheels"]])
        try realm.write { cart.spare = nil }
        realm.refresh()
        XCTAssertEqual(own.value.count, 1)
        XCTAssertEqual(deep, [["spare"], ["wheels"], ["spare"]])
        deepToken.invalidate()
    }

    func testObservingAsAnObjectOfTheBaseClass() throws {
        let realm = try openRealm()
        let dog = Dog()
        try realm.write { realm.add(dog) }
        var names: [String] = []
        token = dog.observe { (change: ObjectChange<ObjectBase>) in
            if case .change(let object, _) = change { names.append("\(type(of: object))") }
        }
        try realm.write { dog.age = 1 }
        realm.refresh()
        XCTAssertEqual(names, ["Dog"])
    }
}
