import Dispatch
import Foundation
import Kivo
import XCTest

/// Applications' code for objects compiles as they write it. Blocks 6 to 10 of the description of the interface.
final class APISurfaceObjectTests: RealmTestCase {
    private func added() throws -> (realm: Realm, thing: SurfaceThing) {
        let (realm, thing) = (try openRealm(), SurfaceThing(value: ["name": "a", "part": ["value": 1]]))
        try realm.write { realm.add(thing) }
        return (realm, thing)
    }

    func testObjects() throws {
        let make: (Any) -> SurfaceThing = SurfaceThing.init(value:)
        let unmanaged = make(["number": 3])
        XCTAssertNil(unmanaged.realm)
        XCTAssertFalse(unmanaged.isInvalidated)
        let (realm, thing) = try added()
        XCTAssertEqual(thing.realm, realm)
        XCTAssertFalse(thing.isFrozen)
        let frozen: SurfaceThing = thing.freeze()
        let live: SurfaceThing? = frozen.thaw()
        XCTAssertTrue(thing.isSameObject(as: live))
        let same: (SurfaceThing?) -> Bool = thing.isSameObject(as:)
        XCTAssertFalse(same(nil))
        XCTAssertEqual(thing, live)
        XCTAssertEqual(Set([thing, live!]).count, 1)
        XCTAssertNotEqual(thing, unmanaged)
        XCTAssertTrue(thing.description.hasPrefix("SurfaceThing {"))
        XCTAssertEqual(thing["name"] as? String, "a")
        try realm.write { thing["name"] = "b" }
        XCTAssertEqual(thing.value(forKey: "name") as? String, "b")
        XCTAssertTrue(thing.value(forKey: "self") as? SurfaceThing === thing)
        try realm.write { thing.setValue("c", forKey: "name") }
        XCTAssertEqual(thing.value(forKeyPath: "part.value") as? Int, 1)
        XCTAssertEqual(SurfaceOlder.indexedProperties(), ["rank"])
        XCTAssertEqual(SurfaceOlder.ignoredProperties(), ["unsaved"])
        XCTAssertEqual(SurfaceThing.primaryKey(), "_id")
        func confined<T: ThreadConfined>(_ value: T) -> (Realm?, Bool, Bool, T, T?) {
            (value.realm, value.isInvalidated, value.isFrozen, value.freeze(), value.thaw())
        }
        XCTAssertEqual(confined(thing).0, realm)
        XCTAssertEqual(confined(try XCTUnwrap(thing.part)).3.value, 1)
        let id: UInt64 = thing.id
        XCTAssertEqual(id, live?.id)
    }

    func testListening() throws {
        let (realm, thing) = try added()
        var told: [String] = []
        let byClass: NotificationToken = thing.observe { (change: ObjectChange<SurfaceThing>) in
            switch change {
            case .error(let error): told.append("\(error as NSError)")
            case .change(let object, let properties):
                for property: PropertyChange in properties {
                    let old: Any? = property.oldValue
                    told.append("\(object.name) \(property.name) \(old ?? "-") \(property.newValue ?? "-")")
                }
            case .deleted: told.append("deleted")
            }
        }
        let byBase = thing.observe { (_: ObjectChange<ObjectBase>) in told.append("base") }
        let byPath = thing.observe(keyPaths: ["other"]) { (_: ObjectChange<SurfaceThing>) in
            told.append("path")
        }
        let typed = thing.observe(keyPaths: [\SurfaceThing.number]) { _ in told.append("typed") }
        let onQueue = thing.observe(keyPaths: nil, on: DispatchQueue(label: "queue")) {
            (_: ObjectChange<SurfaceThing>) in
        }
        let embedded = thing.part?.observe { (_: ObjectChange<SurfacePart>) in told.append("part") }
        try realm.write {
            thing.number = 4
            thing.part?.value = 2
        }
        realm.refresh()
        wait("the calls") { told.count == 4 }
        XCTAssertEqual(told.sorted(), ["a number - 4", "base", "part", "typed"])
        for token in [byClass, byBase, byPath, typed, onQueue, embedded] { token?.invalidate() }
    }

    func testEmbeddedObjects() throws {
        let part = SurfacePart(value: ["value": 5])
        XCTAssertNil(part.realm)
        let (realm, thing) = try added()
        let first = try XCTUnwrap(thing.part)
        XCTAssertFalse(first.isFrozen)
        XCTAssertEqual(first["value"] as? Int, 1)
        XCTAssertTrue(first.isSameObject(as: thing.part))
        XCTAssertEqual(first.freeze().thaw()?.value, 1)
        XCTAssertTrue(first.description.hasPrefix("SurfacePart {"))
        try realm.write { thing.part = part }
        XCTAssertTrue(first.isInvalidated)
        XCTAssertEqual(thing.part?.value, 5)
    }

    func testDefaults() {
        let (a, b) = (SurfaceThing(), SurfaceThing())
        XCTAssertNotEqual(a._id, b._id)
        XCTAssertNotEqual(a.uuid, b.uuid)
        XCTAssertFalse(a.flag)
        XCTAssertEqual(a.short, 1)
        XCTAssertEqual(a.data, Data())
        XCTAssertEqual(a.amount, 0)
        XCTAssertLessThan(abs(a.when.timeIntervalSinceNow), 60)
        XCTAssertNil(a.maybeKind)
        XCTAssertEqual(a.kind, .small)
        XCTAssertTrue(a.numbers.isEmpty)
        XCTAssertEqual(a.holders.count, 0)
    }

    #if !canImport(ObjectiveC)
    /// If Foundation lacks types with Cocoa's names, these names are aliases of Kivo's types.
    func testNamesOfCocoa() throws {
        final class Rules: Object, NSKeyValueObservingCustomization {
            @Persisted var number: Int
            static func keyPathsAffectingValue(for key: AnyKeyPath) -> Set<AnyKeyPath> { [] }
            static func automaticallyNotifiesObservers(for key: AnyKeyPath) -> Bool { true }
        }
        var found: [Int?] = []
        let rules = Rules()
        let token: NSKeyValueObservation = rules.observe(\.number, options: .new) {
            (_, change: NSKeyValueObservedChange<Int>) in
            found.append(change.newValue)
        }
        rules.number = 3
        token.invalidate()
        rules.number = 4
        XCTAssertEqual(found, [3])
    }
    #endif

    func testKeyValueObserving() throws {
        let (realm, thing) = try added()
        let recorder = SurfaceObserver()
        thing.addObserver(recorder, forKeyPath: "number", options: [.old, .new], context: nil)
        let token: KeyValueObservation = thing.observe(\.name, options: [.initial, .prior]) {
            object, change in
            recorder.calls.append("\(object.number) \(change.kind) \(change.isPrior)")
        }
        let gone = thing.observe(\.isInvalidated) { _, _ in recorder.calls.append("gone") }
        try realm.write {
            thing.number = 2
            thing.name = "b"
            thing.mutableArrayValue(forKey: "numbers").add(3)
        }
        XCTAssertEqual(Array(thing.numbers), [3])
        token.invalidate()
        thing.removeObserver(recorder, forKeyPath: "number")
        try realm.write { realm.delete(thing) }
        gone.invalidate()
        XCTAssertEqual(recorder.calls.count, 5)
        XCTAssertEqual(recorder.calls.last, "gone")
        XCTAssertTrue(recorder.calls.contains("number 2"), "\(recorder.calls)")
    }
}

private final class SurfaceObserver: KeyValueObserver {
    var calls: [String] = []

    func observeValue(
        forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {
        calls.append("\(keyPath ?? "?") \(change?[.newKey] ?? "?")")
    }
}
