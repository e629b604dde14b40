import Foundation
import Kivo
import XCTest

/// Frozen forms are values that every thread and task may have, and read like what they were made of.
final class FrozenSnapshotTests: RealmTestCase {
    private func packed() throws -> (realm: Realm, parcel: CrossingParcel) {
        let realm = try openRealm()
        let parcel = CrossingParcel(value: [
            "number": 1, "label": "first", "limit": 4, "stamp": ["value": 7], "codes": [3, 1, 2],
            "tags": ["b", "a"], "counts": ["x": 1, "y": 2],
            "parts": [["number": 2, "label": "b", "weight": 5], ["number": 3, "label": "a", "weight": 6]],
            "stamps": [["value": 8]], "named": ["one": ["number": 4, "label": "named"]],
        ])
        try realm.write { realm.add(parcel) }
        return (realm, parcel)
    }

    func testAnObjectIsReadInATask() throws {
        let (realm, parcel) = try packed()
        let frozen = parcel.frozenSnapshot()
        try realm.write { realm.deleteAll() }
        try inTask {
            XCTAssertEqual(frozen.label, "first")
            XCTAssertEqual(frozen.limit, 4)
            XCTAssertEqual(frozen.title, "1 first")
            XCTAssertEqual(frozen.stamp?.value, 7)
            XCTAssertNil(frozen.next)
            XCTAssertEqual(Array(frozen.codes), [3, 1, 2])
            XCTAssertEqual(frozen.codes.sorted().last, 3)
            XCTAssertTrue(frozen.tags.contains("a"))
            XCTAssertEqual(frozen.counts["y"], 2)
            XCTAssertNil(frozen.counts["z"])
            XCTAssertEqual(frozen.counts.keys, ["x", "y"])
            XCTAssertEqual(frozen.counts.map(\.value), [1, 2])
            XCTAssertEqual(frozen.named["one"]??.label, "named")
            XCTAssertEqual(frozen.stamps.first?.value, 8)
            let part: Frozen<CrossingParcel> = try XCTUnwrap(frozen.parts.first)
            XCTAssertEqual(part.holders.map(\.label), ["first"])
            XCTAssertEqual(part.holders[0], frozen)
            XCTAssertEqual(Set([frozen, part.holders[0]]).count, 1)
            XCTAssertTrue(frozen.description.contains("first"))
            XCTAssertTrue(frozen.base.isFrozen)
            XCTAssertNil(frozen.thaw())
        }
    }

    func testCollectionsAreFilteredAndSortedInATask() throws {
        let (realm, parcel) = try packed()
        let all = realm.objects(CrossingParcel.self).frozenSnapshot()
        let parts = parcel.parts.frozenSnapshot()
        let erased = AnyRealmCollection(parcel.parts).frozenSnapshot()
        let codes = parcel.codes.frozenSnapshot()
        let counts = parcel.counts.frozenSnapshot()
        let version = realm.frozenSnapshot()
        try realm.write { realm.deleteAll() }
        try inTask {
            XCTAssertEqual(all.count, 4)
            XCTAssertEqual(all.where { $0.weight > 5 }.map(\.number), [3])
            XCTAssertEqual(all.filter("weight >= %@", 5).count, 2)
            XCTAssertEqual(all.filter { $0.weight >= 5 }.count, 2, "as any sequence")
            XCTAssertEqual(parts.sorted(by: \.label).map(\.label), ["a", "b"])
            XCTAssertEqual(parts.sorted(byKeyPath: "label", ascending: false).map(\.label), ["b", "a"])
            XCTAssertEqual(parts.sorted(by: ["label"])[0].number, 3)
            XCTAssertEqual(all.distinct(by: ["weight"]).count, 3)
            XCTAssertEqual(parts.sum(of: \.weight), 11)
            XCTAssertEqual(parts.max(of: \.weight), 6)
            XCTAssertEqual(parts.min(ofProperty: "weight"), 5)
            XCTAssertEqual(parts.average(of: \.weight), 5.5)
            XCTAssertEqual(parts.index { $0.number == 3 }, 1)
            XCTAssertEqual(parts.index(matching: { $0.number == 3 }), 1)
            XCTAssertEqual(parts.last?.number, 3)
            XCTAssertEqual(parts.reversed().map(\.number), [3, 2])
            XCTAssertEqual(erased.map(\.number), [2, 3])
            XCTAssertEqual(codes.max(), 3)
            XCTAssertFalse(counts.isEmpty)
            XCTAssertEqual(version.objects(CrossingParcel.self).count, 4)
            XCTAssertEqual(version.object(ofType: CrossingParcel.self, forPrimaryKey: 4)?.label, "named")
            XCTAssertNil(version.object(ofType: CrossingParcel.self, forPrimaryKey: 5))
            XCTAssertFalse(version.isEmpty)
        }
    }

    func testThawingGivesTheLiveValueOfThePlace() throws {
        let (realm, parcel) = try packed()
        let (frozen, codes, version) = (
            parcel.frozenSnapshot(), parcel.codes.frozenSnapshot(), realm.frozenSnapshot()
        )
        try realm.write { parcel.label = "new" }
        XCTAssertEqual(frozen.label, "first")
        XCTAssertEqual(frozen.thaw()?.label, "new")
        XCTAssertTrue(try XCTUnwrap(frozen.thaw()).isSameObject(as: parcel))
        XCTAssertEqual(codes.thaw(), parcel.codes)
        XCTAssertEqual(version.thaw(), realm)
        try inTask {
            let live = try XCTUnwrap(frozen.thaw())
            try XCTUnwrap(live.realm).write { live.label = "newer" }
        }
        realm.refresh()
        XCTAssertEqual(parcel.label, "newer")
    }

    func testMadeInsideOfAWriteTheyShowTheStateBefore() throws {
        let (realm, parcel) = try packed()
        try realm.write {
            parcel.label = "new"
            parcel.codes.append(4)
            XCTAssertEqual(parcel.frozenSnapshot().label, "first")
            XCTAssertEqual(parcel.codes.frozenSnapshot().count, 3)
            realm.create(CrossingParcel.self, value: ["number": 9])
            XCTAssertEqual(realm.frozenSnapshot().objects(CrossingParcel.self).count, 4)
        }
    }

    /// The stored properties that are not persisted are not shared between threads.
    func testStoredPropertiesOfTheClassAreNotShared() throws {
        let realm = try openRealm()
        let counter = try realm.write { realm.create(CrossingCounter.self, value: ["start": 5]) }
        let frozen = counter.frozenSnapshot()
        let first = frozen.base
        XCTAssertFalse(first === frozen.base)
        first.steps.append(0)
        XCTAssertEqual(frozen.steps, [5, 6])
        try inTask {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 { group.addTask { for _ in 0..<50 { XCTAssertEqual(frozen.steps, [5, 6]) } } }
            }
        }
        let parcel = try realm.write { realm.create(CrossingParcel.self, value: ["number": 1]) }
            .frozenSnapshot()
        XCTAssertTrue(parcel.base === parcel.base, "there is nothing else to share")
    }

    func testTheyKeepTheirVersionAndLetItGo() throws {
        let (realm, parcel) = try packed()
        let before = realm.versionCount
        var frozen: Frozen<CrossingParcel>? = parcel.frozenSnapshot()
        var codes = frozen?.codes
        try realm.write { parcel.label = "new" }
        XCTAssertGreaterThan(realm.versionCount, before)
        frozen = nil
        XCTAssertNil(frozen)
        XCTAssertEqual(codes?.count, 3)
        codes = nil
        XCTAssertNil(codes)
        XCTAssertEqual(realm.versionCount, before)
    }

    func testIdentity() throws {
        let (realm, parcel) = try packed()
        let frozen = parcel.frozenSnapshot()
        XCTAssertEqual(frozen.id, parcel.id)
        try realm.write { parcel.label = "new" }
        XCTAssertEqual(parcel.frozenSnapshot().id, frozen.id)
        XCTAssertNotEqual(parcel.frozenSnapshot(), frozen, "another version")
    }

    /// Carries work out in a detached task, and returns when it is done.
    private func inTask(_ work: @escaping @Sendable () async throws -> Void) throws {
        let (failure, done) = (Shared<(any Error)?>(nil), DispatchSemaphore(value: 0))
        Task.detached {
            do { try await work() } catch { failure.update { $0 = error } }
            done.signal()
        }
        done.wait()
        if let error = failure.value { throw error }
    }
}
