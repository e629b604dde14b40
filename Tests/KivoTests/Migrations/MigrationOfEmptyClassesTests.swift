import Foundation
import Kivo
import XCTest

/// Classes that never had an object: no commit describes them, and checkpoints know them all the same.
final class MigrationOfEmptyClassesTests: MigrationTestCase {
    private enum Before {
        class Dog: Object {
            @Persisted(primaryKey: true) var id = 0
            @Persisted var name = ""
            @Persisted var any: AnyRealmValue
            override class func _realmObjectName() -> String? { "Dog" }
        }

        class Owner: Object {
            @Persisted var dog: Dog?
            @Persisted var places: List<Place>
            @Persisted(indexed: true) var name = ""
            @Persisted var any: AnyRealmValue
            override class func _realmObjectName() -> String? { "Owner" }
        }

        class Place: EmbeddedObject {
            @Persisted var city = ""
            override class func _realmObjectName() -> String? { "Place" }
        }

        static let all: [ObjectBase.Type] = [Dog.self, Owner.self, Place.self]
    }

    private enum After {
        class Dog: Object {
            @Persisted(primaryKey: true) var id = 0
            @Persisted var name: String?
            @Persisted var owner: Owner?
            @Persisted(originProperty: "dogs") var owners: LinkingObjects<Owner>
            override class func _realmObjectName() -> String? { "Dog" }
        }

        class Owner: Object {
            @Persisted(primaryKey: true) var name: String?
            @Persisted var age = 0
            @Persisted var dogs: List<Dog>
            @Persisted var pet: Dog?
            @Persisted var place: Place?
            override class func _realmObjectName() -> String? { "Owner" }
        }

        class Place: Object {
            @Persisted(indexed: true) var city: String?
            override class func _realmObjectName() -> String? { "Place" }
        }

        static let all: [ObjectBase.Type] = [Dog.self, Owner.self, Place.self]
    }

    /// A file of version 0 whose checkpoint has three classes, and of which the dogs alone have objects.
    private func makeFile() throws {
        makesCheckpoints = true
        try write(Before.all) { realm in
            for id in 0..<100 { realm.add(Before.Dog(value: ["id": id, "name": "dog \(id)"])) }
        }
        try waitUntilClosed()
        // The migration is read as such: no later checkpoint holds what it made.
        makesCheckpoints = false
        XCTAssertNotNil(try Realm.verify(fileURL: file).checkpointOffset)
    }

    private func check(_ realm: Realm, owners: Int) {
        XCTAssertEqual(realm.objects(After.Dog.self).map(\.name), (0..<100).map { "dog \($0)" })
        XCTAssertEqual(realm.objects(After.Owner.self).count, owners)
        XCTAssertEqual(realm.objects(After.Place.self).count, owners)
    }

    func testWithoutABlock() throws {
        try makeFile()
        try migrate(After.all) { realm in check(realm, owners: 0) }
    }

    func testObjectsOfTheNewClass() throws {
        try makeFile()
        try withRealm(configuration(After.all, version: 1)) { realm in
            try realm.write {
                let dogs = Array(realm.objects(After.Dog.self).prefix(2))
                realm.create(
                    After.Owner.self, value: ["name": "Ann", "dogs": dogs, "place": ["city": "Ulm"]])
                dogs[0].owner = realm.object(ofType: After.Owner.self, forPrimaryKey: "Ann")
            }
        }
        for _ in 0..<2 {
            try withRealm(configuration(After.all, version: 1)) { realm in
                check(realm, owners: 1)
                XCTAssertEqual(realm.objects(After.Dog.self)[1].owners.map(\.name), ["Ann"])
                XCTAssertEqual(realm.objects(After.Place.self).where { $0.city == "Ulm" }.count, 1)
                try realm.write { realm.objects(After.Dog.self)[0].owner = nil }
            }
            try waitUntilClosed()
        }
    }

    func testObjectsThatTheBlockMakes() throws {
        try makeFile()
        let block: MigrationBlock = { migration, _ in
            migration.renameProperty(onType: "Owner", from: "dog", to: "pet")
            migration.enumerateObjects(ofType: "Dog") { old, new in
                guard old?["id"] as? Int == 5 else { return }
                let place = migration.create("Place", value: ["city": "Ulm"])
                new?["owner"] = migration.create("Owner", value: ["name": "Ann", "place": place])
            }
        }
        try migrate(After.all, block) { realm in
            check(realm, owners: 1)
            XCTAssertEqual(realm.object(ofType: After.Dog.self, forPrimaryKey: 5)?.owner?.name, "Ann")
        }
    }

    func testAClassThatIsForgottenAndComesBack() throws {
        try makeFile()
        try migrate([Before.Dog.self]) { migration, _ in
            XCTAssertTrue(migration.deleteData(forType: "Owner"))
        } check: { realm in
            XCTAssertNil(realm.schema["Owner"])
        }
        try migrate(After.all, version: 2) { realm in check(realm, owners: 0) }
    }

    /// A class that another program left out comes back with the columns of the program that has it.
    func testVersionsInBetween() throws {
        try makeFile()
        try migrate([Before.Dog.self], version: 1) { realm in
            XCTAssertEqual(realm.objects(Before.Dog.self).count, 100)
        }
        try migrate(After.all, version: 2) { realm in check(realm, owners: 0) }
        try migrate(Before.all, version: 3) { realm in
            XCTAssertEqual(realm.objects(Before.Owner.self).count, 0)
            XCTAssertEqual(realm.objects(Before.Dog.self).count, 100)
        }
    }

    /// The file is read without classes, and copied.
    func testReadingWithoutClasses() throws {
        try makeFile()
        try migrate(After.all) { realm in check(realm, owners: 0) }
        try waitUntilClosed()
        XCTAssertTrue(try Realm.verify(fileURL: file).isIntact)
        let copy = folder.appendingPathComponent("salvaged.kivo")
        _ = try Realm.salvage(contentsOf: file, to: copy)
        try withRealm(
            Realm.Configuration(fileURL: copy, schemaVersion: 1, objectTypes: After.all)
        ) { realm in check(realm, owners: 0) }
    }
}
