#if compiler(>=6.2)
import Foundation
import Kivo
import Testing

/// Migrations written wrongly, told in words.
struct MigrationTrapTests {
    private typealias Old = MigrationClasses.Old
    private typealias New = MigrationClasses.New

    /// Writes a file of old classes, and opens it with new ones.
    private static func migrate(_ block: @escaping MigrationBlock) throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(
            "kivo-\(UUID().uuidString).kivo")
        defer { try? FileManager.default.removeItem(at: file) }
        func open(_ types: [ObjectBase.Type], _ version: UInt64, _ body: (Realm) throws -> Void) throws {
            try body(
                Realm(
                    configuration: Realm.Configuration(
                        fileURL: file, schemaVersion: version, migrationBlock: block, objectTypes: types)))
        }
        try open(Old.people + [MigrationUnknown.self], 0) { realm in
            try realm.write {
                realm.add(Old.Person(value: ["id": 1, "home": ["city": "X"]]))
                realm.add(MigrationUnknown())
            }
        }
        try open(New.renamed, 1) { _ in }
    }

    @Test func renamingWhatTheFileDoesNotHave() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try MigrationTrapTests.migrate { migration, _ in
                migration.renameProperty(onType: "Person", from: "frist", to: "name")
            }
        }
        try check(result, says: ["'Person.frist'", "'name'", "has no property 'frist'"])
    }

    @Test func renamingToWhatTheClassDoesNotHave() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try MigrationTrapTests.migrate { migration, _ in
                migration.renameProperty(onType: "Person", from: "first", to: "nmae")
            }
        }
        try check(result, says: ["'Person.first'", "no persisted property 'nmae'"])
    }

    @Test func renamingWhatIsStillThere() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try MigrationTrapTests.migrate { migration, _ in
                migration.renameProperty(onType: "Person", from: "last", to: "name")
            }
        }
        try check(result, says: ["'Person.last'", "of the old name still"])
    }

    @Test func renamingToAnotherType() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try MigrationTrapTests.migrate { migration, _ in
                migration.renameProperty(onType: "Person", from: "first", to: "years")
            }
        }
        try check(result, says: ["'Person.first'", "'years'", "different types"])
    }

    @Test func renamingInAnUnknownClass() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try MigrationTrapTests.migrate { migration, _ in
                // No object of it was ever stored.
                migration.renameProperty(onType: "Nobody", from: "first", to: "years")
                migration.renameProperty(onType: "Unknown", from: "first", to: "years")
            }
        }
        try check(result, says: ["'Unknown.first'", "the program has no class 'Unknown'"])
    }

    @Test func changingAnOldObject() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try MigrationTrapTests.migrate { migration, _ in
                migration.enumerateObjects(ofType: "Person") { old, _ in old?["first"] = "x" }
            }
        }
        try check(result, says: ["'Person.first'", "old object of a migration"])
    }

    @Test func deletingAnOldObject() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try MigrationTrapTests.migrate { migration, _ in
                migration.enumerateObjects(ofType: "Person") { old, _ in migration.delete(old!) }
            }
        }
        try check(result, says: ["old object of class 'Person'", "delete the new one"])
    }

    @Test func objectsOfDeclaredClasses() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try MigrationTrapTests.migrate { migration, _ in
                migration.enumerateObjects(ofType: "Person") { _, new in
                    _ = new?.realm?.objects(New.Renamed.self)
                }
            }
        }
        try check(result, says: ["'Person'", "migration.create"])
    }

    @Test func committing() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try MigrationTrapTests.migrate { migration, _ in
                migration.enumerateObjects(ofType: "Person") { _, new in try? new?.realm?.commitWrite() }
            }
        }
        try check(result, says: ["write transaction of a migration ends with its block"])
    }

    @Test func creatingWhatNobodyHas() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try MigrationTrapTests.migrate { migration, _ in migration.create("Nobody") }
        }
        try check(result, says: ["'Nobody'", "'objectTypes'"])
    }

    @Test func creatingAnEmbeddedObject() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try MigrationTrapTests.migrate { migration, _ in migration.create("Place") }
        }
        try check(result, says: ["'Place'", "is embedded"])
    }

    @Test func deletingAFileThatIsOnlyRead() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("kivo-none.kivo")
            _ = try Realm(
                configuration: Realm.Configuration(
                    fileURL: file, readOnly: true, deleteRealmIfMigrationNeeded: true))
        }
        try check(result, says: ["'deleteRealmIfMigrationNeeded'", "'readOnly'"])
    }

    /// Integers of collections are of type `Int` in a migration, whatever the class declares.
    private static func fill(_ body: @escaping @Sendable (MigrationObject) -> Void) throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(
            "kivo-\(UUID().uuidString).kivo")
        defer { try? FileManager.default.removeItem(at: file) }
        for version in [0, 1] as [UInt64] {
            let realm = try Realm(
                configuration: Realm.Configuration(
                    fileURL: file, schemaVersion: version,
                    migrationBlock: { migration, _ in body(migration.create("MigrationTrapNarrow")) },
                    objectTypes: [MigrationTrapNarrow.self]))
            try realm.write { _ = realm.create(MigrationTrapNarrow.self) }
        }
    }

    @Test func integersThatAreTooWideForTheirCollection() async throws {
        let appended = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try MigrationTrapTests.fill { ($0["list"] as! List<Int>).append(128) }
        }
        try check(appended, says: ["'128'", "'MigrationTrapNarrow.list'", "Int8"])
        let replaced = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try MigrationTrapTests.fill {
                let list = $0["list"] as! List<Int>
                list.append(1)
                list[0] = -129
            }
        }
        try check(replaced, says: ["'-129'", "'MigrationTrapNarrow.list'", "Int8"])
        let inserted = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try MigrationTrapTests.fill { $0["set"] = [40_000] }
        }
        try check(inserted, says: ["'40000'", "'MigrationTrapNarrow.set'", "Int16"])
        let put = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try MigrationTrapTests.fill { ($0["map"] as! Map<String, Int?>)["a"] = Int.min }
        }
        try check(put, says: ["'\(Int.min)'", "'MigrationTrapNarrow.map'", "Int32"])
    }

    @Test func aStoredNameThatIsNone() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let realm = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "named"))
            _ = realm.objects(MigrationTrapNamed.self)
        }
        try check(result, says: ["'_realmObjectName()'", "MigrationTrapNamed"])
    }
}

class MigrationTrapNarrow: Object {
    @Persisted var list: List<Int8>
    @Persisted var set: MutableSet<Int16>
    @Persisted var map: Map<String, Int32?>
}

class MigrationUnknown: Object {
    @Persisted var first = ""
    override class func _realmObjectName() -> String? { "Unknown" }
}

class MigrationTrapNamed: Object {
    @Persisted var number = 0
    override class func _realmObjectName() -> String? { "" }
}
#endif
