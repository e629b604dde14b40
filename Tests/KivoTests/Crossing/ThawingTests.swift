import Dispatch
import Foundation
import Kivo
import XCTest

/// A frozen object keeps showing one version; a thawed one shows the live value of the current thread.
final class ThawingTests: RealmTestCase {
    private func packed() throws -> (realm: Realm, parcel: CrossingParcel) {
        let realm = try openRealm()
        let parcel = CrossingParcel(value: [
            "number": 1, "label": "first", "stamp": ["value": 7], "codes": [3, 1], "tags": ["a"],
            "counts": ["x": 1], "parts": [["number": 2]], "stamps": [["value": 8]],
        ])
        try realm.write { realm.add(parcel) }
        return (realm, parcel)
    }

    private func check<Value: ThreadConfined>(_ value: Value, _ what: String, isEqual: (Value, Value) -> Bool)
    {
        XCTAssertFalse(value.isFrozen, what)
        let frozen = value.freeze()
        XCTAssertTrue(frozen.isFrozen, what)
        XCTAssertEqual(frozen.realm?.isFrozen, true, what)
        XCTAssertFalse(frozen.isInvalidated, what)
        XCTAssertTrue(isEqual(frozen.freeze(), frozen), "\(what) is frozen already")
        let live = frozen.thaw()
        XCTAssertEqual(live?.isFrozen, false, what)
        XCTAssertEqual(live?.realm, value.realm, what)
        XCTAssertTrue(value.thaw().map { isEqual($0, value) } ?? false, "\(what) is live already")
    }

    func testEveryKindOfValue() throws {
        let (realm, parcel) = try packed()
        check(parcel, "an object") { $0.isSameObject(as: $1) }
        check(try XCTUnwrap(parcel.stamp), "an embedded object") { $0.isSameObject(as: $1) }
        check(parcel.stamps[0], "an embedded object of a list") { $0.isSameObject(as: $1) }
        check(parcel.codes, "a list", isEqual: ==)
        check(parcel.tags, "a set", isEqual: ==)
        check(parcel.counts, "a map", isEqual: ==)
        check(parcel.parts[0].holders, "linking objects", isEqual: ==)
        check(realm.objects(CrossingParcel.self), "results", isEqual: ==)
        check(parcel.parts.sorted(byKeyPath: "number"), "results of a list", isEqual: ==)
        check(AnyRealmCollection(parcel.parts), "an erased collection", isEqual: ==)
        XCTAssertEqual(realm.freeze(parcel.codes).thaw(), parcel.codes)
        XCTAssertEqual(realm.thaw(parcel.codes.freeze()), parcel.codes)
    }

    func testAFrozenValueCanBeFrozenAndReadOnAnyThread() throws {
        let (realm, parcel) = try packed()
        let codes = Frozen(parcel.codes.freeze())
        try realm.write { parcel.codes.removeAll() }
        try onAnotherThread {
            XCTAssertEqual(Array(codes.value.freeze()), [3, 1])
            let live = try XCTUnwrap(codes.value.thaw())
            XCTAssertEqual(live.count, 0)
            XCTAssertEqual(live.realm?.isFrozen, false)
            try XCTUnwrap(live.realm).write { live.append(9) }
        }
        realm.refresh()
        XCTAssertEqual(Array(parcel.codes), [9])
    }

    /// Immutable, and what it holds is frozen.
    private struct Frozen<Value>: @unchecked Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    func testFrozenInsideOfAWriteCollectionsShowTheStateBefore() throws {
        let (realm, parcel) = try packed()
        let results = realm.objects(CrossingParcel.self).where { $0.number < 9 }
        try realm.write {
            parcel.codes.append(4)
            parcel.tags.insert("b")
            parcel.counts["y"] = 2
            parcel.stamp?.value = 0
            parcel.parts.append(CrossingParcel(value: ["number": 3]))
            XCTAssertEqual(Array(parcel.codes.freeze()), [3, 1])
            XCTAssertEqual(Array(parcel.tags.freeze()), ["a"])
            XCTAssertEqual(parcel.counts.freeze().keys, ["x"])
            XCTAssertEqual(parcel.stamp?.freeze().value, 7)
            XCTAssertEqual(parcel.parts.freeze().map(\.number), [2])
            XCTAssertEqual(results.freeze().map(\.number), [1, 2])
            XCTAssertEqual(parcel.parts[0].holders.freeze().count, 1)
        }
        XCTAssertEqual(Array(parcel.codes.freeze()), [3, 1, 4])
    }

    func testThawingOnAThreadThatIsBehindShowsTheOldValueAndNothingOfWhatIsNew() throws {
        let (realm, parcel) = try packed()
        realm.autorefresh = false
        let frozen = Shared<[ThawingTests.Frozen<CrossingParcel>]>([])
        let codes = Shared<[ThawingTests.Frozen<List<Int>>]>([])
        try elsewhere { realm in
            let parcel = try XCTUnwrap(realm.object(ofType: CrossingParcel.self, forPrimaryKey: 1))
            let added = try realm.write {
                parcel.label = "new"
                parcel.codes.append(4)
                return realm.create(CrossingParcel.self, value: ["number": 5])
            }
            let values = [Frozen(parcel.freeze()), Frozen(added.freeze())]
            frozen.update { $0 = values }
            let lists = [Frozen(parcel.codes.freeze()), Frozen(added.codes.freeze())]
            codes.update { $0 = lists }
        }
        let (changed, added) = (frozen.value[0].value, frozen.value[1].value)
        XCTAssertEqual(changed.label, "new")
        XCTAssertEqual(changed.thaw()?.label, "first")
        XCTAssertNil(added.thaw())
        XCTAssertEqual(codes.value[0].value.thaw()?.count, 2)
        XCTAssertNil(codes.value[1].value.thaw())
        realm.refresh()
        XCTAssertEqual(changed.thaw()?.label, "new")
        XCTAssertEqual(added.thaw()?.number, 5)
        XCTAssertEqual(codes.value[0].value.thaw()?.count, 3)
        XCTAssertEqual(codes.value[1].value.thaw()?.count, 0)
        XCTAssertEqual(parcel.label, "new")
    }

    func testThawingWhatIsGone() throws {
        let (realm, parcel) = try packed()
        let (codes, tags, counts) = (parcel.codes.freeze(), parcel.tags.freeze(), parcel.counts.freeze())
        let holders = parcel.parts[0].holders.freeze()
        let sorted = parcel.codes.sorted().freeze()
        let stamp = try XCTUnwrap(parcel.stamp?.freeze())
        let all = realm.objects(CrossingParcel.self).freeze()
        try realm.write { realm.deleteAll() }
        XCTAssertNil(codes.thaw())
        XCTAssertNil(tags.thaw())
        XCTAssertNil(counts.thaw())
        XCTAssertNil(holders.thaw())
        XCTAssertNil(sorted.thaw())
        XCTAssertNil(stamp.thaw())
        XCTAssertEqual(all.thaw()?.count, 0)
        XCTAssertEqual(stamp.value, 7)
        XCTAssertEqual(sorted.first, 1)
    }

    func testThawingOnAQueueGivesTheInstanceOfTheQueue() throws {
        let (realm, parcel) = try packed()
        let frozen = Frozen(parcel.freeze())
        let (queue, configuration) = (DispatchQueue(label: "queue"), configuration)
        try queue.sync {
            let realm = try Realm(configuration: configuration, queue: queue)
            XCTAssertEqual(frozen.value.thaw()?.realm, realm)
            XCTAssertEqual(frozen.value.realm?.thaw(), realm)
        }
        XCTAssertEqual(frozen.value.thaw()?.realm, realm)
    }

    func testThawingOnAnActorGivesTheInstanceOfTheActor() async throws {
        let keeper = ThawingKeeper(configuration)
        try await keeper.check()
    }
}

private actor ThawingKeeper {
    private let configuration: Realm.Configuration

    init(_ configuration: Realm.Configuration) { self.configuration = configuration }

    func check() async throws {
        let realm = try await Realm.open(configuration: configuration)
        let parcel = try realm.write { realm.create(CrossingParcel.self, value: ["number": 1]) }
        let frozen = parcel.frozenSnapshot()
        let reference = ThreadSafeReference(to: parcel)
        @ThreadSafe var variable = parcel
        for _ in 0..<20 {
            await Task.yield()
            XCTAssertEqual(frozen.thaw()?.realm, realm)
            XCTAssertEqual($variable.wrappedValue?.realm, realm)
        }
        XCTAssertEqual(realm.resolve(reference)?.number, 1)
    }
}
