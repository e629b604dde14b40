import Kivo
import XCTest

/// Notifications of observers of key paths over linking objects, when other objects begin and cease to refer.
final class ReferrerTests: RealmTestCase {
    /// Two people of whom the first holds a dog, and the calls of an observer of the dog.
    private func observed(
        _ keyPaths: [String], _ realm: Realm
    ) throws -> (ann: Person, bob: Person, dog: Dog, told: () -> [String], token: NotificationToken) {
        let (ann, bob, dog) = (Person(value: ["name": "Ann"]), Person(value: ["name": "Bob"]), Dog())
        ann.dogs.append(dog)
        try realm.write { realm.add([ann, bob]) }
        var told: [String] = []
        let token = dog.observe(keyPaths: keyPaths) { (change: ObjectChange<Dog>) in
            if case .change(_, let properties) = change { told += properties.map(\.name) }
        }
        return (
            ann, bob, dog,
            {
                realm.refresh()
                defer { told = [] }
                return told
            }, token
        )
    }

    func testEveryWayToLeaveAndToCome() throws {
        for keyPath in ["holders", "holders.name"] {
            let realm = try openRealm()
            let (ann, bob, dog, told, token) = try observed([keyPath], realm)
            try realm.write { ann.dogs.removeAll() }
            XCTAssertEqual(told(), ["holders"], "\(keyPath): it is taken from the list")
            try realm.write { bob.dogs.append(dog) }
            XCTAssertEqual(told(), ["holders"], "\(keyPath): another one has it")
            try realm.write { realm.add(Person(value: ["dogs": [dog]])) }
            XCTAssertEqual(told(), ["holders"], "\(keyPath): a new one has it")
            try realm.write { realm.delete(bob) }
            XCTAssertEqual(told(), ["holders"], "\(keyPath): one of them is deleted")
            try realm.write { ann.dogs.append(Dog()) }
            XCTAssertEqual(told(), [], "\(keyPath): another dog has nothing to do with it")
            token.invalidate()
            try realm.write { realm.deleteAll() }
        }
    }

    /// As in the recorded engine: the list that holds the dog is another one now.
    func testEditsOfAReferrersList() throws {
        for (keyPath, expected) in [("holders", ["holders"]), ("holders.name", [])] {
            let realm = try openRealm()
            let (ann, _, _, told, token) = try observed([keyPath], realm)
            try realm.write { ann.dogs.append(Dog()) }
            XCTAssertEqual(told(), expected, keyPath)
            token.invalidate()
            try realm.write { realm.deleteAll() }
        }
    }

    func testOtherProperties() throws {
        let realm = try openRealm()
        let (ann, _, _, told, token) = try observed(["name", "holders"], realm)
        try realm.write { ann.name = "Anna" }
        XCTAssertEqual(told(), [], "the path ends before the name")
        try realm.write { ann.dogs.removeAll() }
        XCTAssertEqual(told(), ["holders"])
        token.invalidate()
    }

    func testPathsThatLeadToLinkingObjectsOverALink() throws {
        let realm = try openRealm()
        let (ann, bob) = (Person(value: ["name": "Ann"]), Person(value: ["name": "Bob"]))
        ann.favourite = Dog()
        bob.dogs.append(ann.favourite!)
        try realm.write { realm.add([ann, bob]) }
        var calls = 0
        let token = ann.observe(keyPaths: [\Person.favourite?.holders]) { (_: ObjectChange<Person>) in
            calls += 1
        }
        try realm.write { bob.dogs.removeAll() }
        realm.refresh()
        XCTAssertEqual(calls, 1)
        token.invalidate()
    }

    func testCollectionsAndProjections() throws {
        let realm = try openRealm()
        let (ann, _, dog, told, token) = try observed(["age"], realm)
        var changes: [String] = []
        let projection = OwnedDogName(projecting: dog)
        let tokens = [
            realm.objects(Dog.self).observe(keyPaths: ["holders"]) {
                changes.append("dogs " + self.text($0))
            },
            realm.objects(Dog.self).where { $0.age == 0 }.observe(keyPaths: ["holders.name"]) {
                changes.append("some " + self.text($0))
            },
            projection.observe { (change: ObjectChange<OwnedDogName>) in
                if case .change(_, let properties) = change { changes += properties.map(\.name) }
            },
        ]
        realm.refresh()
        changes = []
        try realm.write { ann.dogs.removeAll() }
        XCTAssertEqual(told(), [])
        XCTAssertEqual(changes.sorted(), ["dogs -[] +[] ~[0]", "holderCount", "some -[] +[] ~[0]"])
        XCTAssertEqual(projection.holderCount, 0)
        token.invalidate()
        for token in tokens { token.invalidate() }
    }
}
