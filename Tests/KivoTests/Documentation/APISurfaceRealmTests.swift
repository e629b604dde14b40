import Dispatch
import Foundation
import Kivo
import XCTest

/// Applications' code for realms compiles as they write it. Blocks 1 to 5 of the description of the interface.
final class APISurfaceRealmTests: RealmTestCase {
    func testOpening() throws {
        let byQueue: (DispatchQueue?) throws -> Realm = Realm.init(queue:)
        let byConfiguration: (Realm.Configuration, DispatchQueue?) throws -> Realm =
            Realm.init(configuration:queue:)
        let byFile: (URL) throws -> Realm = Realm.init(fileURL:)
        _ = (byQueue, byFile)
        let realm = try byConfiguration(configuration, nil)
        XCTAssertEqual(realm, try Realm(configuration: configuration))
        XCTAssertEqual(realm.configuration.inMemoryIdentifier, name)
        XCTAssertTrue(realm.isEmpty)
        let frozen: Realm = realm.freeze()
        XCTAssertTrue(frozen.isFrozen)
        XCTAssertEqual(frozen.thaw(), realm)
        let (thing, results) = (SurfaceThing(), realm.objects(SurfaceThing.self))
        try realm.write { realm.add(thing) }
        let object: SurfaceThing = realm.freeze(thing)
        let thawed: SurfaceThing? = realm.thaw(object)
        XCTAssertEqual(thawed, thing)
        let collection: Results<SurfaceThing> = realm.freeze(results)
        let live: Results<SurfaceThing>? = realm.thaw(collection)
        XCTAssertEqual(live?.count, 1)
        XCTAssertEqual(realm.freeze(thing.numbers).isFrozen, true)
        realm.invalidate()
        XCTAssertTrue(thing.isInvalidated)
    }

    func testConfiguration() {
        var configuration = Realm.Configuration()
        configuration.inMemoryIdentifier = name
        XCTAssertNil(configuration.fileURL)
        configuration.fileURL = URL(fileURLWithPath: "/tmp/x.kivo")
        XCTAssertNil(configuration.inMemoryIdentifier)
        configuration.readOnly = false
        configuration.schemaVersion = 0
        configuration.objectTypes = [SurfaceThing.self, SurfacePart.self]
        XCTAssertNotEqual(configuration, Realm.Configuration())
        XCTAssertFalse(configuration.description.isEmpty)
        let standard: Realm.Configuration = .defaultConfiguration
        Realm.Configuration.defaultConfiguration = standard
        XCTAssertEqual(Realm.Configuration.defaultConfiguration, standard)
        _ = Realm.Configuration(
            fileURL: nil, inMemoryIdentifier: name, readOnly: false, schemaVersion: 0, objectTypes: nil)
    }

    func testWriting() throws {
        let realm = try openRealm()
        let write: ([NotificationToken], () throws -> Int) throws -> Int = realm.write(withoutNotifying:_:)
        XCTAssertEqual(try write([]) { 5 }, 5)
        let made = try realm.write { realm.create(SurfaceThing.self) }
        XCTAssertFalse(made.isInvalidated)
        let begin: () -> Void = realm.beginWrite
        let commit: ([NotificationToken]) throws -> Void = realm.commitWrite(withoutNotifying:)
        let cancel: () -> Void = realm.cancelWrite
        begin()
        XCTAssertTrue(realm.isInWriteTransaction)
        try commit([])
        realm.beginWrite()
        try realm.commitWrite()
        realm.beginWrite()
        cancel()
        let token = realm.observe { _, _ in }
        try realm.write(withoutNotifying: [token]) {}
        token.invalidate()
    }

    func testObjects() throws {
        let realm = try openRealm()
        XCTAssertEqual(
            [Realm.UpdatePolicy.error, .modified, .all].map(\.rawValue), [1, 3, 2])
        let thing = SurfaceThing(value: ["name": "a"])
        try realm.write {
            realm.add(thing)
            realm.add(SurfaceThing(value: ["_id": thing._id, "name": "b"]), update: .modified)
            realm.add([SurfaceThing(), SurfaceThing()])
            realm.add([SurfaceThing()], update: .all)
            let made: SurfaceThing = realm.create(SurfaceThing.self, value: ["name": "c"], update: .error)
            realm.create(SurfaceOlder.self, value: ["k", 1])
            realm.create(SurfaceThing.self, value: made, update: .modified)
        }
        let all: Results<SurfaceThing> = realm.objects(SurfaceThing.self)
        XCTAssertEqual(all.count, 5)
        let found: SurfaceThing? = realm.object(ofType: SurfaceThing.self, forPrimaryKey: thing._id)
        XCTAssertEqual(found?.name, "b")
        XCTAssertEqual(realm.object(ofType: SurfaceOlder.self, forPrimaryKey: "k")?.rank, 1)
        XCTAssertEqual(SurfaceOlder.primaryKey(), "key")
        try realm.write {
            thing.things.append(SurfaceThing())
            thing.named["a"] = SurfaceThing()
            thing.others.insert(SurfaceThing())
            realm.delete(thing.things)
            realm.delete(thing.named)
            realm.delete(thing.others)
            XCTAssertEqual(thing.things.count, 0)
            XCTAssertEqual(thing.named.keys, ["a"], "the key stays")
            realm.delete([all[1]])
            realm.delete(all.where { $0.name == "c" })
            realm.delete(thing)
        }
        XCTAssertTrue(thing.isInvalidated)
        try realm.write { realm.deleteAll() }
        XCTAssertTrue(realm.isEmpty)
        XCTAssertEqual(SurfaceThing.className(), "SurfaceThing")
        func className<T: RealmFetchable>(_ type: T.Type) -> String { T.className() }
        XCTAssertEqual(className(SurfaceThing.self), "SurfaceThing")
    }

    func testRefreshingAndObserving() throws {
        let realm = try openRealm()
        let refresh: () -> Bool = realm.refresh
        XCTAssertFalse(realm.isInWriteTransaction)
        _ = refresh()
        realm.refresh()
        XCTAssertTrue(realm.autorefresh)
        realm.autorefresh = false
        var told: [Realm.Notification] = []
        let block: NotificationBlock = { (notification: Realm.Notification, sender: Realm) in
            XCTAssertEqual(sender, realm)
            told.append(notification)
        }
        let token: NotificationToken = realm.observe(block)
        try realm.write {}
        XCTAssertEqual(told, [.didChange])
        try writeElsewhere { $0.create(SurfaceOlder.self, value: ["key": "x"]) }
        wait("the notification") { told.count == 2 }
        XCTAssertEqual(told, [.didChange, .refreshRequired])
        let invalidate: () -> Bool = token.invalidate
        XCTAssertTrue(invalidate())
        XCTAssertFalse(token.invalidate())
        XCTAssertFalse(NotificationToken().invalidate())
    }
}
