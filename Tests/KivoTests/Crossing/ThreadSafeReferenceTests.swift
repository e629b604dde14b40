import Dispatch
import Foundation
import Kivo
import XCTest

/// References carry objects and collections to other threads, queues and actors.
final class ThreadSafeReferenceTests: RealmTestCase {
    /// A realm with one parcel that has something of everything.
    private func packed() throws -> (realm: Realm, parcel: CrossingParcel) {
        let realm = try openRealm()
        let parcel = CrossingParcel(value: [
            "number": 1, "label": "first", "stamp": ["value": 7], "codes": [3, 1, 2], "tags": ["b", "a"],
            "counts": ["x": 1, "y": 2], "parts": [["number": 2, "label": "second"]],
            "stamps": [["value": 8]],
        ])
        try realm.write { realm.add(parcel) }
        return (realm, parcel)
    }

    func testEveryKindOfValueIsResolvedOnAnotherThread() throws {
        let (realm, parcel) = try packed()
        let object = ThreadSafeReference(to: parcel)
        let embedded = ThreadSafeReference(to: parcel.stamp!)
        let list = ThreadSafeReference(to: parcel.codes)
        let parts = ThreadSafeReference(to: parcel.parts)
        let set = ThreadSafeReference(to: parcel.tags)
        let map = ThreadSafeReference(to: parcel.counts)
        let holders = ThreadSafeReference(to: parcel.parts[0].holders)
        let all = ThreadSafeReference(to: realm.objects(CrossingParcel.self))
        let chosen = ThreadSafeReference(
            to: realm.objects(CrossingParcel.self).where { $0.number > 1 }
                .sorted(byKeyPath: "label", ascending: false))
        let sorted = ThreadSafeReference(to: parcel.codes.sorted())
        let erased = ThreadSafeReference(to: AnyRealmCollection(parcel.parts))
        try elsewhere { realm in
            let parcel = try XCTUnwrap(realm.resolve(object))
            XCTAssertEqual(parcel.label, "first")
            XCTAssertEqual(parcel.realm, realm)
            XCTAssertFalse(parcel.isFrozen)
            XCTAssertEqual(realm.resolve(embedded)?.value, 7)
            XCTAssertEqual(realm.resolve(list).map(Array.init), [3, 1, 2])
            XCTAssertEqual(realm.resolve(parts)?.map(\.number), [2])
            XCTAssertEqual(realm.resolve(set).map { Set($0) }, ["a", "b"])
            XCTAssertEqual(realm.resolve(map)?["y"], 2)
            XCTAssertEqual(realm.resolve(holders)?.map(\.number), [1])
            let numbers = try XCTUnwrap(realm.resolve(all))
            XCTAssertEqual(numbers.map(\.number), [1, 2])
            XCTAssertEqual(realm.resolve(chosen)?.map(\.number), [2])
            XCTAssertEqual(realm.resolve(sorted).map(Array.init), [1, 2, 3])
            XCTAssertEqual(realm.resolve(erased)?.first?.number, 2)
            try realm.write { realm.create(CrossingParcel.self, value: ["number": 3]) }
            XCTAssertEqual(numbers.count, 3, "what is resolved is live")
        }
    }

    func testResolvingOnAQueueAndInTheSameInstance() throws {
        let (realm, parcel) = try packed()
        let here = ThreadSafeReference(to: parcel)
        XCTAssertTrue(try XCTUnwrap(realm.resolve(here)).isSameObject(as: parcel))
        let reference = ThreadSafeReference(to: parcel)
        let (queue, configuration) = (DispatchQueue(label: "queue"), configuration)
        try queue.sync {
            let realm = try Realm(configuration: configuration, queue: queue)
            XCTAssertEqual(realm.resolve(reference)?.label, "first")
        }
    }

    func testAReferenceIsInvalidatedOnceItWasResolved() throws {
        let (realm, parcel) = try packed()
        let reference = ThreadSafeReference(to: parcel)
        let copy = reference
        XCTAssertFalse(reference.isInvalidated)
        try elsewhere { realm in
            XCTAssertNotNil(realm.resolve(reference))
            XCTAssertTrue(reference.isInvalidated)
        }
        XCTAssertTrue(copy.isInvalidated)
        let lost = ThreadSafeReference(to: parcel)
        try realm.write { realm.deleteAll() }
        XCTAssertNil(realm.resolve(lost))
        XCTAssertTrue(lost.isInvalidated, "an attempt counts")
    }

    func testAReferenceIntoOtherDataIsNotResolved() throws {
        let (_, parcel) = try packed()
        let reference = ThreadSafeReference(to: parcel)
        let other = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: name + " other"))
        try other.write { other.add(CrossingParcel(value: ["number": 1])) }
        XCTAssertNil(other.resolve(reference))
        XCTAssertTrue(reference.isInvalidated)
    }

    func testARealmThatHasReadNothingBeginsAtTheVersionOfTheReference() throws {
        let (realm, parcel) = try packed()
        let (object, all) = (
            ThreadSafeReference(to: parcel), ThreadSafeReference(to: realm.objects(CrossingParcel.self))
        )
        try realm.write {
            parcel.label = "renamed"
            realm.create(CrossingParcel.self, value: ["number": 9])
        }
        try elsewhere { realm in
            let parcel = try XCTUnwrap(realm.resolve(object))
            XCTAssertEqual(parcel.label, "first")
            let all = try XCTUnwrap(realm.resolve(all))
            XCTAssertEqual(all.count, 2)
            realm.refresh()
            XCTAssertEqual(parcel.label, "renamed")
            XCTAssertEqual(all.count, 3)
        }
    }

    func testAnObjectThatWasDeletedMeanwhileCanBeReadUntilTheRefresh() throws {
        let (realm, parcel) = try packed()
        let (object, codes) = (ThreadSafeReference(to: parcel), ThreadSafeReference(to: parcel.codes))
        try realm.write { realm.delete(parcel) }
        try elsewhere { realm in
            let parcel = try XCTUnwrap(realm.resolve(object))
            let codes = try XCTUnwrap(realm.resolve(codes))
            XCTAssertEqual(parcel.label, "first")
            XCTAssertEqual(Array(codes), [3, 1, 2])
            realm.refresh()
            XCTAssertTrue(parcel.isInvalidated)
            XCTAssertTrue(codes.isInvalidated)
        }
    }

    func testARealmThatIsNewerThanTheReferenceStaysWhereItIs() throws {
        let (realm, parcel) = try packed()
        let (object, codes) = (ThreadSafeReference(to: parcel), ThreadSafeReference(to: parcel.codes))
        let changed = ThreadSafeReference(to: parcel.parts[0])
        try realm.write {
            parcel.parts[0].label = "renamed"
            realm.delete(parcel)
        }
        try elsewhere { realm in
            XCTAssertFalse(realm.isEmpty, "reading begins")
            XCTAssertNil(realm.resolve(object))
            XCTAssertNil(realm.resolve(codes))
            XCTAssertEqual(realm.resolve(changed)?.label, "renamed")
        }
    }

    func testARealmThatIsOlderThanTheReferenceIsRefreshed() throws {
        let (realm, _) = try packed()
        realm.autorefresh = false
        let box = Shared<ThreadSafeReference<CrossingParcel>?>(nil)
        try writeElsewhere { $0.create(CrossingParcel.self, value: ["number": 3]) }
        try elsewhere { realm in
            let parcel = try XCTUnwrap(realm.object(ofType: CrossingParcel.self, forPrimaryKey: 3))
            let reference = ThreadSafeReference(to: parcel)
            box.update { $0 = reference }
        }
        XCTAssertNil(realm.object(ofType: CrossingParcel.self, forPrimaryKey: 3))
        XCTAssertEqual(realm.resolve(try XCTUnwrap(box.value))?.number, 3)
        XCTAssertEqual(realm.objects(CrossingParcel.self).count, 3)
    }

    func testResolvingInsideOfAWrite() throws {
        let (realm, parcel) = try packed()
        let reference = ThreadSafeReference(to: parcel)
        try elsewhere { realm in
            try realm.write {
                let parcel = try XCTUnwrap(realm.resolve(reference))
                realm.delete(parcel)
            }
        }
        realm.refresh()
        XCTAssertTrue(parcel.isInvalidated)
    }

    /// A write that began with nothing read moves to the newest version; the reference is older.
    func testResolvingInsideOfAWriteThatIsAheadOfTheReference() throws {
        let (realm, parcel) = try packed()
        let reference = ThreadSafeReference(to: parcel)
        try realm.write { parcel.label = "renamed" }
        try elsewhere { realm in
            try realm.write { XCTAssertEqual(realm.resolve(reference)?.label, "renamed") }
        }
    }

    func testAReferenceMadeInsideOfAWriteFindsWhatTheWriteAdded() throws {
        let (realm, _) = try packed()
        realm.beginWrite()
        let added = realm.create(CrossingParcel.self, value: ["number": 5])
        let (tooEarly, later) = (ThreadSafeReference(to: added), ThreadSafeReference(to: added))
        let here = ThreadSafeReference(to: added)
        XCTAssertEqual(realm.resolve(here)?.number, 5)
        try elsewhere { XCTAssertNil($0.resolve(tooEarly)) }
        try realm.commitWrite()
        try elsewhere { XCTAssertEqual($0.resolve(later)?.number, 5) }
    }

    func testReferencesOfFrozenValuesLeadToLiveOnes() throws {
        let (realm, parcel) = try packed()
        let reference = ThreadSafeReference(to: parcel.freeze())
        let list = ThreadSafeReference(to: parcel.codes.freeze())
        try realm.write {
            parcel.label = "renamed"
            parcel.codes.append(4)
        }
        try elsewhere { realm in
            let parcel = try XCTUnwrap(realm.resolve(reference))
            XCTAssertFalse(parcel.isFrozen)
            XCTAssertEqual(parcel.label, "renamed")
            XCTAssertEqual(realm.resolve(list)?.count, 4)
        }
        let again = ThreadSafeReference(to: parcel)
        XCTAssertEqual(realm.freeze().resolve(again)?.isFrozen, true)
    }

    func testAReferenceKeepsItsVersionUntilItIsResolvedOrGone() throws {
        let (realm, parcel) = try packed()
        let before = realm.versionCount
        var dropped: ThreadSafeReference<CrossingParcel>? = ThreadSafeReference(to: parcel)
        let resolved = ThreadSafeReference(to: parcel)
        try realm.write { parcel.weight += 1 }
        XCTAssertGreaterThan(realm.versionCount, before)
        dropped = nil
        XCTAssertNil(dropped)
        XCTAssertGreaterThan(realm.versionCount, before, "the other reference keeps it")
        try elsewhere { XCTAssertEqual($0.resolve(resolved)?.weight, 0) }
        XCTAssertEqual(realm.versionCount, before)
    }

    /// The data in memory stay open as long as there is a reference.
    func testAReferenceKeepsTheDataOpen() throws {
        let reference = try { try ThreadSafeReference(to: packed().parcel) }()
        try elsewhere { XCTAssertEqual($0.resolve(reference)?.label, "first") }
        XCTAssertTrue(try openRealm().isEmpty)
    }

    /// A queue that begins at an old version is refreshed in its turn.
    func testAQueueThatBeginsAtAnOldVersionMovesOn() throws {
        let (realm, parcel) = try packed()
        let reference = ThreadSafeReference(to: parcel)
        try realm.write { parcel.label = "renamed" }
        let (queue, configuration) = (DispatchQueue(label: "queue"), configuration)
        let labels = Shared<[String]>([])
        let keeper = Keeper()
        queue.sync {
            expectSuccess {
                let realm = try Realm(configuration: configuration, queue: queue)
                keeper.parcel = realm.resolve(reference)
                let label = keeper.parcel?.label ?? "none"
                labels.update { $0.append(label) }
            }
        }
        queue.sync {
            let label = keeper.parcel?.label ?? "none"
            labels.update { $0.append(label) }
            keeper.parcel = nil
        }
        XCTAssertEqual(labels.value, ["first", "renamed"])
    }

    /// An object that belongs to a queue, and is used only there.
    private final class Keeper: @unchecked Sendable {
        var parcel: CrossingParcel?
    }
}
