import Foundation
import Kivo
import XCTest

final class ListTests: RealmTestCase {
    func testMovingOffsets() {
        func result(_ offsets: IndexSet, _ destination: Int) -> String {
            let list = List<String>()
            list.append(objectsIn: ["a", "b", "c", "d", "e"])
            list.move(fromOffsets: offsets, toOffset: destination)
            return list.joined()
        }
        XCTAssertEqual(result([0], 3), "bcade")
        XCTAssertEqual(result([0], 5), "bcdea")
        XCTAssertEqual(result([4], 0), "eabcd")
        XCTAssertEqual(result([1, 3], 0), "bdace")
        XCTAssertEqual(result([1, 3], 5), "acebd")
        XCTAssertEqual(result([0, 4], 2), "baecd")
        XCTAssertEqual(result([2], 2), "abcde")
        XCTAssertEqual(result([2], 3), "abcde")
        XCTAssertEqual(result([], 3), "abcde")
        XCTAssertEqual(result([0, 1, 2, 3, 4], 2), "abcde")
    }

    // MARK: Objects in lists

    func testAppendingAddsToTheRealm() throws {
        let realm = try openRealm()
        let person = Person(value: ["name": "Ann"])
        try realm.write {
            realm.add(person)
            let dog = Dog(value: ["name": "Rex"])
            person.dogs.append(dog)
            XCTAssertEqual(dog.realm, realm)
            person.dogs.append(objectsIn: [Dog(value: ["name": "Max"]), dog])
        }
        XCTAssertEqual(person.dogs.map(\.name), ["Rex", "Max", "Rex"])
        XCTAssertEqual(realm.objects(Dog.self).count, 2)
        try realm.write { person.dogs.removeAll() }
        XCTAssertEqual(realm.objects(Dog.self).count, 2)
    }

    func testDeletedObjectsLeaveListsAtEveryPosition() throws {
        let realm = try openRealm()
        let person = Person()
        try realm.write {
            realm.add(person)
            let (a, b) = (Dog(value: ["name": "a"]), Dog(value: ["name": "b"]))
            person.dogs.append(objectsIn: [a, b, a, a, b])
            realm.delete(a)
        }
        XCTAssertEqual(person.dogs.map(\.name), ["b", "b"])
    }

    func testListsOfOneObjectStayTheSameWhenItIsAdded() throws {
        let realm = try openRealm()
        let person = Person()
        let dogs = person.dogs
        dogs.append(Dog(value: ["name": "Rex"]))
        XCTAssertNil(dogs.realm)
        try realm.write { realm.add(person) }
        XCTAssertEqual(dogs.realm, realm)
        XCTAssertTrue(dogs === person.dogs)
        try realm.write { dogs.append(Dog(value: ["name": "Max"])) }
        XCTAssertEqual(person.dogs.map(\.name), ["Rex", "Max"])
    }

    func testAssigningAListReplacesItsElements() throws {
        let realm = try openRealm()
        let (bag, other) = (Bag(), Bag())
        bag.numbers.append(objectsIn: [1, 2, 3])
        other.numbers.append(objectsIn: [4, 5])
        let list = bag.numbers
        try realm.write {
            realm.add([bag, other])
            bag.numbers = other.numbers
            XCTAssertEqual(Array(list), [4, 5])
            bag.numbers = bag.numbers
            XCTAssertEqual(Array(list), [4, 5])
            other.numbers.append(6)
            XCTAssertEqual(Array(list), [4, 5])
            let fresh = List<Int>()
            fresh.append(7)
            bag.numbers = fresh
        }
        XCTAssertEqual(Array(list), [7])
        XCTAssertTrue(list === bag.numbers)
    }

    func testAListIntoItself() throws {
        let realm = try openRealm()
        let (unmanaged, managed) = (Bag(value: ["numbers": [1, 2, 3]]), Bag(value: ["numbers": [1, 2, 3]]))
        realm.beginWrite()
        realm.add(managed)
        for list in [unmanaged.numbers, managed.numbers] {
            list.append(objectsIn: list)
            XCTAssertEqual(Array(list), [1, 2, 3, 1, 2, 3])
            list.insert(contentsOf: list.prefix(2), at: 1)
            XCTAssertEqual(Array(list), [1, 1, 2, 2, 3, 1, 2, 3])
            list.replaceSubrange(0..<6, with: list[4..<7])
            XCTAssertEqual(Array(list), [3, 1, 2, 2, 3])
        }
        realm.cancelWrite()
    }

    func testEquality() throws {
        let (a, b) = (Bag(value: ["numbers": [1, 2]]), Bag(value: ["numbers": [1, 2]]))
        XCTAssertEqual(a.numbers, b.numbers)
        let realm = try openRealm()
        try realm.write { realm.add([a, b]) }
        XCTAssertNotEqual(a.numbers, b.numbers)
        let same = try XCTUnwrap(realm.objects(Bag.self).first)
        XCTAssertEqual(a.numbers, same.numbers)
    }

    func testQueriesOverLists() throws {
        let realm = try openRealm()
        let person = Person()
        for (name, age) in [("c", 3), ("a", 1), ("b", 2), ("a", 4)] {
            person.dogs.append(Dog(value: ["name": name, "age": age]))
        }
        let bag = Bag(value: ["numbers": [3, 1, 2, 1]])
        try realm.write {
            realm.add(person)
            realm.add(bag)
        }
        let grown = person.dogs.where { $0.age > 1 }
        XCTAssertEqual(grown.map(\.name), ["c", "b", "a"])
        XCTAssertEqual(person.dogs.sorted(byKeyPath: "name").map(\.age), [1, 4, 2, 3])
        XCTAssertEqual(
            person.dogs.sorted(byKeyPath: "name").sorted(byKeyPath: "age", ascending: false).first?.age, 4)
        XCTAssertEqual(Array(bag.numbers.sorted()), [1, 1, 2, 3])
        XCTAssertEqual(Array(bag.numbers.sorted(ascending: false)), [3, 2, 1, 1])
        try realm.write {
            person.dogs.remove(at: 0)
            bag.numbers.append(0)
        }
        XCTAssertEqual(grown.map(\.name), ["b", "a"])
        XCTAssertEqual(Array(bag.numbers.sorted()), [0, 1, 1, 2, 3])
    }

    func testIterationRunsOverTheStateAtItsStart() throws {
        let realm = try openRealm()
        let bag = Bag(value: ["numbers": [1, 2, 3]])
        let person = Person(value: ["dogs": [["a"], ["b"], ["c"]]])
        try realm.write {
            realm.add(bag)
            realm.add(person)
            for number in bag.numbers { bag.numbers.append(number + 10) }
            XCTAssertEqual(Array(bag.numbers), [1, 2, 3, 11, 12, 13])
            var names: [String] = []
            for dog in person.dogs {
                names.append(dog.name)
                person.dogs.remove(at: 0)
                person.dogs.append(Dog(value: ["name": "new"]))
            }
            XCTAssertEqual(names, ["a", "b", "c"])
            XCTAssertEqual(person.dogs.map(\.name), ["new", "new", "new"])
        }
    }

    func testListOfADeletedOwnerIsInvalidAndEmpty() throws {
        let realm = try openRealm()
        let bag = Bag(value: ["numbers": [1, 2]])
        try realm.write { realm.add(bag) }
        let list = bag.numbers
        XCTAssertFalse(list.isInvalidated)
        try realm.write { realm.delete(bag) }
        XCTAssertTrue(list.isInvalidated)
        XCTAssertEqual(list.count, 0)
        XCTAssertTrue(Array(list).isEmpty)
    }

    func testFrozenListsKeepTheirState() throws {
        let realm = try openRealm()
        let bag = Bag(value: ["numbers": [1, 2]])
        try realm.write { realm.add(bag) }
        let frozen = bag.numbers.freeze()
        try realm.write { bag.numbers.removeFirst() }
        XCTAssertTrue(frozen.isFrozen)
        XCTAssertEqual(Array(frozen), [1, 2])
        XCTAssertEqual(frozen.thaw().map { Array($0) }, [2])
        try realm.write { realm.delete(bag) }
        XCTAssertNil(frozen.thaw())
        XCTAssertEqual(Array(frozen), [1, 2])
    }
}
