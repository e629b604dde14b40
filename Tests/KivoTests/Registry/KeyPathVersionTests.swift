import Foundation
import Kivo
import XCTest

/// Key paths of managed objects: deletion, other accessors, refreshes and rollbacks.
final class KeyPathVersionTests: RealmTestCase {
    // MARK: Deletion

    func testDeletingAnIntermediate() throws {
        let realm = try openRealm()
        let knot = Knot.chain(1, 2, 3)
        try realm.write { realm.add(knot) }
        let (near, far) = (observe(knot, "child.value"), observe(knot, "child.child.value"))
        try realm.write {
            let last = try XCTUnwrap(knot.child?.child)
            realm.delete(try XCTUnwrap(knot.child))
            XCTAssertEqual(told(near), ["child.value 1 old 2 new null"])
            XCTAssertEqual(told(far), ["child.child.value 1 old 3 new null"])
            last.value = 4
            XCTAssertEqual(told(far), [])
            knot.child = Knot.chain(7, 8)
        }
        XCTAssertEqual(told(near), ["child.value 1 old null new 7"])
        XCTAssertEqual(told(far), ["child.child.value 1 old null new 8"])
        try realm.write { realm.delete(try XCTUnwrap(knot.child?.child)) }
        XCTAssertEqual(told(near), [])
        XCTAssertEqual(told(far), ["child.child.value 1 old 8 new null"])
        knot.removeObserver(near, forKeyPath: "child.value")
        knot.removeObserver(far, forKeyPath: "child.child.value")
    }

    func testDeletingAnIntermediateElsewhere() throws {
        let realm = try openRealm()
        let knot = Knot.chain(1, 2, 3)
        try realm.write { realm.add(knot) }
        let (near, far) = (observe(knot, "child.value"), observe(knot, "child.child.value"))
        try writeElsewhere { realm in realm.delete(realm.objects(Knot.self).where { $0.value == 2 }) }
        realm.refresh()
        XCTAssertEqual(told(near), ["child.value 1 old 2 new null"])
        XCTAssertEqual(told(far), ["child.child.value 1 old 3 new null"])
        try writeElsewhere { realm in
            realm.objects(Knot.self).first { $0.value == 1 }?.child = realm.objects(Knot.self).first {
                $0.value == 3
            }
        }
        realm.refresh()
        XCTAssertEqual(told(near), ["child.value 1 old null new 3"])
        try realm.write { knot.child?.value = 30 }
        XCTAssertEqual(told(near), ["child.value 1 old 3 new 30"])
        knot.removeObserver(near, forKeyPath: "child.value")
        knot.removeObserver(far, forKeyPath: "child.child.value")
    }

    func testDeletingTheObservedObject() throws {
        let realm = try openRealm()
        let knot = Knot.chain(1, 2)
        try realm.write { realm.add(knot) }
        let recorder = observe(knot, "child.value")
        let child = try XCTUnwrap(knot.child)
        try realm.write { realm.delete(knot) }
        try realm.write { child.value = 3 }
        XCTAssertEqual(told(recorder), [], "the dead object tells nothing but its end")
        knot.removeObserver(recorder, forKeyPath: "child.value")
    }

    // MARK: Many accessors, refreshing, rolling back

    func testAnAssignmentThroughAnotherAccessor() throws {
        let realm = try openRealm()
        let knot = Knot.chain(1, 2)
        try realm.write { realm.add(knot) }
        let recorder = observe(knot, "child.value")
        let again = try XCTUnwrap(realm.objects(Knot.self).first { $0.value == 1 })
        let child = try XCTUnwrap(realm.objects(Knot.self).first { $0.value == 2 })
        XCTAssertFalse(again === knot)
        try realm.write {
            child.value = 3
            XCTAssertEqual(told(recorder), ["child.value 1 old 2 new 3"])
            again.child = again
            XCTAssertEqual(told(recorder), ["child.value 1 old 3 new 1"])
            child.value = 4
            XCTAssertEqual(told(recorder), [])
            again.value = 5
            XCTAssertEqual(told(recorder), ["child.value 1 old 1 new 5"])
        }
        knot.removeObserver(recorder, forKeyPath: "child.value")
    }

    func testSeveralPartsInOneRefreshAreOneChange() throws {
        let realm = try openRealm()
        let knot = Knot.chain(1, 2, 3)
        try realm.write { realm.add(knot) }
        let recorder = observe(knot, "child.child.value", [.prior, .old, .new])
        try writeElsewhere { realm in
            let knots = realm.objects(Knot.self)
            let knot = try XCTUnwrap(knots.first { $0.value == 1 })
            knot.child?.child?.value = 30
            knot.child?.child = Knot.chain(40)
            knot.child = Knot.chain(50, 60)
            knot.child?.child?.value = 61
        }
        XCTAssertEqual(told(recorder), [])
        realm.refresh()
        XCTAssertEqual(
            told(recorder), ["child.child.value 1 old 3 prior", "child.child.value 1 old 3 new 61"])
        try writeElsewhere { realm in
            realm.objects(Knot.self).first { $0.value == 30 }?.value = 31
            realm.objects(Knot.self).first { $0.value == 40 }?.value = 41
        }
        realm.refresh()
        XCTAssertEqual(told(recorder), [], "what was on the path and is not any more")
        try writeElsewhere { realm in realm.objects(Knot.self).first { $0.value == 61 }?.value = 62 }
        realm.refresh()
        XCTAssertEqual(
            told(recorder), ["child.child.value 1 old 61 prior", "child.child.value 1 old 61 new 62"])
        knot.removeObserver(recorder, forKeyPath: "child.child.value")
    }

    /// The list of the old child grows in the same transaction that replaces the child by one whose list is empty.
    func testAListThatGrowsOnAnObjectThatLeavesThePath() throws {
        let realm = try openRealm()
        let knot = Knot()
        try realm.write {
            // The child comes first in its table.
            let child = realm.create(Knot.self, value: ["value": 2])
            realm.add(knot)
            knot.child = child
        }
        let recorder = observe(knot, "child.list")
        try writeElsewhere { realm in
            let old = try XCTUnwrap(realm.objects(Knot.self).first { $0.value == 2 })
            old.list.append(Knot())
            realm.objects(Knot.self).first { $0.child != nil }?.child = Knot()
        }
        realm.refresh()
        XCTAssertEqual(told(recorder), ["child.list 1 old [] new []"])
        knot.removeObserver(recorder, forKeyPath: "child.list")
    }

    func testTypedPathsFollowARefresh() throws {
        let realm = try openRealm()
        let knot = Knot.chain(1, 2)
        try realm.write { realm.add(knot) }
        var values: [(Int??, Int??)] = []
        let token = knot.observe(\.child?.value, options: [.old, .new]) { _, change in
            values.append((change.oldValue, change.newValue))
        }
        try writeElsewhere { realm in realm.objects(Knot.self).first { $0.value == 1 }?.child = nil }
        realm.refresh()
        try writeElsewhere { realm in
            realm.objects(Knot.self).first { $0.value == 1 }?.child = Knot.chain(9)
        }
        realm.refresh()
        XCTAssertEqual(values.map(\.0), [.some(2), .some(nil)])
        XCTAssertEqual(values.map(\.1), [.some(nil), .some(9)])
        token.invalidate()
    }

    func testRollingBack() throws {
        let realm = try openRealm()
        let knot = Knot.chain(1, 2)
        try realm.write { realm.add(knot) }
        let recorder = observe(knot, "child.value")
        realm.beginWrite()
        knot.child?.value = 3
        knot.child = Knot.chain(4)
        XCTAssertEqual(told(recorder), ["child.value 1 old 2 new 3", "child.value 1 old 3 new 4"])
        realm.cancelWrite()
        XCTAssertEqual(told(recorder), ["child.value 1 old 4 new 2"])
        try realm.write { knot.child?.value = 5 }
        XCTAssertEqual(
            told(recorder), ["child.value 1 old 2 new 5"], "the path is tied to the old child again")
        realm.beginWrite()
        realm.delete(try XCTUnwrap(knot.child))
        XCTAssertEqual(told(recorder), ["child.value 1 old 5 new null"])
        realm.cancelWrite()
        XCTAssertEqual(told(recorder), ["child.value 1 old null new 5"])
        try realm.write { knot.child?.value = 6 }
        XCTAssertEqual(told(recorder), ["child.value 1 old 5 new 6"])
        knot.removeObserver(recorder, forKeyPath: "child.value")
    }

    /// An unmanaged object that refers to a managed one hears what happens to that.
    func testAnUnmanagedObjectWithAManagedEnd() throws {
        let realm = try openRealm()
        let (knot, child) = (Knot(), Knot())
        try realm.write { realm.add(child) }
        knot.child = child
        let recorder = observe(knot, "child.value")
        try realm.write { child.value = 1 }
        try writeElsewhere { $0.objects(Knot.self)[0].value = 2 }
        realm.refresh()
        XCTAssertEqual(told(recorder), ["child.value 1 old 0 new 1", "child.value 1 old 1 new 2"])
        knot.removeObserver(recorder, forKeyPath: "child.value")
    }

    func testEmbeddedObjectsOnAPath() throws {
        let realm = try openRealm()
        let house = House(value: ["address": ["street": "a"]])
        try realm.write { realm.add(house) }
        let street = observe(house, "address.street")
        let end = observe(house, "address.isInvalidated")
        let link = observe(house, "address", [])
        try realm.write {
            house.address?.street = "b"
            house.address = Address(value: ["street": "c"])
        }
        XCTAssertEqual(
            told(street), ["address.street 1 old a new b", "address.street 1 old b new c"])
        XCTAssertEqual(told(end), ["address.isInvalidated 1 old false new false"])
        XCTAssertEqual(told(link), ["address 1"])
        try realm.write { house.address = nil }
        XCTAssertEqual(told(link), ["address 1"])
        XCTAssertEqual(told(street), ["address.street 1 old c new null"])
        XCTAssertEqual(told(end), ["address.isInvalidated 1 old false new null"])
        house.removeObserver(street, forKeyPath: "address.street")
        house.removeObserver(end, forKeyPath: "address.isInvalidated")
        house.removeObserver(link, forKeyPath: "address")
    }
}
