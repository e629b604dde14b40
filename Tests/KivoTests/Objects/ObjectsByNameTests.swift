import Foundation
import Kivo
import XCTest

/// Values by name where objects of Foundation are asked for.
final class ObjectsByNameTests: RealmTestCase {
    private func onBothKinds(_ body: (Bag) throws -> Void) throws {
        let bag = Bag()
        let realm = try openRealm()
        try body(bag)
        realm.beginWrite()
        try body(realm.create(Bag.self))
        realm.cancelWrite()
    }

    func testElements() throws {
        try onBothKinds { bag in
            XCTAssertEqual(bag.gaps.value(forKey: "self").count, 0)
            bag.gaps.append(objectsIn: [1, nil])
            let elements: [AnyObject] = bag.gaps.value(forKey: "self")
            XCTAssertEqual(elements[0] as? Int, 1)
            XCTAssertTrue(elements[1] is NSNull)
            XCTAssertEqual(elements.map { $0 as? Int }, [1, nil], "as the article has it")
            bag.dogs.append(objectsIn: [Dog(value: ["name": "Rex"]), Dog()])
            let names: [AnyObject] = bag.dogs.value(forKeyPath: "name")
            XCTAssertEqual(names as? [String], ["Rex", ""])
            let dogs: [AnyObject] = bag.dogs.value(forKey: "self")
            XCTAssertEqual(dogs.map { ($0 as? Dog)?.name }, ["Rex", ""])
        }
    }

    func testElementsOfSetsWithNil() throws {
        let numbers = MutableSet<Int?>()
        numbers.insert(objectsIn: [4, nil])
        let elements: [AnyObject] = numbers.value(forKey: "self")
        XCTAssertEqual(Set(elements.map { $0 as? Int }), [4, nil])
    }

    func testValuesOfAnyType() {
        let list = List<AnyRealmValue>()
        list.append(objectsIn: [.int(4), .string("a"), .none])
        let elements: [AnyObject] = list.value(forKey: "self")
        XCTAssertEqual(elements[0] as? Int, 4)
        XCTAssertEqual(elements[1] as? String, "a")
        XCTAssertTrue(elements[2] is NSNull)
        let map = Map<String, AnyRealmValue>()
        map["a"] = .double(1.5)
        map["b"] = AnyRealmValue.none
        let number: AnyObject? = map.value(forKey: "a")
        XCTAssertEqual(number as? Double, 1.5)
        XCTAssertTrue(map.object(forKey: "b" as AnyObject) is NSNull)
    }

    func testValuesOfMaps() throws {
        try onBothKinds { bag in
            let absent: AnyObject? = bag.maybeCounts.value(forKey: "a")
            XCTAssertNil(absent)
            bag.maybeCounts.setValue(Int?.none as Any, forKey: "a")
            bag.maybeCounts.setValue(3, forKey: "b")
            XCTAssertEqual(bag.maybeCounts.count, 2, "nil as a value, not the removal of the key")
            let null: AnyObject? = bag.maybeCounts.value(forKey: "a")
            XCTAssertTrue(null is NSNull)
            let three: AnyObject? = bag.maybeCounts.value(forKeyPath: "b")
            XCTAssertEqual(three as? Int, 3)
            XCTAssertEqual(bag.maybeCounts.object(forKey: "b" as AnyObject) as? Int, 3)
            XCTAssertTrue(bag.maybeCounts.object(forKey: "a" as AnyObject) is NSNull)
            XCTAssertNil(bag.maybeCounts.object(forKey: NSNull()))
            XCTAssertNil(bag.maybeCounts.object(forKey: "c" as AnyObject))
            bag.maybeCounts.setValue(nil, forKey: "a")
            XCTAssertEqual(bag.maybeCounts.keys, ["b"])
            bag.counts.setValue(1, forKey: "a")
            bag.counts.setValue(NSNull(), forKey: "a")
            XCTAssertTrue(bag.counts.isEmpty, "values that cannot be nil are removed")
        }
    }

    func testEntriesOfMaps() throws {
        try onBothKinds { bag in
            bag.counts["a"] = 1
            XCTAssertTrue(bag.counts.contains((key: "a", value: 1)))
            XCTAssertFalse(bag.counts.contains((key: "a", value: 2)))
            XCTAssertFalse(bag.counts.contains((key: "b", value: 1)))
            XCTAssertEqual(bag.counts.map(bag.counts.contains), [true])
            XCTAssertTrue(bag.counts.contains { $0 == "b" || $1 == 1 })
            bag.maybeCounts["n"] = .some(nil)
            XCTAssertTrue(bag.maybeCounts.contains((key: "n", value: nil)))
            XCTAssertFalse(bag.maybeCounts.contains((key: "m", value: nil)))
        }
    }

    func testFailableValuesThatAreNone() throws {
        let realm = try openRealm()
        let room = try realm.write { realm.create(MappedRoom.self, value: ["temperature": 7.5]) }
        let other = realm.dynamicObjects("MappedRoom")[0]
        try realm.write { other["tag"] = "no tag" }
        XCTAssertEqual(room["tag"] as? String, "no tag", "what is stored, of which no value is made")
        XCTAssertEqual(room.value(forKey: "temperature") as? Double, 7.5)
        XCTAssertEqual(room["alarm"] as? Int, 1)
        XCTAssertNil(room["oldTag"])
        XCTAssertTrue(room.description.contains("tag = no tag;"), room.description)
    }

    func testNamesOfKeyPaths() {
        XCTAssertEqual(_name(for: \Person.name), "name")
        XCTAssertEqual(_name(for: \Person.favourite?.owner?.name), "favourite.owner.name")
        XCTAssertEqual(_name(for: \Person.dogs[0].age), "dogs.age")
    }
}
