import Foundation
import Kivo
import XCTest

/// Assigning a collection copies its elements: no two objects ever share one.
final class CollectionAssignmentTests: RealmTestCase {
    private func bag(_ numbers: [Int]) -> Bag { Bag(value: ["numbers": numbers]) }

    /// The stored numbers, read through another instance of the realm.
    private func stored() throws -> [[Int]] {
        let found = Shared([[Int]]())
        try elsewhere { realm in
            let numbers = Array(realm.objects(Bag.self).map { Array($0.numbers) })
            found.update { $0 = numbers }
        }
        return found.value
    }

    // MARK: Assigning

    func testAnUnmanagedObjectKeepsItsOwnCollections() {
        let (a, b) = (bag([1, 2]), bag([9]))
        a.wordSet.insert("x")
        a.counts["k"] = 1
        let (list, set, map) = (b.numbers, b.wordSet, b.counts)
        b.numbers = a.numbers
        b.wordSet = a.wordSet
        b.counts = a.counts
        XCTAssertTrue(b.numbers === list)
        XCTAssertTrue(b.wordSet === set)
        XCTAssertTrue(b.counts === map)
        a.numbers.append(3)
        a.wordSet.insert("y")
        a.counts["l"] = 2
        XCTAssertEqual(Array(list), [1, 2])
        XCTAssertEqual(Array(set), ["x"])
        XCTAssertEqual(map.keys, ["k"])
    }

    func testAnUnmanagedObjectTakesItsOwnCollection() {
        let a = bag([1, 2])
        a.wordSet.insert("x")
        a.counts["k"] = 1
        a.numbers = a.numbers
        a.wordSet = a.wordSet
        a.counts = a.counts
        XCTAssertEqual(Array(a.numbers), [1, 2])
        XCTAssertEqual(Array(a.wordSet), ["x"])
        XCTAssertEqual(a.counts["k"], 1)
    }

    func testAManagedListStaysItsObjects() throws {
        let realm = try openRealm()
        let (a, b) = (bag([1]), Bag())
        try realm.write { realm.add(a) }
        b.numbers = a.numbers
        XCTAssertNil(b.numbers.realm)
        try realm.write {
            realm.add(b)
            a.numbers.append(99)
            b.numbers.append(5)
        }
        XCTAssertEqual(Array(a.numbers), [1, 99])
        XCTAssertEqual(Array(b.numbers), [1, 5])
        XCTAssertEqual(try stored(), [[1, 99], [1, 5]])
    }

    func testManagedSetsAndMapsStayTheirObjects() throws {
        let realm = try openRealm()
        let (a, b) = (Bag(value: ["wordSet": ["x"], "counts": ["k": 1]]), Bag())
        try realm.write { realm.add(a) }
        b.wordSet = a.wordSet
        b.counts = a.counts
        try realm.write {
            realm.add(b)
            a.wordSet.insert("y")
            a.counts["l"] = 2
            b.wordSet.insert("z")
            b.counts["m"] = 3
        }
        XCTAssertEqual(Set(a.wordSet), ["x", "y"])
        XCTAssertEqual(Set(b.wordSet), ["x", "z"])
        XCTAssertEqual(Set(a.counts.keys), ["k", "l"])
        XCTAssertEqual(Set(b.counts.keys), ["k", "m"])
        try elsewhere { realm in
            let bags = realm.objects(Bag.self)
            XCTAssertEqual(Set(bags[0].wordSet), ["x", "y"])
            XCTAssertEqual(Set(bags[1].counts.keys), ["k", "m"])
        }
    }

    func testTwoObjectsAssignedTheSameListAreIndependent() throws {
        let realm = try openRealm()
        let (a, b, list) = (Bag(), Bag(), List<Int>())
        list.append(1)
        a.numbers = list
        b.numbers = list
        try realm.write {
            realm.add(a)
            realm.add(b)
            a.numbers.append(2)
            b.numbers.append(3)
        }
        list.append(4)
        XCTAssertEqual(Array(list), [1, 4])
        XCTAssertNil(list.realm)
        XCTAssertEqual(Array(a.numbers), [1, 2])
        XCTAssertEqual(Array(b.numbers), [1, 3])
        XCTAssertEqual(try stored(), [[1, 2], [1, 3]])
    }

    func testAnUnmanagedObjectsListIsNotTakenOver() throws {
        let realm = try openRealm()
        let (a, b) = (bag([1]), Bag())
        b.numbers = a.numbers
        try realm.write {
            realm.add(a)
            realm.add(b)
            a.numbers.append(99)
        }
        XCTAssertEqual(Array(b.numbers), [1])
        XCTAssertEqual(try stored(), [[1, 99], [1]])
    }

    // MARK: Creating

    func testCreatingFromAManagedObjectCopies() throws {
        let realm = try openRealm()
        let a = bag([1])
        try realm.write { realm.add(a) }
        XCTAssertEqual(a.numbers.count, 1)
        try realm.write {
            let b = realm.create(Bag.self, value: a)
            a.numbers.append(99)
            b.numbers.append(5)
            XCTAssertEqual(Array(b.numbers), [1, 5])
        }
        XCTAssertEqual(Array(a.numbers), [1, 99])
        XCTAssertEqual(try stored(), [[1, 99], [1, 5]])
    }

    func testCreatingFromAnUnmanagedObjectLeavesItUnmanaged() throws {
        let realm = try openRealm()
        let a = bag([1])
        a.wordSet.insert("x")
        a.counts["k"] = 1
        try realm.write { realm.create(Bag.self, value: a) }
        XCTAssertNil(a.realm)
        XCTAssertNil(a.numbers.realm)
        XCTAssertNil(a.wordSet.realm)
        XCTAssertNil(a.counts.realm)
        a.numbers.append(2)
        a.wordSet.insert("y")
        a.counts["l"] = 2
        XCTAssertEqual(try stored(), [[1]])
        XCTAssertEqual(Array(a.numbers), [1, 2])
    }

    // MARK: Updating

    func testAfterAnUpdateThatChangesNothingTheCollectionIsManaged() throws {
        let realm = try openRealm()
        for policy in [Realm.UpdatePolicy.modified, .all] {
            try realm.write {
                realm.deleteAll()
                realm.add(Chip(value: ["code": 1, "notes": ["a"]]))
            }
            let chip = Chip(value: ["code": 1, "notes": ["a"]])
            try realm.write {
                realm.add(chip, update: policy)
                XCTAssertNotNil(chip.notes.realm, "\(policy)")
                chip.notes.append("b")
            }
            XCTAssertEqual(Array(chip.notes), ["a", "b"], "\(policy)")
            let fetched = try XCTUnwrap(realm.object(ofType: Chip.self, forPrimaryKey: 1))
            XCTAssertEqual(Array(fetched.notes), ["a", "b"], "\(policy)")
        }
    }

    func testAfterAnUpdateAListThatWasTakenBeforeIsManagedToo() throws {
        let realm = try openRealm()
        try realm.write { realm.add(Chip(value: ["code": 1, "notes": ["a"]])) }
        let chip = Chip(value: ["code": 1, "notes": ["a"]])
        let notes = chip.notes
        try realm.write {
            realm.add(chip, update: .modified)
            notes.append("b")
        }
        XCTAssertEqual(Array(realm.objects(Chip.self)[0].notes), ["a", "b"])
    }
}
