import Foundation
import Kivo
import XCTest

/// Notifications of collections.
final class CollectionNotificationTests: RealmTestCase {
    private var tokens: [NotificationToken] = []

    override func tearDown() {
        tokens = []
        super.tearDown()
    }

    private func observe<C: RealmCollection>(_ collection: C, _ keyPaths: [String]? = nil) -> Box<[String]> {
        let told = Box<[String]>([])
        tokens.append(
            collection.observe(keyPaths: keyPaths, on: nil) { change in
                switch change {
                case .initial(let observed):
                    XCTAssertEqual(observed, collection)
                    told.value.append("initial")
                case .update(let observed, let deletions, let insertions, let modifications):
                    XCTAssertEqual(observed, collection)
                    told.value.append("-\(deletions) +\(insertions) ~\(modifications)")
                case .error(let error): told.value.append("\(error)")
                }
            })
        return told
    }

    private func people(_ count: Int) -> [Person] {
        let people = (0..<count).map { Person(value: ["name": "\($0)"]) }
        for (person, friend) in zip(people, people.dropFirst()) { person.friend = friend }
        return people
    }

    func testModificationsAndDeletionsAreAtOldPositions() throws {
        let realm = try openRealm()
        try realm.write { for age in 0..<5 { realm.create(Dog.self, value: ["age": age]) } }
        let dogs = realm.objects(Dog.self)
        let told = observe(dogs)
        realm.refresh()
        try realm.write {
            dogs[3].name = "changed"
            realm.delete(dogs[1])
            realm.delete(dogs[0])
            realm.add(Dog())
        }
        realm.refresh()
        XCTAssertEqual(told.value, ["initial", "-[0, 1] +[3] ~[3]"])
    }

    func testAnObjectThatCameAndWentIsNoChange() throws {
        let realm = try openRealm()
        let told = observe(realm.objects(Dog.self).where { $0.age > 5 })
        let all = observe(realm.objects(Dog.self))
        realm.refresh()
        try realm.write {
            let dog = realm.create(Dog.self, value: ["age": 7])
            realm.delete(dog)
        }
        realm.refresh()
        try realm.write {}
        realm.refresh()
        XCTAssertEqual(all.value, ["initial"])
        try realm.write { realm.create(Dog.self, value: ["age": 1]).age = 2 }
        realm.refresh()
        XCTAssertEqual(told.value, ["initial"])
    }

    func testFilteredAndSortedResults() throws {
        let realm = try openRealm()
        try realm.write { for age in [1, 5, 3, 8] { realm.create(Dog.self, value: ["age": age]) } }
        let dogs = realm.objects(Dog.self)
        let grown = observe(dogs.where { $0.age >= 4 })
        let sorted = observe(dogs.sorted(byKeyPath: "age"))
        realm.refresh()
        try realm.write { dogs[0].age = 6 }
        realm.refresh()
        XCTAssertEqual(grown.value.last, "-[] +[0] ~[]", "it began to match")
        XCTAssertEqual(sorted.value.last, "-[0] +[2] ~[]", "it moved")
        try realm.write { dogs[1].age = 2 }
        realm.refresh()
        XCTAssertEqual(grown.value.last, "-[1] +[] ~[]", "it no longer matches")
        try realm.write { dogs[3].age = 9 }
        realm.refresh()
        XCTAssertEqual(grown.value.last, "-[] +[] ~[1]", "it still matches")
        XCTAssertEqual(sorted.value.last, "-[] +[] ~[3]", "it keeps its place")
    }

    func testChangesThreeLinksAwayAreModificationsAndFourAreNot() throws {
        let realm = try openRealm()
        let people = people(5)
        try realm.write { realm.add(people[0]) }
        let told = observe(realm.objects(Person.self).where { $0.name == "0" })
        let unfiltered = observe(realm.objects(Person.self))
        realm.refresh()
        for distance in 1...4 {
            told.value = []
            unfiltered.value = []
            try realm.write { people[distance].friend = people[distance].friend }
            realm.refresh()
            XCTAssertEqual(told.value, distance <= 3 ? ["-[] +[] ~[0]"] : [], "\(distance) links away")
            let reached = (max(0, distance - 3)...distance).map { $0 }
            XCTAssertEqual(unfiltered.value, ["-[] +[] ~\(reached)"])
        }
    }

    func testDeletionOfALinkedObjectIsAModification() throws {
        let realm = try openRealm()
        let people = people(2)
        try realm.write { realm.add(people[0]) }
        let told = observe(realm.objects(Person.self).where { $0.name == "0" })
        realm.refresh()
        try writeElsewhere { $0.delete($0.objects(Person.self)[1]) }
        realm.refresh()
        XCTAssertEqual(told.value, ["initial", "-[] +[] ~[0]"])
    }

    func testBacklinksAreNotFollowed() throws {
        let realm = try openRealm()
        let person = Person(value: ["name": "Ann", "dogs": [["name": "Rex"]]])
        try realm.write { realm.add(person) }
        let told = observe(realm.objects(Dog.self))
        let filtered = observe(realm.objects(Dog.self).where { $0.age == 0 }, ["holders.name"])
        realm.refresh()
        try realm.write { person.name = "Bob" }
        realm.refresh()
        XCTAssertEqual(told.value, ["initial"])
        XCTAssertEqual(filtered.value, ["initial", "-[] +[] ~[0]"], "unless a key path names them")
    }

    func testKeyPathFiltersOfCollections() throws {
        let realm = try openRealm()
        let person = Person(value: ["dogs": [["name": "Rex", "owner": ["name": "Ann"]]]])
        try realm.write { realm.add(person) }
        let byName = observe(person.dogs, ["name"])
        let byOwner = observe(person.dogs, ["owner.name"])
        let unfiltered = observe(realm.objects(Dog.self), [])
        realm.refresh()
        try realm.write { person.dogs[0].age = 3 }
        realm.refresh()
        XCTAssertEqual([byName, byOwner, unfiltered].map(\.value.count), [1, 1, 2])
        try realm.write { person.dogs[0].owner?.name = "Bob" }
        realm.refresh()
        XCTAssertEqual([byName, byOwner, unfiltered].map(\.value.count), [1, 2, 3])
        try realm.write { person.dogs[0].name = "Max" }
        realm.refresh()
        XCTAssertEqual([byName, byOwner, unfiltered].map(\.value.count), [2, 2, 4])
        try realm.write { person.dogs.append(Dog()) }
        realm.refresh()
        XCTAssertEqual(byName.value.last, "-[] +[1] ~[]", "filters do not silence membership")
    }

    func testTypedKeyPathsOfResults() throws {
        let realm = try openRealm()
        try realm.write { realm.add(Dog(value: ["owner": ["name": "Ann"]])) }
        let dogs = realm.objects(Dog.self)
        var calls = 0
        tokens.append(dogs.observe(keyPaths: [\Dog.owner?.name, \Dog.age]) { _ in calls += 1 })
        realm.refresh()
        for edit in [{ dogs[0].name = "x" }, { dogs[0].age = 1 }, { dogs[0].owner?.name = "Bob" }] {
            try realm.write(edit)
            realm.refresh()
        }
        XCTAssertEqual(calls, 3)
    }

    func testDeletingTheOwnerOfAListDeletesItsRowsOnce() throws {
        let realm = try openRealm()
        let (bag, empty) = (Bag(value: ["numbers": [1, 2, 3]]), Bag())
        try realm.write { realm.add([bag, empty]) }
        let told = observe(bag.numbers)
        let toldOfEmpty = observe(empty.numbers)
        realm.refresh()
        try realm.write { realm.delete([bag, empty]) }
        realm.refresh()
        try realm.write { realm.add(Bag()) }
        realm.refresh()
        XCTAssertEqual(told.value, ["initial", "-[0, 1, 2] +[] ~[]"])
        XCTAssertEqual(told.value.count, 2)
        XCTAssertEqual(toldOfEmpty.value, ["initial"], "an empty list has nothing to tell")
    }

    func testAListFollowsItsOperations() throws {
        let realm = try openRealm()
        let bag = Bag(value: ["numbers": [1, 2, 3, 4]])
        try realm.write { realm.add(bag) }
        let told = observe(bag.numbers)
        realm.refresh()
        try realm.write { bag.numbers.move(from: 0, to: 3) }
        realm.refresh()
        try realm.write { bag.numbers[1] = bag.numbers[1] }
        realm.refresh()
        try realm.write {
            bag.numbers.insert(0, at: 0)
            bag.numbers.remove(at: 0)
        }
        realm.refresh()
        XCTAssertEqual(told.value, ["initial", "-[0] +[3] ~[]", "-[] +[] ~[1]"])
    }

    func testLinkingObjectsAreObserved() throws {
        let realm = try openRealm()
        let dog = Dog()
        try realm.write { realm.add(dog) }
        let told = observe(dog.holders)
        realm.refresh()
        try realm.write { realm.add(Person(value: ["dogs": [dog, dog]])) }
        realm.refresh()
        try realm.write { realm.objects(Person.self)[0].name = "Ann" }
        realm.refresh()
        try realm.write { realm.deleteAll() }
        realm.refresh()
        XCTAssertEqual(told.value.first, "initial")
        XCTAssertEqual(told.value[1], "-[] +[0, 1] ~[]")
        XCTAssertEqual(told.value[2], "-[] +[] ~[0, 1]")
        XCTAssertEqual(told.value[3], "-[0, 1] +[] ~[]")
    }

    func testSetsAreObserved() throws {
        let realm = try openRealm()
        let bag = Bag()
        try realm.write { realm.add(bag) }
        let told = observe(bag.numberSet)
        realm.refresh()
        try realm.write { bag.numberSet.insert(objectsIn: [3, 1]) }
        realm.refresh()
        try realm.write { bag.numberSet.insert(3) }
        realm.refresh()
        try realm.write {
            bag.numberSet.remove(1)
            bag.numberSet.insert(7)
        }
        realm.refresh()
        XCTAssertEqual(told.value, ["initial", "-[] +[0, 1] ~[]", "-[0] +[1] ~[]"])
    }
}
