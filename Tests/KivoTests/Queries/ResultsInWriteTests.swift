import Kivo
import XCTest

/// Results that are read again and again while a write changes them.
final class ResultsInWriteTests: RealmTestCase {
    private func fill(_ realm: Realm, _ count: Int) throws {
        try realm.write {
            for age in 0..<count { realm.create(Dog.self, value: ["name": "d\(age)", "age": age % 10]) }
        }
    }

    func testWhatIsTakenFromTheFrontIsTakenInOrder() throws {
        let realm = try openRealm()
        try fill(realm, 50)
        let dogs = realm.objects(Dog.self).where { $0.age >= 5 }
        var taken: [String] = []
        try realm.write {
            while let dog = dogs.first {
                taken.append(dog.name)
                realm.delete(dog)
            }
            XCTAssertTrue(dogs.isEmpty)
            XCTAssertNil(dogs.last)
        }
        XCTAssertEqual(taken, (0..<50).filter { $0 % 10 >= 5 }.map { "d\($0)" })
        XCTAssertEqual(realm.objects(Dog.self).count, 25)
    }

    func testWhatLeavesByAnAssignmentIsTakenInOrder() throws {
        let realm = try openRealm()
        try fill(realm, 40)
        let dogs = realm.objects(Dog.self).where { $0.age > 7 }.sorted(byKeyPath: "age", ascending: false)
        var taken: [String] = []
        try realm.write {
            while !dogs.isEmpty {
                let dog = dogs[0]
                taken.append(dog.name)
                dog.age = 0
            }
        }
        XCTAssertEqual(taken, ["d9", "d19", "d29", "d39", "d8", "d18", "d28", "d38"])
    }

    /// While results follow a write, stores are noted; before and behind, and by accessors that were there before, all are
    /// seen.
    func testStoresByAccessorsThatAreHeldAreSeen() throws {
        let realm = try openRealm()
        try fill(realm, 30)
        let dogs = realm.objects(Dog.self).where { $0.age == 3 }
        let held = Array(realm.objects(Dog.self))
        try realm.write {
            for round in 0..<3 {
                for (index, dog) in held.enumerated() {
                    dog.age = index % 2 == round % 2 ? 3 : 4
                    let expected = held.filter { $0.age == 3 }.map(\.name)
                    XCTAssertEqual(dogs.count, expected.count)
                    XCTAssertEqual(dogs.first?.name, expected.first)
                    XCTAssertEqual(dogs.last?.name, expected.last)
                }
                // While the results are not read, the noting of edits ends.
                for number in 0..<20_000 { held[0].age = number }
                XCTAssertEqual(Array(dogs.map(\.name)), held.filter { $0.age == 3 }.map(\.name))
            }
        }
        XCTAssertEqual(Array(dogs.map(\.name)), held.filter { $0.age == 3 }.map(\.name))
    }

    func testElementsOfAListAreTakenFromBothEnds() throws {
        let realm = try openRealm()
        try fill(realm, 40)
        let person = try realm.write { realm.create(Person.self) }
        try realm.write { person.dogs.append(objectsIn: realm.objects(Dog.self).sorted(byKeyPath: "age")) }
        let dogs = person.dogs.where { $0.age != 5 }
        var names = Array(dogs.map(\.name))
        try realm.write {
            while let first = dogs.first, let last = dogs.last {
                XCTAssertEqual(first.name, names.removeFirst())
                realm.delete(first)
                guard !last.isInvalidated else { break }
                XCTAssertEqual(last.name, names.removeLast())
                realm.delete(last)
                XCTAssertEqual(dogs.count, names.count)
                // An insertion is not followed, but seen.
                if names.count == 10 {
                    let dog = realm.create(Dog.self, value: ["name": "new"])
                    person.dogs.insert(dog, at: 0)
                    names.insert("new", at: 0)
                }
            }
        }
        XCTAssertEqual(names, [])
        XCTAssertEqual(Array(person.dogs.map(\.age)), [5, 5, 5, 5])
    }

    func testAWriteThatIsGivenUpLeavesTheResultsAsTheyWere() throws {
        let realm = try openRealm()
        try fill(realm, 20)
        let dogs = realm.objects(Dog.self).where { $0.age < 5 }
        let names = Array(dogs.map(\.name))
        for _ in 0..<2 {
            realm.beginWrite()
            while let dog = dogs.last { realm.delete(dog) }
            realm.cancelWrite()
            XCTAssertEqual(dogs.first?.name, names.first)
            XCTAssertEqual(Array(dogs.map(\.name)), names)
        }
    }

    /// An object that is being filled is looked at by an observer of another one before its last properties are stored.
    func testAnObjectThatIsReadWhileItIsCreatedIsSeenWhole() throws {
        let realm = try openRealm()
        let favourite = try realm.write { realm.create(Keeper.self, value: ["id": 1]) }
        let keepers = realm.objects(Keeper.self).where { $0.zeal > 0 }
        var counts: [Int] = []
        let observation = favourite.observe(\.name) { _, _ in counts.append(keepers.count) }
        try realm.write {
            for id in 2..<12 {
                let nested: [String: Any] = ["id": 1, "name": "n\(id)"]
                realm.create(
                    Keeper.self, value: ["id": id, "friend": nested, "zeal": id] as [String: Any],
                    update: .all)
                XCTAssertEqual(keepers.count, id - 1)
            }
        }
        XCTAssertEqual(counts.count, 10)
        observation.invalidate()
    }
}

/// A class whose objects can be updated while one that refers to them is created.
final class Keeper: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var friend: Keeper?
    @Persisted var name = ""
    @Persisted var zeal = 0
}
