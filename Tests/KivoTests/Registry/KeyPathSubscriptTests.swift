import Kivo
import XCTest

/// Typed key paths that go through elements of collections: they name the property of all elements.
final class KeyPathSubscriptTests: RealmTestCase {
    private func name<Root: ObjectBase>(_ keyPath: PartialKeyPath<Root>) -> String {
        Kivo.SortDescriptor(keyPath: keyPath).keyPath
    }

    func testNames() {
        XCTAssertEqual(name(\Dog.holders[0].name), "holders.name")
        XCTAssertEqual(name(\Dog.holders[7].dogs[3].name), "holders.dogs.name")
        XCTAssertEqual(name(\Dog.holders.first?.friend?.name), "holders.friend.name")
        XCTAssertEqual(name(\Dog.holders.last?.name), "holders.name")
        XCTAssertEqual(name(\Dog.holders[0]), "holders")
        XCTAssertEqual(name(\Dog.holders), "holders")
        XCTAssertEqual(name(\Person.owned[2].holders[0].name), "owned.holders.name")
        XCTAssertEqual(name(\Person.dogs[5].age), "dogs.age")
        XCTAssertEqual(name(\Bag.dogSet[5].age), "dogSet.age")
        XCTAssertEqual(name(\Bag.numbers[2]), "numbers")
        XCTAssertEqual(name(\Bag.gaps[2]), "gaps")
        XCTAssertEqual(name(\Bag.wordSet[2]), "wordSet")
        XCTAssertEqual(name(\Bag.dogsByName["k"]), "dogsByName")
        XCTAssertEqual(name(\Bag.dogsByName["k"]??.name), "dogsByName.name")
        XCTAssertEqual(name(\Bag.dogsByName["k"]!!.owner?.name), "dogsByName.owner.name")
        XCTAssertEqual(name(\Bag.dogsByName["k"]??.holders[0].name), "dogsByName.holders.name")
        XCTAssertEqual(name(\Bag.dogsByName.values[0]?.name), "dogsByName.name")
        XCTAssertEqual(name(\Bag.counts["k"]!), "counts")
        XCTAssertEqual(name(\Bag.maybeCounts["k"]), "maybeCounts")
        XCTAssertEqual(name(\YardDog.moods[0]), "moods")
    }

    func testChangesBehindALinkingObjectAreTold() throws {
        let realm = try openRealm()
        let (dog, person) = try realm.write {
            let person = realm.create(Person.self, value: ["name": "Ann"])
            let dog = realm.create(Dog.self)
            person.dogs.append(dog)
            return (dog, person)
        }
        var told: [String] = []
        let token = realm.objects(Dog.self).observe(keyPaths: [\Dog.holders[0].name]) { change in
            told.append(self.text(change))
        }
        let own = dog.observe(keyPaths: [\Dog.holders[0].name]) { (change: ObjectChange<Dog>) in
            if case .change(_, let properties) = change { told += properties.map(\.name) }
        }
        realm.refresh()
        try realm.write { dog.age = 3 }
        realm.refresh()
        XCTAssertEqual(told, ["initial"])
        try realm.write { person.name = "Bob" }
        realm.refresh()
        XCTAssertEqual(told.dropFirst().sorted(), ["-[] +[] ~[0]", "holders"])
        token.invalidate()
        own.invalidate()
    }

    func testChangesBehindAMapAreTold() throws {
        let realm = try openRealm()
        let (bag, dog) = try realm.write {
            let (bag, dog) = (realm.create(Bag.self), realm.create(Dog.self))
            bag.dogsByName["k"] = dog
            return (bag, dog)
        }
        var told: [String] = []
        let token = bag.observe(keyPaths: [\Bag.dogsByName["k"]??.name]) { (change: ObjectChange<Bag>) in
            if case .change(_, let properties) = change { told += properties.map(\.name) }
        }
        try realm.write { dog.age = 3 }
        realm.refresh()
        XCTAssertEqual(told, [])
        try realm.write { dog.name = "Rex" }
        realm.refresh()
        XCTAssertEqual(told, ["dogsByName"])
        token.invalidate()
    }

    func testCollectionsOfUnmanagedObjectsAreEmpty() {
        XCTAssertEqual(Dog().holders.count, 0)
        XCTAssertNil(Dog().holders.first)
        XCTAssertNil(Bag().dogsByName["k"] ?? nil)
        XCTAssertEqual(Bag().dogsByName.values.count, 0)
    }
}
