import Foundation
import Kivo
import XCTest

final class KeyValueObservingTests: RealmTestCase {
    // MARK: One property

    func testOptions() throws {
        try onBothKinds({ Dog(value: ["age": 1]) }) { dog in
            let bare = observe(dog, "age", [])
            let old = observe(dog, "age", .old)
            let new = observe(dog, "age", .new)
            let initial = observe(dog, "age", [.initial, .new, .old])
            let prior = observe(dog, "age", [.prior, .old, .new])
            XCTAssertEqual(initial.calls, ["age 1 new 1"])
            dog.age = 2
            XCTAssertEqual(bare.calls, ["age 1"])
            XCTAssertEqual(old.calls, ["age 1 old 1"])
            XCTAssertEqual(new.calls, ["age 1 new 2"])
            XCTAssertEqual(initial.calls.last, "age 1 old 1 new 2")
            XCTAssertEqual(prior.calls, ["age 1 old 1 prior", "age 1 old 1 new 2"])
            dog.age = 2
            XCTAssertEqual(bare.calls.count, 2, "an equal value is a change")
            dog.name = "Rex"
            XCTAssertEqual(bare.calls.count, 2)
            for observer in [bare, old, new, initial, prior] {
                dog.removeObserver(observer, forKeyPath: "age")
            }
            dog.age = 3
            XCTAssertEqual(bare.calls.count, 2)
        }
    }

    func testTypedObservation() throws {
        try onBothKinds({ Dog(value: ["name": "Rex"]) }) { dog in
            var changes: [(String?, String?, Bool)] = []
            let token = dog.observe(\.name, options: [.old, .new, .prior, .initial]) { observed, change in
                XCTAssertTrue(observed === dog)
                XCTAssertEqual(change.kind, .setting)
                XCTAssertNil(change.indexes)
                changes.append((change.oldValue, change.newValue, change.isPrior))
            }
            dog.name = "Max"
            XCTAssertEqual(changes.map(\.0), [nil, "Rex", "Rex"])
            XCTAssertEqual(changes.map(\.1), ["Rex", nil, "Max"])
            XCTAssertEqual(changes.map(\.2), [false, true, false])
            token.invalidate()
            token.invalidate()
            dog.name = "Roy"
            XCTAssertEqual(changes.count, 3)
        }
    }

    func testNilIsPresent() throws {
        try onBothKinds({ Dog() }) { dog in
            let recorder = observe(dog, "owner")
            var values: [(Person??, Person??)] = []
            let token = dog.observe(\.owner, options: [.old, .new]) { _, change in
                values.append((change.oldValue, change.newValue))
            }
            dog.owner = Person(value: ["name": "Ann"])
            dog.owner = nil
            XCTAssertEqual(recorder.calls.count, 2)
            XCTAssertTrue(recorder.calls[0].hasPrefix("owner 1 old null new "), recorder.calls[0])
            XCTAssertTrue(recorder.calls[1].hasSuffix("new null"), recorder.calls[1])
            XCTAssertEqual(values.count, 2)
            XCTAssertNotNil(values[0].0 as Any?, "asked for, and nil")
            XCTAssertNil(values[0].0 ?? nil)
            XCTAssertEqual(values[0].1??.name, "Ann")
            XCTAssertNotNil(values[1].1 as Any?)
            token.invalidate()
            dog.removeObserver(recorder, forKeyPath: "owner")
        }
    }

    func testDynamicAssignmentIsTold() throws {
        try onBothKinds({ Dog(value: ["age": 1]) }) { dog in
            let recorder = observe(dog, "age")
            dog["age"] = 5
            XCTAssertEqual(recorder.calls, ["age 1 old 1 new 5"])
            dog.removeObserver(recorder, forKeyPath: "age")
        }
    }

    func testContextsTellRegistrationsApart() throws {
        let dog = Dog()
        let recorder = ValueRecorder()
        let (a, b) = (UnsafeMutableRawPointer(bitPattern: 1), UnsafeMutableRawPointer(bitPattern: 2))
        dog.addObserver(recorder, forKeyPath: "age", options: .new, context: a)
        dog.addObserver(recorder, forKeyPath: "age", options: [], context: b)
        dog.age = 1
        XCTAssertEqual(recorder.calls.sorted(), ["age 1", "age 1 new 1"])
        dog.removeObserver(recorder, forKeyPath: "age", context: a)
        dog.age = 2
        XCTAssertEqual(recorder.calls.last, "age 1")
        XCTAssertEqual(recorder.calls.count, 3)
        dog.removeObserver(recorder, forKeyPath: "age", context: b)
    }

    func testRemovalInTheCallback() throws {
        try onBothKinds({ Dog() }) { dog in
            let first = observe(dog, "age", [.prior])
            let second = observe(dog, "age")
            first.body = {
                first.body = {}
                dog.removeObserver(first, forKeyPath: "age")
            }
            dog.age = 1
            dog.age = 2
            XCTAssertEqual(first.calls, ["age 1 prior"], "not even the second half")
            XCTAssertEqual(second.calls.count, 2)
            dog.removeObserver(second, forKeyPath: "age")
        }
    }

    // MARK: Rows

    func testEveryAccessorOfTheRowIsTold() throws {
        let realm = try openRealm()
        let dog = Dog(value: ["age": 1])
        try realm.write { realm.add(dog) }
        let same = realm.objects(Dog.self)[0]
        XCTAssertFalse(same === dog)
        let (mine, theirs) = (observe(dog, "age"), observe(same, "age"))
        try realm.write {
            dog.age = 2
            realm.objects(Dog.self)[0].age = 3
            realm.add(Dog(value: ["age": 9]))
        }
        XCTAssertEqual(mine.calls, ["age 1 old 1 new 2", "age 1 old 2 new 3"])
        XCTAssertEqual(theirs.calls, mine.calls)
        dog.removeObserver(mine, forKeyPath: "age")
        try realm.write { dog.age = 4 }
        XCTAssertEqual(mine.calls.count, 2)
        XCTAssertEqual(theirs.calls.count, 3)
        same.removeObserver(theirs, forKeyPath: "age")
    }

    /// The example of realm-swift's page: nine assignments elsewhere are one change from 1 to 10.
    func testForeignChangesAreOneFromTheFirstToTheLastValue() throws {
        let realm = try openRealm()
        let dog = Dog(value: ["age": 1])
        try realm.write { realm.add(dog) }
        let recorder = observe(dog, "age", [.old, .new, .prior])
        try elsewhere { realm in
            let dog = realm.objects(Dog.self)[0]
            for age in 2...10 { try realm.write { dog.age = age } }
        }
        XCTAssertEqual(recorder.calls, [])
        realm.refresh()
        XCTAssertEqual(recorder.calls, ["age 1 old 1 prior", "age 1 old 1 new 10"])
        dog.removeObserver(recorder, forKeyPath: "age")
    }

    func testForeignChangesComeWithTheRunLoop() throws {
        let realm = try openRealm()
        let dog = Dog(value: ["age": 1])
        try realm.write { realm.add(dog) }
        var ages: [Int?] = []
        let token = dog.observe(\.age, options: .new) { _, change in ages.append(change.newValue) }
        try writeElsewhere { $0.objects(Dog.self)[0].age = 2 }
        wait("the change") { !ages.isEmpty }
        XCTAssertEqual(ages, [2])
        token.invalidate()
    }

    func testDeletionIsTold() throws {
        let realm = try openRealm()
        let person = Person(value: ["dogs": [["name": "Rex"], ["name": "Max"], ["name": "Roy"]]])
        try realm.write {
            realm.add(person)
            person.favourite = person.dogs[1]
        }
        let (dead, alive) = (person.dogs[1], person.dogs[0])
        let invalidated = observe(dead, "isInvalidated")
        let name = observe(dead, "name")
        let neighbour = observe(alive, "isInvalidated")
        let link = observe(person, "favourite")
        let list = observe(person, "dogs")
        try realm.write { realm.delete(dead) }
        XCTAssertEqual(invalidated.calls, ["isInvalidated 1 old false new true"])
        XCTAssertEqual(name.calls, [])
        XCTAssertEqual(neighbour.calls, [])
        XCTAssertEqual(link.calls.count, 1)
        XCTAssertTrue(link.calls.first?.hasSuffix("new null") ?? false, "\(link.calls)")
        XCTAssertEqual(list.calls.count, 1)
        XCTAssertTrue(list.calls.first?.hasPrefix("dogs 3 ") ?? false, "\(list.calls)")
        XCTAssertTrue(list.calls.first?.hasSuffix("at [1]") ?? false, "\(list.calls)")
        try writeElsewhere { $0.delete($0.objects(Dog.self)) }
        realm.refresh()
        XCTAssertEqual(neighbour.calls, ["isInvalidated 1 old false new true"])
        XCTAssertEqual(list.calls.count, 2)
    }

    func testInvalidatingTheRealmIsTold() throws {
        let realm = try openRealm()
        let dog = Dog()
        try realm.write { realm.add(dog) }
        let recorder = observe(dog, "isInvalidated")
        realm.invalidate()
        XCTAssertEqual(recorder.calls, ["isInvalidated 1 old false new true"])
    }

    func testCancellingTellsTheInverse() throws {
        let realm = try openRealm()
        let bag = Bag(value: ["name": "a", "numbers": [1, 2, 3]])
        try realm.write { realm.add(bag) }
        let (name, list) = (observe(bag, "name"), observe(bag, "numbers"))
        func cancelling(_ edit: () throws -> Void) rethrows {
            realm.beginWrite()
            try edit()
            name.calls = []
            list.calls = []
            realm.cancelWrite()
        }
        cancelling { bag.name = "b" }
        XCTAssertEqual(name.calls, ["name 1 old b new a"])
        XCTAssertEqual(list.calls, [])
        cancelling { bag.numbers.append(objectsIn: [4, 5]) }
        XCTAssertEqual(list.calls, ["numbers 3 old [4, 5] at [3, 4]"])
        cancelling { bag.numbers.remove(at: 1) }
        XCTAssertEqual(list.calls, ["numbers 2 new [2] at [1]"])
        cancelling { bag.numbers[1] = 9 }
        XCTAssertEqual(list.calls, ["numbers 4 old [9] new [2] at [1]"])
        cancelling {
            bag.numbers.append(4)
            bag.numbers.remove(at: 0)
        }
        XCTAssertEqual(list.calls, ["numbers 1 old [2, 3, 4] new [1, 2, 3]"])
        var created: ValueRecorder?
        cancelling {
            let dog = realm.create(Dog.self)
            created = self.observe(dog, "isInvalidated")
        }
        XCTAssertEqual(created?.calls, [])
        bag.removeObserver(name, forKeyPath: "name")
        bag.removeObserver(list, forKeyPath: "numbers")
    }

    func testCancellingInvalidatesWhatWasCreated() throws {
        let realm = try openRealm()
        realm.beginWrite()
        let dog = realm.create(Dog.self)
        let recorder = observe(dog, "isInvalidated")
        realm.cancelWrite()
        XCTAssertEqual(recorder.calls, ["isInvalidated 1 old false new true"])
        XCTAssertTrue(dog.isInvalidated)
    }

    func testUpdatesTellWhatTheyWrite() throws {
        let realm = try openRealm()
        let chip = Chip(value: ["code": 1, "label": "a", "count": 5])
        try realm.write { realm.add(chip) }
        let (label, count) = (observe(chip, "label"), observe(chip, "count"))
        try realm.write {
            realm.create(Chip.self, value: ["code": 1, "label": "b", "count": 5], update: .modified)
        }
        XCTAssertEqual(label.calls, ["label 1 old a new b"])
        XCTAssertEqual(count.calls, [])
        try realm.write { realm.create(Chip.self, value: ["code": 1, "count": 5], update: .all) }
        XCTAssertEqual(label.calls.count, 1)
        XCTAssertEqual(count.calls, ["count 1 old 5 new 5"])
        chip.removeObserver(label, forKeyPath: "label")
        chip.removeObserver(count, forKeyPath: "count")
    }

    func testAnObjectCanBeAddedAgainOnceItsObserversAreGone() throws {
        let realm = try openRealm()
        let dog = Dog()
        let recorder = observe(dog, "age")
        dog.removeObserver(recorder, forKeyPath: "age")
        var token: KeyValueObservation? = dog.observe(\.age) { _, _ in }
        XCTAssertNotNil(token)
        token = nil
        try realm.write {
            realm.add(dog)
            dog.age = 3
        }
        XCTAssertEqual(recorder.calls, [])
    }

    func testAReleasedTokenObservesNothing() throws {
        let dog = Dog()
        var calls = 0
        _ = dog.observe(\.age) { _, _ in calls += 1 }
        dog.age = 1
        XCTAssertEqual(calls, 0)
    }

    func testEmbeddedObjectsTellOfTheirEnd() throws {
        let realm = try openRealm()
        let house = House(value: [
            "address": ["street": "a"], "formerAddresses": [["street": "b"], ["street": "c"]],
        ])
        try realm.write { realm.add(house) }
        let address = try XCTUnwrap(house.address)
        let (first, second) = (house.formerAddresses[0], house.formerAddresses[1])
        let recorders = [address, first, second].map { observe($0, "isInvalidated") }
        try realm.write { house.address = Address(value: ["street": "d"]) }
        XCTAssertEqual(recorders.map(\.calls.count), [1, 0, 0])
        try realm.write { house.formerAddresses.remove(at: 0) }
        XCTAssertEqual(recorders.map(\.calls.count), [1, 1, 0])
        try realm.write { realm.delete(house) }
        XCTAssertEqual(recorders.map(\.calls.count), [1, 1, 1])
    }
}
