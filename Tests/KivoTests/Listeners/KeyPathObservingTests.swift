import Foundation
import Kivo
import XCTest

/// Key paths through links: each part is observed, and a change of any part is one notification of the whole path.
final class KeyPathObservingTests: RealmTestCase {
    // MARK: Parts of a path

    func testReplacingClearingAndFillingAnIntermediate() throws {
        try onBothKinds({ Knot.chain(1, 2) }) { knot in
            let recorder = observe(knot, "child.value")
            let first = try XCTUnwrap(knot.child)
            first.value = 3
            XCTAssertEqual(told(recorder), ["child.value 1 old 2 new 3"])
            let second = Knot.chain(7)
            knot.child = second
            XCTAssertEqual(told(recorder), ["child.value 1 old 3 new 7"])
            first.value = 4
            XCTAssertEqual(told(recorder), [], "the old end")
            second.value = 8
            XCTAssertEqual(told(recorder), ["child.value 1 old 7 new 8"])
            knot.child = nil
            XCTAssertEqual(told(recorder), ["child.value 1 old 8 new null"])
            second.value = 9
            XCTAssertEqual(told(recorder), [])
            knot.child = nil
            XCTAssertEqual(told(recorder), ["child.value 1 old null new null"])
            knot.child = first
            XCTAssertEqual(told(recorder), ["child.value 1 old null new 4"])
            first.value = 5
            XCTAssertEqual(told(recorder), ["child.value 1 old 4 new 5"])
            knot.other = second
            knot.value = 0
            first.label = "x"
            XCTAssertEqual(told(recorder), [], "what is not on the path")
            knot.removeObserver(recorder, forKeyPath: "child.value")
            first.value = 6
            knot.child = nil
            XCTAssertEqual(told(recorder), [])
        }
    }

    func testEqualLeavesAndSelfAssignmentAreChanges() throws {
        try onBothKinds({ Knot.chain(1, 2) }) { knot in
            let recorder = observe(knot, "child.value")
            knot.child = Knot.chain(2)
            XCTAssertEqual(told(recorder), ["child.value 1 old 2 new 2"])
            knot.child = knot.child
            XCTAssertEqual(told(recorder), ["child.value 1 old 2 new 2"])
            knot.child?.value = 3
            XCTAssertEqual(told(recorder), ["child.value 1 old 2 new 3"], "once, and still tied")
            knot.removeObserver(recorder, forKeyPath: "child.value")
            let label = observe(knot, "child.label")
            knot.child = nil
            knot.child = Knot()
            XCTAssertEqual(
                told(label), ["child.label 1 old null new null", "child.label 1 old null new null"])
            knot.removeObserver(label, forKeyPath: "child.label")
        }
    }

    func testThreeLevels() throws {
        try onBothKinds({ Knot.chain(1, 2, 3) }) { knot in
            let recorder = observe(knot, "child.child.value")
            let (middle, last) = (try XCTUnwrap(knot.child), try XCTUnwrap(knot.child?.child))
            last.value = 4
            XCTAssertEqual(told(recorder), ["child.child.value 1 old 3 new 4"])
            middle.child = Knot.chain(5)
            XCTAssertEqual(told(recorder), ["child.child.value 1 old 4 new 5"])
            last.value = 6
            XCTAssertEqual(told(recorder), [])
            knot.child = Knot.chain(10, 11)
            XCTAssertEqual(told(recorder), ["child.child.value 1 old 5 new 11"])
            middle.child?.value = 12
            middle.child = nil
            XCTAssertEqual(told(recorder), [], "nothing of the old subtree is heard")
            knot.child?.child = nil
            XCTAssertEqual(told(recorder), ["child.child.value 1 old 11 new null"])
            knot.child = nil
            XCTAssertEqual(told(recorder), ["child.child.value 1 old null new null"])
            knot.child = middle
            XCTAssertEqual(told(recorder), ["child.child.value 1 old null new null"])
            middle.child = last
            XCTAssertEqual(told(recorder), ["child.child.value 1 old null new 6"])
            last.value = 7
            XCTAssertEqual(told(recorder), ["child.child.value 1 old 6 new 7"])
            knot.removeObserver(recorder, forKeyPath: "child.child.value")
        }
    }

    func testTheSameObjectTwiceOnAPath() throws {
        try onBothKinds({ Knot.chain(1) }) { knot in
            knot.child = knot
            let value = observe(knot, "child.child.value")
            let other = observe(knot, "child.child.other.value")
            knot.value = 2
            XCTAssertEqual(told(value), ["child.child.value 1 old 1 new 2"])
            knot.other = knot
            XCTAssertEqual(told(other), ["child.child.other.value 1 old null new 2"])
            knot.value = 3
            XCTAssertEqual(told(value), ["child.child.value 1 old 2 new 3"])
            XCTAssertEqual(told(other), ["child.child.other.value 1 old 2 new 3"])
            knot.child = Knot.chain(8, 9)
            XCTAssertEqual(told(value), ["child.child.value 1 old 3 new 9"])
            XCTAssertEqual(told(other), ["child.child.other.value 1 old 3 new null"])
            knot.value = 4
            XCTAssertEqual(told(value), [])
            knot.removeObserver(value, forKeyPath: "child.child.value")
            knot.removeObserver(other, forKeyPath: "child.child.other.value")
            // Unmanaged objects that hold themselves never go.
            knot.other = nil
        }
    }

    func testPathsThatBeginNowhere() throws {
        try onBothKinds({ Knot() }) { knot in
            let recorder = observe(knot, "child.child.value", [.initial, .old, .new])
            XCTAssertEqual(told(recorder), ["child.child.value 1 new null"])
            knot.child = Knot.chain(1, 2)
            XCTAssertEqual(told(recorder), ["child.child.value 1 old null new 2"])
            knot.removeObserver(recorder, forKeyPath: "child.child.value")
        }
    }

    func testPriorNotificationsOfAPath() throws {
        try onBothKinds({ Knot.chain(1, 2) }) { knot in
            let recorder = observe(knot, "child.value", [.prior, .old, .new])
            knot.child = Knot.chain(5)
            XCTAssertEqual(told(recorder), ["child.value 1 old 2 prior", "child.value 1 old 2 new 5"])
            knot.child?.value = 6
            XCTAssertEqual(told(recorder), ["child.value 1 old 5 prior", "child.value 1 old 5 new 6"])
            knot.removeObserver(recorder, forKeyPath: "child.value")
        }
    }

    func testTheLengthOfAString() throws {
        try onBothKinds({ Knot.chain(1, 2) }) { knot in
            let recorder = observe(knot, "child.label.length")
            knot.child?.label = "four"
            XCTAssertEqual(told(recorder), ["child.label.length 1 old null new 4"])
            knot.child = nil
            XCTAssertEqual(told(recorder), ["child.label.length 1 old 4 new null"])
            knot.removeObserver(recorder, forKeyPath: "child.label.length")
        }
    }

    // MARK: Typed paths

    func testTypedOptionalChaining() throws {
        try onBothKinds({ Knot.chain(1, 2) }) { knot in
            var values: [(Int??, Int??)] = []
            let token = knot.observe(\.child?.value, options: [.old, .new]) { observed, change in
                XCTAssertTrue(observed === knot)
                XCTAssertEqual(change.kind, .setting)
                values.append((change.oldValue, change.newValue))
            }
            knot.child?.value = 3
            knot.child = nil
            knot.child = Knot.chain(4)
            XCTAssertEqual(values.map(\.0), [.some(2), .some(3), .some(nil)])
            XCTAssertEqual(values.map(\.1), [.some(3), .some(nil), .some(4)])
            token.invalidate()
            knot.child = nil
            XCTAssertEqual(values.count, 3)
        }
    }

    func testTypedPathsOfThreeLevels() throws {
        try onBothKinds({ Knot.chain(1, 2, 3) }) { knot in
            var labels: [(String??, String??)] = []
            let token = knot.observe(\.child?.other?.label, options: [.old, .new]) { _, change in
                labels.append((change.oldValue, change.newValue))
            }
            let leaf = Knot()
            leaf.label = "a"
            knot.child?.other = leaf
            knot.child?.other?.label = "b"
            knot.child?.other?.label = nil
            XCTAssertEqual(labels.map(\.0), [.some(nil), .some("a"), .some("b")])
            XCTAssertEqual(labels.map(\.1), [.some("a"), .some("b"), .some(nil)])
            token.invalidate()
        }
    }

    func testTypedLinksAtTheEndOfAPath() throws {
        try onBothKinds({ Knot.chain(1, 2, 3) }) { knot in
            var values: [(Int?, Int?)] = []
            let token = knot.observe(\.child?.child, options: [.old, .new]) { _, change in
                values.append(((change.oldValue ?? nil)?.value, (change.newValue ?? nil)?.value))
            }
            knot.child?.child = Knot.chain(4)
            knot.child = nil
            XCTAssertEqual(values.map(\.0), [3, 4])
            XCTAssertEqual(values.map(\.1), [4, nil])
            token.invalidate()
        }
    }

    func testTypedPathsGoOnFromWhatIsWatched() throws {
        try onBothKinds({ Knot.chain(1, 2) }) { knot in
            var counts: [Int??] = []
            let token = knot.observe(\.child?.label?.count, options: [.new]) { _, change in
                counts.append(change.newValue)
            }
            knot.child?.label = "four"
            knot.child = nil
            XCTAssertEqual(counts, [.some(4), .some(nil)])
            token.invalidate()
        }
    }

    // MARK: Operators and collections

    func testOperators() throws {
        try onBothKinds({ Person() }) { person in
            let count = observe(person, "dogs.@count", [.initial, .old, .new])
            let sum = observe(person, "dogs.@sum.age")
            XCTAssertEqual(told(count), ["dogs.@count 1 new 0"])
            person.dogs.append(Dog(value: ["age": 3]))
            XCTAssertEqual(told(count), ["dogs.@count 1 old 0 new 1"])
            XCTAssertEqual(told(sum), ["dogs.@sum.age 1 old 0 new 3"])
            person.dogs.append(objectsIn: [Dog(value: ["age": 4]), Dog(value: ["age": 5])])
            XCTAssertEqual(told(count), ["dogs.@count 1 old 1 new 3"])
            XCTAssertEqual(told(sum), ["dogs.@sum.age 1 old 3 new 12"])
            person.dogs.remove(at: 0)
            XCTAssertEqual(told(sum), ["dogs.@sum.age 1 old 12 new 9"])
            XCTAssertEqual(told(count), ["dogs.@count 1 old 3 new 2"])
            person.dogs.removeAll()
            XCTAssertEqual(told(count), ["dogs.@count 1 old 2 new 0"])
            person.removeObserver(count, forKeyPath: "dogs.@count")
            person.removeObserver(sum, forKeyPath: "dogs.@sum.age")
        }
    }

    func testOperatorsBehindALink() throws {
        try onBothKinds({ Knot.chain(1, 2) }) { knot in
            let recorder = observe(knot, "child.list.@count")
            knot.child?.list.append(Knot())
            XCTAssertEqual(told(recorder), ["child.list.@count 1 old 0 new 1"])
            knot.child = Knot()
            XCTAssertEqual(told(recorder), ["child.list.@count 1 old 1 new 0"])
            knot.child = nil
            XCTAssertEqual(told(recorder), ["child.list.@count 1 old 0 new null"])
            knot.removeObserver(recorder, forKeyPath: "child.list.@count")
        }
    }

    func testOperatorsFollowARefresh() throws {
        let realm = try openRealm()
        let person = Person(value: ["dogs": [["age": 1]]])
        try realm.write { realm.add(person) }
        let (count, sum) = (observe(person, "dogs.@count"), observe(person, "dogs.@sum.age"))
        try writeElsewhere { realm in
            realm.objects(Person.self)[0].dogs.append(objectsIn: [Dog(value: ["age": 5]), Dog()])
        }
        realm.refresh()
        XCTAssertEqual(told(count), ["dogs.@count 1 old 1 new 3"])
        XCTAssertEqual(told(sum), ["dogs.@sum.age 1 old 1 new 6"])
        try writeElsewhere { realm in realm.objects(Person.self)[0].dogs[0].age = 100 }
        realm.refresh()
        XCTAssertEqual(told(count), [])
        XCTAssertEqual(told(sum), [], "what the elements have is not watched")
        person.removeObserver(count, forKeyPath: "dogs.@count")
        person.removeObserver(sum, forKeyPath: "dogs.@sum.age")
    }

    func testACollectionAtTheEndOfAPath() throws {
        try onBothKinds({ Knot.chain(1, 2) }) { knot in
            let recorder = observe(knot, "child.list", [])
            knot.child?.list.append(Knot())
            XCTAssertEqual(told(recorder).count, 1)
            knot.child = nil
            XCTAssertEqual(told(recorder), ["child.list 1"])
            knot.removeObserver(recorder, forKeyPath: "child.list")
        }
    }

    func testAListThatEndsWithItsOwner() throws {
        let realm = try openRealm()
        let knot = Knot.chain(1, 2)
        try realm.write { realm.add(knot) }
        let mine = observe(knot, "list.isInvalidated")
        let theirs = observe(knot, "child.list.isInvalidated")
        try realm.write { knot.list.append(Knot()) }
        // An observer of the list's path is also notified of the list's content, which is a part of the path.
        XCTAssertEqual(told(mine), ["list.isInvalidated 1 old false new false"])
        XCTAssertEqual(told(theirs), [])
        try realm.write { realm.delete(try XCTUnwrap(knot.child)) }
        XCTAssertEqual(told(theirs), ["child.list.isInvalidated 1 old false new null"])
        try realm.write { realm.delete(knot) }
        XCTAssertEqual(told(mine), ["list.isInvalidated 1 old false new true"])
    }

    func testTheEndOfALinkedObject() throws {
        let realm = try openRealm()
        let knot = Knot.chain(1, 2)
        try realm.write { realm.add(knot) }
        let recorder = observe(knot, "child.invalidated")
        try realm.write { realm.delete(try XCTUnwrap(knot.child)) }
        XCTAssertEqual(told(recorder), ["child.invalidated 1 old false new null"])
        knot.removeObserver(recorder, forKeyPath: "child.invalidated")
    }
}
