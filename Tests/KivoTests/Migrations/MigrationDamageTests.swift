import Foundation
import Kivo
import TestRandomness
import XCTest

/// Files with migrations that are damaged, that say what cannot be, and whose writers were killed.
final class MigrationDamageTests: MigrationTestCase {
    private typealias Old = MigrationClasses.Old
    private typealias New = MigrationClasses.New

    private static let before = Old.people + Old.owners + [Old.Keyed.self]
    private static let after = New.renamed + New.owners + [New.Keyed.self]

    private func fill(_ realm: Realm) {
        for index in 0..<5 {
            let person = Old.Person(value: ["id": index, "first": "F\(index)", "home": ["city": "C"]])
            person.scores.append(index)
            person.tags["k"] = "v"
            realm.add(person)
            realm.add(Old.Owner(value: ["part": ["number": index], "parts": [["number": 9]]]))
            realm.add(Old.Keyed(value: ["code": "c\(index)", "number": index]))
        }
    }

    private static let block: MigrationBlock = { migration, _ in
        migration.renameProperty(onType: "Person", from: "first", to: "name")
        migration.enumerateObjects(ofType: "Keyed") { old, new in
            new?["number"] = 100 + (old?["number"] as? Int ?? 0)
        }
        migration.renameProperty(onType: "Person", from: "home", to: "house")
    }

    /// A file with everything that a migration does, and a commit after it.
    private func makeFile() throws {
        try write(Self.before, fill)
        try withRealm(configuration(Self.after, version: 1, Self.block)) { realm in
            try realm.write {
                realm.add(New.Renamed(value: ["id": 77, "name": "late"]))
                realm.objects(New.Keyed.self)[0].code = "changed"
            }
        }
        try withRealm(
            configuration(Self.before, version: 2) { migration, _ in
                migration.enumerateObjects(ofType: "Owner") { _, new in XCTAssertNotNil(new?["part"]) }
                migration.renameProperty(onType: "Person", from: "name", to: "first")
                migration.deleteData(forType: "Nowhere")
            }
        ) { realm in
            try realm.write { realm.add(Old.Person(value: ["id": 78, "home": ["city": "D"]])) }
        }
    }

    func testSenselessMigrations() throws {
        try makeFile()
        let forger = JournalForger([UInt8](try Data(contentsOf: file)))
        XCTAssertEqual(forger.records.map(\.kind), [1, 5, 1, 5, 1])
        var random = RandomSource()
        var (opened, refused) = (0, 0)
        for index in [1, 3] {
            for position in TestEffort.cases(forger.records[index].payload.indices, within: 0.21, atLeast: 40)
            {
                var forged = forger
                let byte = forged.records[index].payload[position]
                forged.records[index].payload[position] =
                    random.chance(50) ? byte ^ 1 << UInt8(random.below(8)) : UInt8(random.below(256))
                try Data(forged.bytes).write(to: file)
                do {
                    // The realm takes its classes from the file, so that a difference of the schema is not found before the
                    // damage.
                    try withRealm(Realm.Configuration(fileURL: file, schemaVersion: .max, objectTypes: [])) {
                        realm in
                        try use(realm)
                    }
                    opened += 1
                } catch let error as Realm.Error {
                    XCTAssert(
                        [.invalidDatabase, .schemaMismatch].contains(error.code), "\(position): \(error)")
                    refused += 1
                }
            }
        }
        XCTAssertGreaterThan(opened, TestEffort.expected(20), "\(refused) refused")
        XCTAssertGreaterThan(refused, TestEffort.expected(100), "\(opened) opened")
    }

    /// Reads everything, and deletes half of it.
    private func use(_ realm: Realm) throws {
        for schema in realm.schema.objectSchema {
            for object in realm.dynamicObjects(schema.className) {
                for property in schema.properties { _ = object[property.name] }
            }
        }
        try realm.write {
            for schema in realm.schema.objectSchema {
                let objects = Array(realm.dynamicObjects(schema.className))
                for (index, object) in objects.enumerated() where index % 2 == 0 && !object.isInvalidated {
                    realm.delete(object)
                }
            }
        }
    }

    func testWhatFollowsALostMigrationIsNotTakenForSomethingElse() throws {
        try makeFile()
        let whole = try Data(contentsOf: file)
        let bounds = whole.recordBounds
        let rescued = folder.appendingPathComponent("rescued.kivo")
        // Which record is lost, and which people are left. The names that were renamed in it are lost with the first.
        for (lost, ids, names) in [
            (1, [0, 1, 2, 3, 4, 78], nil), (2, [0, 1, 2, 3, 4, 78], ["F0", "F1", "F2", "F3", "F4", ""]),
            (3, [0, 1, 2, 3, 4, 77], ["F0", "F1", "F2", "F3", "F4", "late"]),
        ] as [(Int, [Int], [String]?)] {
            var data = whole
            data[bounds[lost] + 36] ^= 1
            try data.write(to: file)
            assertError(.invalidDatabase) { _ = try schemaVersionAtURL(file) }
            try? FileManager.default.removeItem(at: rescued)
            let report = try Realm.salvage(contentsOf: file, to: rescued)
            XCTAssertFalse(report.isComplete, "\(lost)")
            let copy = Realm.Configuration(fileURL: rescued, schemaVersion: .max, objectTypes: [])
            try withRealm(copy) { realm in
                let people = realm.dynamicObjects("Person")
                XCTAssertEqual(people.map { $0["id"] as? Int }, ids, "\(lost)")
                let name = realm.schema["Person"]?["name"] == nil ? "first" : "name"
                if let names { XCTAssertEqual(people.map { $0[name] as? String }, names, "\(lost)") }
            }
        }
    }

    #if os(Linux) || os(macOS)
    /// A process that kills itself in the block, having changed everything.
    func testAProcessThatIsKilledInTheBlock() throws {
        try XCTSkipUnless(ProgramRunner.isAvailable)
        try write([Old.Keyed.self]) { realm in
            for index in 0..<100 { realm.add(Old.Keyed(value: ["code": "c\(index)", "number": index])) }
        }
        let before = try Data(contentsOf: file)
        let source = """
            import Foundation
            import Kivo

            class Keyed: Object {
                @Persisted(primaryKey: true) var number = 0
                @Persisted var added = ""
            }

            @main struct Program {
                static func main() throws {
                    let block: MigrationBlock = { migration, _ in
                        migration.enumerateObjects(ofType: "Keyed") { old, new in
                            new?["number"] = 1000 + (old?["number"] as? Int ?? 0)
                            if old?["number"] as? Int == 98 { kill(getpid(), SIGKILL) }
                        }
                    }
                    _ = try Realm(configuration: Realm.Configuration(
                        fileURL: URL(fileURLWithPath: "\(file.path)"), schemaVersion: 1, migrationBlock: block))
                }
            }
            """
        let result = try ProgramRunner().run(source)
        XCTAssertEqual(result.status, 9, result.output)
        XCTAssertEqual(try Data(contentsOf: file), before)
        try withRealm(configuration([Old.Keyed.self], version: 0)) { realm in
            XCTAssertEqual(realm.objects(Old.Keyed.self).map(\.number), Array(0..<100))
        }
    }
    #endif
}
