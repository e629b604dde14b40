import Kivo
import XCTest

/// Map notifications of the contained objects.
final class MapObjectNotificationTests: MapNotificationTestCase {
    func testAChangedObjectModifiesAllItsKeys() throws {
        let realm = try openRealm()
        let bag = try bagOfDogs(in: realm)
        let told = observe(bag.dogsByName)
        let rex = try dog("rex", of: bag)
        try realm.write { rex.age = 3 }
        realm.refresh()
        try realm.write { realm.add(Dog()) }
        realm.refresh()
        XCTAssertEqual(told.value, [#"-[] +[] ~["alias", "rex"]"#])
    }

    func testADeletedObjectLeavesItsKeysWithNil() throws {
        let realm = try openRealm()
        let bag = try bagOfDogs(in: realm)
        let (told, filtered) = (observe(bag.dogsByName), observe(bag.dogsByName, ["age"]))
        let rex = try dog("rex", of: bag)
        try realm.write { realm.delete(rex) }
        realm.refresh()
        XCTAssertEqual(told.value, [#"-[] +[] ~["alias", "rex"]"#])
        XCTAssertEqual(filtered.value, told.value)
        XCTAssertEqual(bag.dogsByName["rex"], .some(nil))
        XCTAssertEqual(bag.dogsByName.keys, ["alias", "ben", "max", "nobody", "rex"])
    }

    func testARemovedEntryIsADeletionAlsoWhenItsObjectGoesToo() throws {
        let realm = try openRealm()
        let bag = try bagOfDogs(in: realm)
        let told = observe(bag.dogsByName)
        let max = try dog("max", of: bag)
        try realm.write {
            bag.dogsByName["max"] = nil
            realm.delete(max)
            bag.dogsByName["ben"] = Dog()
            bag.dogsByName["new"] = Dog()
        }
        realm.refresh()
        XCTAssertEqual(told.value, [#"-["max"] +["new"] ~["ben"]"#])
    }

    func testAnObjectInManyMapsModifiesAllOfThem() throws {
        let realm = try openRealm()
        let dog = Dog()
        let bags = (0..<20).map { _ in Bag() }
        for (index, bag) in bags.enumerated() where index % 3 != 1 { bag.dogsByName["\(index)"] = dog }
        try realm.write { realm.add(bags) }
        let told = bags.map { observe($0.dogsByName) }
        try realm.write { dog.age = 3 }
        realm.refresh()
        for (index, told) in told.enumerated() {
            XCTAssertEqual(told.value, index % 3 != 1 ? [#"-[] +[] ~["\#(index)"]"#] : [])
        }
    }

    func testAnInsertedKeyIsNoModificationWhateverItsObjectDid() throws {
        let realm = try openRealm()
        let bag = try bagOfDogs(in: realm)
        let told = observe(bag.dogsByName)
        let ben = try dog("ben", of: bag)
        try realm.write {
            ben.age = 4
            bag.dogsByName["also ben"] = ben
        }
        realm.refresh()
        XCTAssertEqual(told.value, [#"-[] +["also ben"] ~["ben"]"#])
    }

    func testChangesThreeLinksAwayAreModificationsAndFourAreNot() throws {
        let realm = try openRealm()
        let bag = try bagOfDogs(in: realm)
        let people = (0..<4).map { _ in Person() }
        for (person, friend) in zip(people, people.dropFirst()) { person.friend = friend }
        let max = try dog("max", of: bag)
        try realm.write { max.owner = people[0] }
        let told = observe(bag.dogsByName)
        for (index, person) in people.enumerated() {
            told.value = []
            try realm.write { person.name = "changed" }
            realm.refresh()
            XCTAssertEqual(told.value, index < 3 ? [#"-[] +[] ~["max"]"#] : [], "\(index + 1) links away")
        }
    }

    func testKeyPathsSayWhatCounts() throws {
        let realm = try openRealm()
        let bag = try bagOfDogs(in: realm)
        let ben = try dog("ben", of: bag)
        try realm.write { ben.owner = Person() }
        let byName = observe(bag.dogsByName, ["name"])
        let byOwner = observe(bag.dogsByName, ["owner.name"])
        let unfiltered = observe(bag.dogsByName, [])
        try realm.write { ben.age = 3 }
        realm.refresh()
        XCTAssertEqual([byName, byOwner, unfiltered].map(\.value.count), [0, 0, 1])
        try realm.write { ben.owner?.name = "Ann" }
        realm.refresh()
        XCTAssertEqual([byName, byOwner, unfiltered].map(\.value.count), [0, 1, 2])
        try realm.write { ben.name = "Benjamin" }
        realm.refresh()
        XCTAssertEqual([byName, byOwner, unfiltered].map(\.value.count), [1, 1, 3])
        try realm.write {
            bag.dogsByName["max"] = nil
            bag.dogsByName["tom"] = Dog()
            bag.dogsByName["rex"] = bag.dogsByName["rex"]
        }
        realm.refresh()
        XCTAssertEqual(
            byName.value.last, #"-["max"] +["tom"] ~["rex"]"#, "filters do not silence the map itself")
        XCTAssertEqual(byName.value.last, unfiltered.value.last)
    }
}
