import Foundation
import Kivo
import XCTest

/// What old and new objects of a migration give for their properties.
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
}
