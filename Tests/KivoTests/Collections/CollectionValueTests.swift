import Foundation
import Kivo
import XCTest

/// Collections that are read by key, and slices that are assigned.
final class CollectionValueTests: RealmTestCase {
    private func inAndOutOfARealm(_ body: (Bag) throws -> Void) throws {
        try body(Bag())
        let realm = try openRealm()
        try realm.write { try body(realm.create(Bag.self)) }
    }

    func testTheElementsOfACollectionAsAValue() throws {
        try inAndOutOfARealm { bag in
            bag.numbers.append(objectsIn: [1, 2, 2])
            bag.gaps.append(objectsIn: [1, nil])
            bag.numberSet.insert(objectsIn: [3, 4])
            bag.dogSet.insert(objectsIn: [Dog(value: ["age": 5]), Dog(value: ["age": 5])])
            XCTAssertEqual(bag.numbers.value(forKey: "self") as? [Int], [1, 2, 2])
            XCTAssertEqual(bag.value(forKeyPath: "numbers.self") as? [Int], [1, 2, 2])
            XCTAssertEqual((bag.gaps.value(forKey: "self") as? [Any])?.last as? NSNull, NSNull())
            XCTAssertEqual(bag.numberSet.value(forKey: "self") as? Set<Int>, [3, 4])
            XCTAssertEqual(bag.dogSet.value(forKey: "age") as? Set<Int>, [5])
            XCTAssertEqual((bag.dogSet.value(forKey: "self") as? Set<AnyHashable>)?.count, 2)
            XCTAssertEqual(bag.value(forKeyPath: "dogSet.@sum.age") as? Int, 10)
            XCTAssertEqual(bag.value(forKeyPath: "dogSet.age.@count") as? Int, 1)
            XCTAssertEqual(bag.numberSet.value(forKey: "isInvalidated") as? Bool, false)
        }
        let realm = try openRealm()
        try realm.write { realm.add([Dog(), Dog()]) }
        XCTAssertEqual((realm.objects(Dog.self).value(forKey: "self") as? [Dog])?.count, 2)
    }

    func testASliceIsAssigned() throws {
        try inAndOutOfARealm { bag in
            bag.numbers.append(objectsIn: 0..<6)
            let other = List<Int>()
            other.append(objectsIn: [10, 11, 12, 13])
            bag.numbers[1..<4] = other[0..<3]
            XCTAssertEqual(Array(bag.numbers), [0, 10, 11, 12, 4, 5])
            bag.numbers[1..<4] = other[3..<4]
            XCTAssertEqual(Array(bag.numbers), [0, 13, 4, 5])
            bag.numbers[0..<2] = bag.numbers[2..<4]
            XCTAssertEqual(Array(bag.numbers), [4, 5, 4, 5])
            bag.numbers[4..<4] = bag.numbers[0..<4]
            XCTAssertEqual(Array(bag.numbers), [4, 5, 4, 5, 4, 5, 4, 5])
            bag.numbers[2..<6].sort()
            XCTAssertEqual(Array(bag.numbers), [4, 5, 4, 4, 5, 5, 4, 5])
        }
    }

    func testASliceOfEmbeddedObjectsThatIsAssignedToItsPlaceStays() throws {
        let realm = try openRealm()
        try realm.write {
            let house = realm.create(House.self)
            house.formerAddresses.append(objectsIn: ["a", "b", "c"].map { Address(value: ["street": $0]) })
            let second = house.formerAddresses[1]
            house.formerAddresses[1..<3] = house.formerAddresses[1..<3]
            XCTAssertFalse(second.isInvalidated)
            XCTAssertEqual(Array(house.formerAddresses.map(\.street)), ["a", "b", "c"])
        }
    }
}
