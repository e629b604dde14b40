import Kivo
import KivoSwiftUI
import XCTest

/// The handle of an object or a collection that a view sees, and the notifications of changes.
@MainActor
final class ValueStorageTests: ViewTestCase {
    // MARK: Handles

    func testUnmanagedValueIsShownItself() async {
        let pup = Pup()
        let storage = ValueStorage(pup, .object)
        XCTAssertTrue(storage.shown === pup)
        XCTAssertTrue(storage.live === pup)
    }

    func testManagedValueIsShownFrozenAndHeldLive() async throws {
        let pup = Pup(value: ["name": "Rex"])
        try realm.write { realm.add(pup) }
        let storage = ValueStorage(pup.freeze(), .object)
        XCTAssertTrue(storage.shown.isFrozen)
        XCTAssertFalse(storage.live.isFrozen)
        XCTAssertTrue(storage.live.isSameObject(as: pup))

        let before = storage.shown
        XCTAssertTrue(storage.shown === before, "one frozen form for one version")
        try realm.write { pup.name = "Max" }
        XCTAssertEqual(before.name, "Rex")
        XCTAssertEqual(storage.shown.name, "Max")
    }

    func testUnmanagedValueThatBecomesManagedIsShownFrozen() async throws {
        let pup = Pup()
        let storage = ValueStorage(pup, .object)
        try realm.write { realm.add(pup) }
        XCTAssertTrue(storage.shown.isFrozen)
        XCTAssertTrue(storage.live === pup)
    }

    func testDeletedValueIsReplacedByAnEmptyOne() async throws {
        let pup = Pup(value: ["name": "Rex"])
        try realm.write { realm.add(pup) }
        let storage = ValueStorage(pup, .object)
        let view = view(of: storage.relay)
        try realm.write { realm.delete(pup) }
        realm.refresh()
        XCTAssertEqual(view.count, 1)
        XCTAssertEqual(storage.shown.name, "")
        XCTAssertNil(storage.shown.realm)
        XCTAssertTrue(storage.shown === storage.live, "the substitute is one and the same")
    }

    func testFrozenValueThatIsGoneIsShownAsItWas() async throws {
        let pup = Pup(value: ["name": "Rex"])
        try realm.write { realm.add(pup) }
        let frozen = pup.freeze()
        try realm.write { realm.delete(pup) }
        let storage = ValueStorage(frozen, .object)
        XCTAssertEqual(storage.shown.name, "Rex")
        let view = view(of: storage.relay)
        try realm.write { realm.add(Pup()) }
        realm.refresh()
        XCTAssertEqual(view.count, 0)
    }

    func testInsideOfAWriteTheVersionBeforeItIsShown() async throws {
        let pup = Pup(value: ["name": "Rex"])
        try realm.write { realm.add(pup) }
        let storage = ValueStorage(pup, .object)
        try realm.write {
            pup.name = "Max"
            XCTAssertEqual(storage.shown.name, "Rex")
            XCTAssertEqual(storage.live.name, "Max")
            // An object that was created in this write is in no version yet, and is shown live.
            let another = realm.create(Pup.self, value: ["name": "Ada"])
            XCTAssertEqual(ValueStorage(another, .object).shown.name, "Ada")
            let kennel = realm.create(Kennel.self, value: ["numbers": [1]])
            XCTAssertEqual(Array(ValueStorage(kennel.numbers, .collection { List() }).shown), [1])
        }
        XCTAssertEqual(storage.shown.name, "Max")
    }

    func testAnInvalidatedRealmLeavesAnEmptyValue() async throws {
        let pup = Pup(value: ["name": "Rex"])
        try realm.write { realm.add(pup) }
        let storage = ValueStorage(pup, .object)
        realm.invalidate()
        XCTAssertEqual(storage.shown.name, "")
        XCTAssertEqual(storage.live.name, "")
    }

    // MARK: Telling

    func testViewIsToldOncePerTransaction() async throws {
        let pup = Pup()
        try realm.write { realm.add(pup) }
        let storage = ValueStorage(pup, .object)
        let view = view(of: storage.relay)
        try realm.write {
            pup.name = "a"
            pup.name = "b"
            pup.age = 3
        }
        realm.refresh()
        XCTAssertEqual(view.count, 1)
        writeElsewhere { $0.objects(Pup.self).first!.age = 4 }
        realm.refresh()
        XCTAssertEqual(view.count, 2)
        XCTAssertEqual(storage.shown.age, 4)
    }

    func testViewIsNotToldOfOtherObjects() async throws {
        let (pup, other) = (Pup(), Pup())
        try realm.write { realm.add([pup, other]) }
        let view = view(of: ValueStorage(pup, .object).relay)
        try realm.write { other.age = 1 }
        realm.refresh()
        XCTAssertEqual(view.count, 0)
    }

    func testNothingIsObservedWithoutAView() async throws {
        let pup = Pup()
        try realm.write { realm.add(pup) }
        let count = realm.observerCount
        let storage = ValueStorage(pup, .object)
        _ = storage.shown
        XCTAssertEqual(realm.observerCount, count)
        let first = storage.relay.subscribe {}
        let second = storage.relay.subscribe {}
        XCTAssertEqual(realm.observerCount, count + 1, "two views share one observation")
        first.cancel()
        XCTAssertEqual(realm.observerCount, count + 1)
        second.cancel()
        second.cancel()
        XCTAssertEqual(realm.observerCount, count)
    }

    func testReleasedStorageEndsItsObservation() async throws {
        let pup = Pup()
        try realm.write { realm.add(pup) }
        let count = realm.observerCount
        var storage: ValueStorage<Pup>? = ValueStorage(pup, .object)
        let subscription = storage!.relay.subscribe {}
        XCTAssertEqual(realm.observerCount, count + 1)
        storage = nil
        XCTAssertEqual(realm.observerCount, count)
        subscription.cancel()
    }

    func testReplacingTheValueTellsAndObservesTheNewOne() async throws {
        let (old, new) = (Pup(), Pup())
        try realm.write { realm.add([old, new]) }
        let storage = ValueStorage(old, .object)
        let view = view(of: storage.relay)
        storage.live = new.freeze()
        XCTAssertEqual(view.count, 1)
        XCTAssertFalse(storage.live.isFrozen)
        try realm.write { old.age = 1 }
        realm.refresh()
        XCTAssertEqual(view.count, 1)
        try realm.write { new.age = 1 }
        realm.refresh()
        XCTAssertEqual(view.count, 2)
    }

    func testReplacingTheValueByItselfTellsNobody() async throws {
        let pup = Pup()
        try realm.write { realm.add(pup) }
        let storage = ValueStorage(pup, .object)
        let view = view(of: storage.relay)
        storage.live = pup
        XCTAssertEqual(view.count, 0)
        try realm.write { pup.age = 1 }
        realm.refresh()
        XCTAssertEqual(view.count, 1)
    }

    // MARK: Unmanaged objects

    func testUnmanagedObjectIsObservedAndCanBeAdded() async throws {
        let kennel = Kennel()
        let storage = ValueStorage(kennel, .object)
        let view = view(of: storage.relay)
        XCTAssertTrue(kennel.isObservedByKey)
        kennel.name = "a"
        XCTAssertEqual(view.count, 1)
        kennel.numbers.append(1)
        XCTAssertEqual(view.count, 2)
        kennel.tags.insert("t")
        kennel.places["home"] = 1
        XCTAssertEqual(view.count, 4)

        try realm.write { realm.add(kennel) }
        let added = view.count
        try realm.write { kennel.name = "b" }
        XCTAssertEqual(view.count, added + 1, "the observation goes on with the managed object")
        writeElsewhere { $0.objects(Kennel.self).first!.numbers.append(2) }
        realm.refresh()
        XCTAssertEqual(view.count, added + 2)
        XCTAssertEqual(Array(storage.shown.numbers), [1, 2])

        try realm.write { realm.delete(kennel) }
        XCTAssertGreaterThan(view.count, added + 2)
        XCTAssertEqual(storage.shown.name, "")

        let told = view.count
        removeViews()
        try realm.write { realm.add(Kennel()) }
        XCTAssertEqual(view.count, told)
    }

    func testUnmanagedObjectIsAddedInEveryWayWhileItIsObserved() async throws {
        let (kennel, pup, bowl) = (Kennel(), Pup(), Bowl())
        let views = [
            view(of: ValueStorage(kennel, .object).relay), view(of: ValueStorage(pup, .object).relay),
            view(of: ValueStorage(bowl, .object).relay),
        ]
        kennel.dogs.append(pup)
        kennel.bowls.append(bowl)
        try realm.write { realm.add(kennel) }
        XCTAssertTrue([pup.realm, bowl.realm].allSatisfy { $0 == realm })
        let before = views.map(\.count)
        // The storages are gone, and with them the observations.
        try realm.write { (pup.age, bowl.size) = (1, 1) }
        XCTAssertEqual(views.map(\.count), before)
        XCTAssertFalse(pup.isObservedByKey)
    }

    func testObservedObjectIsAddedToTheRowOfItsPrimaryKey() async throws {
        try realm.write { realm.create(Named.self, value: ["name": "a"]) }
        let named = Named(value: ["name": "a", "count": 3])
        let storage = ValueStorage(named, .object)
        let view = view(of: storage.relay)
        try realm.write { realm.add(named, update: .modified) }
        XCTAssertEqual(realm.objects(Named.self).map(\.count), [3])
        let before = view.count
        // Through another accessor of the row.
        try realm.write { realm.objects(Named.self).first!.count = 4 }
        XCTAssertEqual(view.count, before + 1)
        XCTAssertEqual(storage.shown.count, 4)
    }

    func testAddingThatIsCancelledLeavesAnEmptyValue() async throws {
        let pup = Pup(value: ["name": "Rex"])
        let storage = ValueStorage(pup, .object)
        let view = view(of: storage.relay)
        realm.beginWrite()
        realm.add(pup)
        XCTAssertEqual(storage.shown.name, "Rex")
        realm.cancelWrite()
        XCTAssertTrue(pup.isInvalidated)
        XCTAssertGreaterThan(view.count, 0)
        XCTAssertEqual(storage.shown.name, "")
    }

    func testObservedObjectIsAddedOnceOtherObserversAreGone() async throws {
        let pup = Pup()
        let storage = ValueStorage(pup, .object)
        _ = view(of: storage.relay)
        let observation = pup.observe(\.name) { _, _ in }
        observation.invalidate()
        try realm.write { realm.add(pup) }
        XCTAssertEqual(pup.realm, realm)
    }

    func testTakingAViewOffTheScreenEndsTheObservationOfAnUnmanagedObject() async {
        let pup = Pup()
        let storage = ValueStorage(pup, .object)
        let view = view(of: storage.relay)
        removeViews()
        pup.age = 1
        XCTAssertEqual(view.count, 0)
        XCTAssertFalse(pup.isObservedByKey)
    }

    func testUnmanagedProjectionIsObservedThroughItsRoot() async throws {
        let tag = PupTag(projecting: Pup())
        let storage = ValueStorage(tag, .projection)
        let view = view(of: storage.relay)
        tag.label = "a"
        XCTAssertEqual(view.count, 1)
        try realm.write { realm.add(tag.rootObject) }
        XCTAssertTrue(storage.shown.isFrozen)
        try realm.write { tag.rootObject.name = "b" }
        XCTAssertEqual(view.count, 2)
        XCTAssertEqual(storage.shown.label, "b")
    }

    // MARK: Collections

    func testCollectionsAreObservedWithTheirObjects() async throws {
        let kennel = Kennel()
        try realm.write { realm.add(kennel) }
        let views = [
            view(of: hold(ValueStorage(kennel.dogs, .collection { List() })).relay),
            view(of: hold(ValueStorage(kennel.tags, .collection { MutableSet() })).relay),
            view(of: hold(ValueStorage(kennel.places, .map { Map() })).relay),
        ]
        realm.refresh()
        XCTAssertEqual(views.map(\.count), [0, 0, 0], "the first call is no change")
        try realm.write { kennel.dogs.append(Pup()) }
        realm.refresh()
        XCTAssertEqual(views.map(\.count), [1, 0, 0])
        try realm.write { kennel.dogs[0].age = 2 }
        realm.refresh()
        XCTAssertEqual(views.map(\.count), [2, 0, 0])
        try realm.write {
            kennel.tags.insert("a")
            kennel.places["home"] = 1
        }
        realm.refresh()
        XCTAssertEqual(views.map(\.count), [2, 1, 1])
    }

    func testAChangeBetweenTheBodyAndTheFirstCallIsTold() async throws {
        let kennel = Kennel()
        try realm.write { realm.add(kennel) }
        let storage = ValueStorage(kennel.dogs, .collection { List() })
        let view = view(of: storage.relay)
        XCTAssertEqual(storage.shown.count, 0)
        // The listener's first call, which is due, has this in it.
        writeElsewhere { $0.objects(Kennel.self).first!.dogs.append(Pup()) }
        realm.refresh()
        XCTAssertEqual(view.count, 1)
        XCTAssertEqual(storage.shown.count, 1)
    }

    func testListOfAnUnmanagedObjectIsObservedOnceItIsManaged() async throws {
        let kennel = Kennel()
        let storage = ValueStorage(kennel.numbers, .collection { List() })
        let view = view(of: storage.relay)
        storage.live.append(1)
        XCTAssertEqual(view.count, 0, "an unmanaged list cannot be observed")
        try realm.write { realm.add(kennel) }
        XCTAssertEqual(Array(storage.shown), [1])
        realm.refresh()
        try realm.write { kennel.numbers.append(2) }
        realm.refresh()
        XCTAssertEqual(view.count, 1)
    }

    private var held: [AnyObject] = []
    private func hold<Value: AnyObject>(_ value: Value) -> Value {
        held.append(value)
        return value
    }

    // MARK: Where nothing can be observed

    func testReadOnlyRealmIsShownAndNotObserved() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var configuration = Realm.Configuration(fileURL: folder.appendingPathComponent("a.kivo"))
        try autoreleased {
            let realm = try open(configuration)
            try realm.write { realm.add(Pup(value: ["name": "Rex"])) }
        }
        configuration.readOnly = true
        let realm = try open(configuration)
        let storage = ValueStorage(realm.objects(Pup.self).first!, .object)
        _ = view(of: storage.relay)
        XCTAssertEqual(storage.shown.name, "Rex")
        let results = ResultsStorage<Pup>(.init(configuration: configuration))
        _ = view(of: results.relay)
        XCTAssertEqual(results.shown.count, 1)
        removeViews()
    }

    private func autoreleased(_ body: () throws -> Void) rethrows { try body() }

    func testInsideOfAWriteTheObservationBeginsWhenItEnds() async throws {
        let pup = Pup()
        try realm.write { realm.add(pup) }
        let storage = ValueStorage(pup, .object)
        realm.beginWrite()
        pup.age = 1
        let view = view(of: storage.relay)
        XCTAssertEqual(storage.shown.age, 0)
        try realm.commitWrite()
        try await wait(until: { view.count == 1 })
        XCTAssertEqual(storage.shown.age, 1)
        try realm.write { pup.age = 2 }
        realm.refresh()
        XCTAssertEqual(view.count, 2)
    }
}
