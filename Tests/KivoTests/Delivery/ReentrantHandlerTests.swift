import Foundation
import Kivo
import XCTest

/// Handlers that change, around a change, what the change is of.
final class ReentrantHandlerTests: RealmTestCase {
    /// A block that runs once.
    private final class Once {
        private var isSpent = false
        func run(_ body: () -> Void) {
            if isSpent { return }
            isSpent = true
            body()
        }
    }

    // MARK: Before the change

    func testSetsThatChangeBeforeTheirChange() throws {
        try onBothKinds({ Bag(value: ["words": [], "numberSet": [1, 2, 3]]) }) { bag in
            let once = Once()
            let token = bag.observe(\.numberSet, options: .prior) { bag, change in
                if change.isPrior { once.run { bag.numberSet.remove(1) } }
            }
            bag.numberSet.remove(2)
            XCTAssertEqual(Set(bag.numberSet), [3])
            token.invalidate()
            let again = Once()
            let inserting = bag.observe(\.numberSet, options: .prior) { bag, change in
                if change.isPrior { again.run { bag.numberSet.insert(8) } }
            }
            bag.numberSet.insert(9)
            XCTAssertEqual(Set(bag.numberSet), [3, 8, 9])
            inserting.invalidate()
        }
    }

    func testMapsThatChangeBeforeTheirChange() throws {
        try onBothKinds({ Bag(value: ["counts": ["a": 1, "b": 2]]) }) { bag in
            let once = Once()
            let token = bag.observe(\.counts, options: .prior) { bag, change in
                if change.isPrior { once.run { bag.counts["b"] = nil } }
            }
            bag.counts["b"] = nil
            XCTAssertEqual(bag.counts.keys, ["a"])
            token.invalidate()
            let again = Once()
            let inserting = bag.observe(\.counts, options: .prior) { bag, change in
                if change.isPrior { again.run { bag.counts["x"] = 3 } }
            }
            bag.counts["y"] = 4
            XCTAssertEqual(bag.counts.keys, ["a", "x", "y"])
            inserting.invalidate()
        }
    }

    // MARK: After the change

    func testDeletingTheObjectInAHandlerOfItsChange() throws {
        let realm = try openRealm()
        let (dog, person) = (Dog(), Person(value: ["dogs": [["name": "Rex"]]]))
        try realm.write { realm.add([dog, person] as [Object]) }
        let token = dog.observe(\.age) { dog, _ in if !dog.isInvalidated { realm.delete(dog) } }
        let link = person.observe(\.favourite) { person, _ in
            if !person.isInvalidated { realm.delete(person) }
        }
        try realm.write { dog.age = 1 }
        XCTAssertTrue(dog.isInvalidated)
        try realm.write { person.favourite = Dog() }
        XCTAssertTrue(person.isInvalidated)
        token.invalidate()
        link.invalidate()
    }

    func testAnUpdateWhoseObjectAHandlerDeletes() throws {
        let realm = try openRealm()
        let chip = Chip(value: ["code": 1, "label": "a"])
        try realm.write { realm.add(chip) }
        let token = chip.observe(\.label) { chip, _ in if !chip.isInvalidated { realm.delete(chip) } }
        try realm.write { _ = realm.create(Chip.self, value: ["code": 1, "label": "b"], update: .all) }
        XCTAssertTrue(chip.isInvalidated)
        token.invalidate()
    }

    func testAHandlerThatEmptiesTheListBeforeOthersAreTold() throws {
        try onBothKinds({ Bag() }) { bag in
            let token = bag.observe(\.numbers) { bag, change in
                if change.kind == .insertion { bag.numbers.removeAll() }
            }
            let recorder = observe(bag, "numbers", .new)
            bag.numbers.append(1)
            XCTAssertEqual(told(recorder), ["numbers 3 at [0]", "numbers 2 new [] at [0]"])
            token.invalidate()
            bag.removeObserver(recorder, forKeyPath: "numbers")
        }
    }

    func testAnObserverAddedByAnotherDoesNotHideAChange() throws {
        let realm = try openRealm()
        let dog = Dog(value: ["name": "Rex"])
        try realm.write { realm.add(dog) }
        var extra: [KeyValueObservation] = []
        let name = dog.observe(\.name) { dog, _ in
            extra.append(dog.observe(\.age, options: .old) { _, _ in })
        }
        let age = observe(dog, "age", [])
        try writeElsewhere {
            $0.objects(Dog.self)[0].name = "Max"
            $0.objects(Dog.self)[0].age = 2
        }
        realm.refresh()
        XCTAssertEqual(told(age), ["age 1"])
        name.invalidate()
        extra = []
        dog.removeObserver(age, forKeyPath: "age")
    }

    // MARK: What is gone, and what comes back

    func testAPathOfAnObjectWhoseDeletionIsTakenBack() throws {
        let realm = try openRealm()
        let knot = Knot.chain(1, 2)
        try realm.write { realm.add(knot) }
        let child = try XCTUnwrap(knot.child)
        let recorder = observe(knot, "child.value")
        realm.beginWrite()
        knot.child = Knot.chain(9)
        realm.delete(knot)
        realm.cancelWrite()
        _ = told(recorder)
        try realm.write { child.value = 3 }
        XCTAssertEqual(told(recorder), ["child.value 1 old 2 new 3"])
        knot.removeObserver(recorder, forKeyPath: "child.value")
    }

    func testATypedPathToAnObjectThatIsGone() throws {
        let realm = try openRealm()
        let dog = Dog(value: ["name": "Rex"])
        try realm.write { realm.add(dog) }
        let model = Selecting()
        model.selection = dog
        var values: [(String??, String??)] = []
        let token = model.observe(\.selection?.name, options: [.old, .new]) { _, change in
            values.append((change.oldValue, change.newValue))
        }
        try realm.write { realm.delete(dog) }
        model.selection = nil
        XCTAssertEqual(values.count, 1)
        XCTAssertEqual(values.first?.0, .some(.some(nil)))
        XCTAssertEqual(values.first?.1, .some(.some(nil)))
        token.invalidate()
    }

    func testAListThatWasObservedBeforeItWasManaged() throws {
        let realm = try openRealm()
        let bag = Bag()
        let (list, recorder) = (bag.numbers, ValueRecorder())
        list.addObserver(recorder, forKeyPath: "isInvalidated", options: [.old, .new])
        try realm.write { realm.add(bag) }
        try realm.write { realm.delete(bag) }
        XCTAssertEqual(told(recorder), ["isInvalidated 1 old false new true"])
        list.removeObserver(recorder, forKeyPath: "isInvalidated")
    }

    func testAnObserverThatIsGoneDoesNotKeepItsObjectOutOfARealm() throws {
        let realm = try openRealm()
        let dog = Dog()
        dog.addObserver(ValueRecorder(), forKeyPath: "age")
        try realm.write { realm.add(dog) }
        XCTAssertNotNil(dog.realm)
    }

    /// The getter of a computed property that has rules is not tried out on a blank object.
    func testAComputedPropertyThatDoesNotWorkOnABlankObject() {
        let ratio = Ratio()
        ratio.total = 6
        ratio.count = 3
        var values: [Int?] = []
        let token = ratio.observe(\.value, options: .new) { _, change in values.append(change.newValue) }
        ratio.total = 9
        XCTAssertEqual(values, [3])
        token.invalidate()
    }

    /// A subclass may override a property: its value is what the override answers.
    func testAnOverriddenProperty() {
        let secret = SecretDog()
        var names: [String?] = []
        let token = secret.observe(\.name, options: .new) { _, change in names.append(change.newValue) }
        secret.name = "Rex"
        secret.isSecret = true
        secret.name = "Max"
        XCTAssertEqual(names, ["Rex", "***"])
        token.invalidate()
    }
}

class Selecting: Object {
    @Ignored var selection: Dog?
}

class Ratio: Object, KeyValueObservingCustomization {
    @Persisted var total = 0
    @Persisted var count = 0
    var value: Int { total / count }

    static func keyPathsAffectingValue(for key: AnyKeyPath) -> Set<AnyKeyPath> {
        key == \Ratio.value ? [\Ratio.total, \Ratio.count] : []
    }

    static func automaticallyNotifiesObservers(for key: AnyKeyPath) -> Bool { true }
}

class SecretDog: Dog {
    var isSecret = false
    override var name: String {
        get { isSecret ? "***" : super.name }
        set { super.name = newValue }
    }
}
