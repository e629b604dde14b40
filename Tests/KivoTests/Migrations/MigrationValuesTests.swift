import Foundation
import Kivo
import XCTest

/// The property values that old and new objects of a migration return.
final class MigrationValuesTests: MigrationTestCase {
    private typealias Classes = MigrationValueClasses

    func testAnObjectInAnyValueIsAnObjectOfTheMigration() throws {
        try write([Classes.Note.self]) { realm in
            let target = realm.create(Classes.Note.self, value: ["small": 5])
            realm.create(Classes.Note.self, value: ["small": 6, "any": target] as [String: Any])
        }
        try migrate([Classes.Note.self]) { migration, _ in
            migration.enumerateObjects(ofType: "Note") { old, new in
                guard old?["small"] as? Int == 6 else { return }
                XCTAssertEqual((old?["any"] as? MigrationObject)?["small"] as? Int, 5)
                XCTAssertEqual((new?["any"] as? MigrationObject)?["small"] as? Int, 5)
                new?["link"] = new?["any"]
                XCTAssertEqual((new?["link"] as? MigrationObject)?["small"] as? Int, 5)
            }
        } check: { realm in
            XCTAssertEqual(realm.objects(Classes.Note.self).where { $0.small == 6 }.first?.link?.small, 5)
        }
    }

    func testIntegersAreCastToAnyWidth() throws {
        try write([Classes.Note.self]) { $0.create(Classes.Note.self, value: ["small": 5, "maybe": 300]) }
        try migrate([Classes.Note.self]) { migration, _ in
            migration.enumerateObjects(ofType: "Note") { old, new in
                for object in [old!, new!] {
                    XCTAssertEqual(object["small"] as? Int8, 5)
                    XCTAssertEqual(object["small"] as? Int, 5)
                    XCTAssertEqual(object["maybe"] as? Int64, 300)
                    XCTAssertEqual(object["maybe"] as? Int, 300)
                    XCTAssertNil(object["maybe"] as? Int8, "300 is no value of it")
                }
            }
        } check: { realm in
            XCTAssertEqual(realm.objects(Classes.Note.self).first?.maybe, 300)
        }
    }

    func testTheOldSchemaIsInTheOrderOfTheDeclaration() throws {
        try write([Classes.Note.self]) { $0.create(Classes.Note.self) }
        try migrate([Classes.Note.self]) { migration, _ in
            for schema in [migration.oldSchema, migration.newSchema] {
                XCTAssertEqual(
                    schema["Note"]?.properties.map(\.name), ["small", "maybe", "any", "link", "early"])
            }
        } check: { _ in
        }
    }

    func testTheNewSchemaHasAllClassesOfTheProgram() throws {
        #if os(Linux) || os(Android)
        try write([Classes.Note.self]) { $0.create(Classes.Note.self) }
        let names = Shared<[String]>([])
        let block: MigrationBlock = { migration, _ in
            let found = migration.newSchema.objectSchema.map(\.className)
            names.update { $0 = found }
            XCTAssertEqual(migration.oldSchema.objectSchema.map(\.className), ["Note"])
            XCTAssertEqual(migration.newSchema["MetInSchema"]?.properties.map(\.name), ["title", "link"])
        }
        try withRealm(Realm.Configuration(fileURL: file, schemaVersion: 1, migrationBlock: block)) { _ in }
        for name in ["MetInSchema", "NamedByItself"] { XCTAssert(names.value.contains(name), name) }
        #endif
    }

    func testIntegersOfCollectionsAreCastToAnyWidth() throws {
        try write([Classes.Narrow.self]) { realm in
            realm.create(
                Classes.Narrow.self,
                value: ["list": [1, -2], "gaps": [3, NSNull()], "set": [4], "map": ["a": 5]] as [String: Any])
        }
        try migrate([Classes.Narrow.self]) { migration, _ in
            migration.enumerateObjects(ofType: "Narrow") { old, new in
                for object in [old!, new!] {
                    XCTAssertEqual((object["list"] as? List<Int>).map { Array($0) }, [1, -2])
                    XCTAssertEqual((object["gaps"] as? List<Int?>).map { Array($0) }, [3, nil])
                    XCTAssertEqual((object["set"] as? MutableSet<Int>).map { Array($0) }, [4])
                    XCTAssertEqual((object["map"] as? Map<String, Int>)?["a"], 5)
                    XCTAssertEqual((object["wide"] as? List<Int>)?.count, 0)
                }
                (new!["list"] as? List<Int>)?.append(127)
                (new!["map"] as? Map<String, Int>)?["b"] = -6
                new!["set"] = [7, 8]
                new!["gaps"] = old!["list"]
            }
            migration.create("Narrow", value: ["list": [9]])
        } check: { realm in
            let narrow = realm.objects(Classes.Narrow.self)
            XCTAssertEqual(narrow.map { Array($0.list) }, [[1, -2, 127], [9]])
            XCTAssertEqual(narrow.first?.map["b"], -6)
            XCTAssertEqual(narrow.first.map { Array($0.set) }, [7, 8])
            XCTAssertEqual(narrow.first.map { Array($0.gaps) }, [1, -2])
        }
    }

    func testAnObjectHasTheDefaultsOfItsLinks() throws {
        try write([Classes.Note.self]) { _ in }
        try migrate([Classes.Tag.self, Classes.Owner.self, Classes.Place.self]) { migration, _ in
            let tag = migration.create("Tag")
            XCTAssertEqual((tag["owner"] as? MigrationObject)?["name"] as? String, "by default")
            XCTAssertEqual((tag["place"] as? MigrationObject)?["city"] as? String, "at home")
            XCTAssertNil(migration.create("Tag", value: ["owner": NSNull()])["owner"])
        } check: { realm in
            XCTAssertEqual(realm.objects(Classes.Tag.self).map { $0.owner?.name }, ["by default", nil])
            XCTAssertEqual(realm.objects(Classes.Tag.self).map { $0.place?.city }, ["at home", "at home"])
            XCTAssertEqual(
                realm.objects(Classes.Tag.self).map { Array($0.owners.map(\.name)) }, [["one"], ["one"]])
        }
        try withRealm(configuration([Classes.Tag.self, Classes.Owner.self, Classes.Place.self], version: 1)) {
            realm in
            try realm.write { _ = realm.dynamicCreate("Tag") }
            XCTAssertEqual(realm.objects(Classes.Tag.self).last?.owner?.name, "by default")
        }
    }

    func testAnUnmanagedObjectThatIsGivenTwiceIsOneObject() throws {
        try write([Classes.Note.self]) { realm in
            for number in 0..<2 { realm.create(Classes.Note.self, value: ["small": number]) }
        }
        let types = [Classes.Note.self, Classes.Tag.self, Classes.Owner.self, Classes.Place.self]
        try migrate(types) { migration, _ in
            let (owner, head) = (
                Classes.Owner(value: ["name": "shared"]), Classes.Owner(value: ["name": "head"])
            )
            owner.head = head
            migration.enumerateObjects(ofType: "Note") { _, _ in
                let tag = migration.create(
                    "Tag", value: ["owner": owner, "owners": [owner]] as [String: Any])
                tag["owners"] = [owner, head]
            }
            let other = migration.create("Tag")
            other["owner"] = owner
            migration.delete(other["owner"] as! MigrationObject)
            other["owner"] = owner
            other["owners"] = [head]
        } check: { realm in
            let tags = realm.objects(Classes.Tag.self)
            XCTAssertEqual(tags.map { $0.owner?.name }, [nil, nil, "shared"])
            XCTAssertEqual(tags.map { $0.owners.map(\.name) }, [["head"], ["head"], ["head"]])
            let head = try XCTUnwrap(tags.last?.owner?.head)
            XCTAssertTrue(head.isSameObject(as: tags.first?.owners.first))
            XCTAssertEqual(realm.objects(Classes.Owner.self).filter("name == 'head'").count, 1)
        }
    }

    /// A file that was opened and never written to is of version 0, and is migrated like others; a new file is not.
    func testAFileWithoutAnythingIsMigrated() throws {
        let versions = Shared<[UInt64]>([])
        let block: MigrationBlock = { _, version in versions.update { $0.append(version) } }
        try withRealm(configuration([], version: 0)) { _ in }
        try withRealm(configuration([Classes.Note.self], version: 1, block)) { _ in }
        XCTAssertEqual(versions.value, [0])
        let new = folder.appendingPathComponent("new.kivo")
        try withRealm(
            Realm.Configuration(
                fileURL: new, schemaVersion: 1, migrationBlock: block, objectTypes: [Classes.Note.self])
        ) { _ in }
        XCTAssertEqual(versions.value, [0])
    }
}

private enum MigrationValueClasses {
    class Note: Object {
        @Persisted var small: Int8 = 0
        @Persisted var maybe: Int64?
        @Persisted var any: AnyRealmValue
        @Persisted var link: Note?
        @Persisted var early = ""
    }

    class Narrow: Object {
        @Persisted var list: List<Int8>
        @Persisted var gaps: List<Int16?>
        @Persisted var set: MutableSet<Int32>
        @Persisted var map: Map<String, Int16>
        @Persisted var wide: List<Int64>
    }

    class Tag: Object {
        @Persisted var owner: Owner? = Owner(value: ["name": "by default"])
        @Persisted var place: Place? = Place(value: ["city": "at home"])
        @Persisted var owners: List<Owner>

        required init() {
            super.init()
            owners.append(Owner(value: ["name": "one"]))
        }
    }

    class Owner: Object {
        @Persisted var name = ""
        @Persisted var head: Owner?
    }

    class Place: EmbeddedObject {
        @Persisted var city = ""
    }
}
