import Kivo
import XCTest

/// Map notifications of keys and values.
final class MapNotificationTests: MapNotificationTestCase {
    func testKeysComeSortedInAllThree() throws {
        let realm = try openRealm()
        let bag = try bag(["a": 1, "c": 3, "e": 5, "g": 7, "i": 9], in: realm)
        let told = observe(bag.counts)
        try realm.write {
            bag.counts["i"] = nil
            bag.counts["z"] = 1
            bag.counts["g"] = 70
            bag.counts["b"] = 1
            bag.counts["c"] = 30
            bag.counts["a"] = nil
        }
        realm.refresh()
        XCTAssertEqual(told.value, [#"-["a", "i"] +["b", "z"] ~["c", "g"]"#])
    }

    func testPuttingAnEqualValueIsAModification() throws {
        let realm = try openRealm()
        let bag = try bag(["a": 1, "b": 2], in: realm)
        let told = observe(bag.counts)
        try realm.write { bag.counts["b"] = 2 }
        realm.refresh()
        XCTAssertEqual(told.value, [#"-[] +[] ~["b"]"#])
    }

    func testAKeyRemovedAndPutAgainIsDeletedAndInserted() throws {
        let realm = try openRealm()
        let bag = try bag(["a": 1, "b": 2], in: realm)
        let told = observe(bag.counts)
        try realm.write {
            bag.counts["a"] = nil
            bag.counts["a"] = 1
        }
        realm.refresh()
        XCTAssertEqual(told.value, [#"-["a"] +["a"] ~[]"#])
        told.value = []
        try writeElsewhere { $0.objects(Bag.self)[0].counts["b"] = nil }
        try writeElsewhere { $0.objects(Bag.self)[0].counts["b"] = 7 }
        realm.refresh()
        XCTAssertEqual(told.value, [#"-["b"] +["b"] ~[]"#], "also over two commits")
    }

    func testReplacingAllEntriesDeletesAndInsertsThem() throws {
        let realm = try openRealm()
        let bag = try bag(["a": 1, "b": 2], in: realm)
        let told = observe(bag.counts)
        let other = Map<String, Int>()
        other["b"] = 2
        other["c"] = 3
        try realm.write { bag.counts = other }
        realm.refresh()
        try realm.write { bag.counts.removeAll() }
        realm.refresh()
        XCTAssertEqual(told.value, [#"-["a", "b"] +["b", "c"] ~[]"#, #"-["b", "c"] +[] ~[]"#])
    }

    func testAClearIsToldAlsoIfNothingElseIsLeft() throws {
        let realm = try openRealm()
        let bag = try bag(in: realm)
        let told = observe(bag.counts)
        try realm.write {
            bag.counts["a"] = 1
            bag.counts.removeAll()
        }
        realm.refresh()
        try realm.write { bag.counts.removeAll() }
        realm.refresh()
        XCTAssertEqual(told.value, ["-[] +[] ~[]"], "as lists do; clearing an empty map is nothing")
    }

    func testWhatComesAndGoesIsNoChange() throws {
        let realm = try openRealm()
        let bag = try bag(["a": 1], in: realm)
        let told = observe(bag.counts)
        try realm.write {
            bag.counts["b"] = 2
            bag.counts["b"] = nil
            bag.counts.removeObject(for: "c")
        }
        realm.refresh()
        try realm.write { bag.name = "renamed" }
        realm.refresh()
        try realm.write { bag.maybeCounts["a"] = 1 }
        realm.refresh()
        realm.beginWrite()
        bag.counts["a"] = nil
        realm.cancelWrite()
        realm.refresh()
        XCTAssertEqual(told.value, [])
    }

    func testCommitsThatWereNotToldComeAsOne() throws {
        let realm = try openRealm()
        let bag = try bag(["a": 1, "b": 2, "c": 3], in: realm)
        let told = observe(bag.counts)
        try writeElsewhere { realm in
            let counts = realm.objects(Bag.self)[0].counts
            counts["a"] = nil
            counts["d"] = 4
            counts["b"] = 3
        }
        try writeElsewhere { realm in
            let counts = realm.objects(Bag.self)[0].counts
            counts["d"] = 5
            counts["b"] = nil
            counts["c"] = 4
        }
        realm.refresh()
        XCTAssertEqual(told.value, [#"-["a", "b"] +["d"] ~["c"]"#])
    }

    func testKeysOfAnotherMapOfTheSameObjectAndOfAnotherObjectAreNotTold() throws {
        let realm = try openRealm()
        let (first, second) = (try bag(["a": 1], in: realm), try bag(["a": 1], in: realm))
        let told = observe(first.counts)
        try realm.write {
            second.counts["a"] = nil
            second.counts["b"] = 2
            first.maybeCounts["z"] = 1
        }
        realm.refresh()
        XCTAssertEqual(told.value, [])
    }

    func testNilAsAValue() throws {
        let realm = try openRealm()
        let bag = try bag(in: realm)
        try realm.write { bag.maybeCounts["a"] = 1 }
        let told = observe(bag.maybeCounts)
        try realm.write {
            bag.maybeCounts["a"] = .some(nil)
            bag.maybeCounts["b"] = .some(nil)
        }
        realm.refresh()
        XCTAssertEqual(told.value, [#"-[] +["b"] ~["a"]"#])
    }

    // MARK: The owner

    func testDeletingTheOwnerDeletesAllKeysOnce() throws {
        let realm = try openRealm()
        let (full, empty) = (try bag(["a": 1, "b": 2], in: realm), try bag(in: realm))
        let (told, toldOfEmpty) = (observe(full.counts), observe(empty.counts))
        try writeElsewhere { realm in
            let counts = realm.objects(Bag.self)[0].counts
            counts["b"] = nil
            counts["c"] = 3
            realm.delete(realm.objects(Bag.self))
        }
        realm.refresh()
        _ = try bag(["d": 1], in: realm)
        realm.refresh()
        XCTAssertEqual(told.value, [#"-["a", "b"] +[] ~[]"#])
        XCTAssertEqual(toldOfEmpty.value, [], "an empty map has nothing to tell")
    }

    func testAMapWhoseOwnerIsDeletedBeforeTheFirstCall() throws {
        let realm = try openRealm()
        let bag = try bag(["a": 1], in: realm)
        var told: [String] = []
        let token = bag.counts.observe { told.append(self.text($0)) }
        try writeElsewhere { $0.delete($0.objects(Bag.self)) }
        realm.refresh()
        _ = try self.bag(in: realm)
        realm.refresh()
        XCTAssertTrue(bag.isInvalidated)
        XCTAssertEqual(told, ["initial"])
        token.invalidate()
    }
}
