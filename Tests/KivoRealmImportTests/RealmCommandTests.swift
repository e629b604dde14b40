import Foundation
import Kivo
import KivoRealmCommands
import KivoRealmFiles
import KivoRealmImport
import XCTest

/// The commands of `kivo realm`.
final class RealmCommandTests: ImportTestCase {
    private func run(_ command: RealmCommand, _ name: String, isJSON: Bool = false) throws -> String {
        var output: [UInt8] = []
        try command.run(
            on: path(name),
            CommandOutput(isJSON: isJSON, write: { output.append(contentsOf: $0) }))
        return String(decoding: output, as: UTF8.self)
    }

    private func path(_ name: String) -> String { ImportFixtures.url(name).path }

    private struct Closed: Error {}

    /// A program that reads the first lines only, and closes the pipe.
    func testErrorsOfTheOutputArePassedOn() {
        for command in [RealmCommand.info, .schema, .dump, .models] {
            XCTAssertThrowsError(
                try command.run(on: path("links-1"), CommandOutput(write: { _ in throw Closed() }))
            ) { XCTAssertTrue($0 is Closed, "\($0)") }
        }
    }

    func testInformation() throws {
        let text = try run(.info, "embedded-1")
        let lines = text.split(separator: "\n").map(String.init)
        XCTAssertEqual(
            lines[0], "embedded-1.realm: \(try ImportFixtures.file("embedded-1").byteCount) bytes, format 24")
        XCTAssert(lines.contains("schema version: 7"), text)
        XCTAssert(lines.contains("classes: 4"), text)
        XCTAssert(lines.contains("  Line (embedded): 25 objects"), text)
        XCTAssert(lines.contains("  Order: 9 objects"), text)
    }

    func testSchema() throws {
        XCTAssertEqual(
            try run(.schema, "links-1"),
            """
            Person
                id: Int  // primary key
                name: String
                best: Person
                friends: List<Person>
                pets: MutableSet<Pet>
                byName: Map<String, Person>
                any: AnyRealmValue
                anys: List<AnyRealmValue>

            Pet
                tag: String  // primary key
                owner: Person

            """)
    }

    func testAnswersForPrograms() throws {
        func json(_ command: RealmCommand, _ name: String) throws -> [String: Any] {
            let text = try run(command, name, isJSON: true)
            return try XCTUnwrap(
                JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], text)
        }
        let info = try json(.info, "embedded-1")
        XCTAssertEqual(info["formatVersion"] as? Int, 24)
        XCTAssertEqual(info["schemaVersion"] as? Int, 7)
        XCTAssertEqual((info["classes"] as? [[String: Any]])?.map { $0["objects"] as? Int }, [6, 3, 25, 9])
        let schema = try json(.schema, "embedded-1")
        let order = try XCTUnwrap((schema["classes"] as? [[String: Any]])?.last)
        XCTAssertEqual(order["primaryKey"] as? String, "id")
        XCTAssertEqual(
            (order["properties"] as? [[String: Any]])?.map { $0["type"] as? String },
            ["ObjectId", "Address", "List<Line>", "Map<String, Line>"])
        let target = folder.appendingPathComponent("target.kivo")
        let report = try json(.import(FileImport(to: target.path)), "sets-1")
        XCTAssertEqual((report["classes"] as? [[String: Any]])?.first?["inserted"] as? Int, 5)
        XCTAssertEqual(report["issueCount"] as? Int, 0)
    }

    func testDump() throws {
        for name in ["links-1", "mixed-nested-1", "empty-group"] {
            let text = try run(.dump, name)
            var expected: [UInt8] = []
            try ImportFixtures.file(name).dump(name: name + ".realm") { expected.append(contentsOf: $0) }
            XCTAssertEqual(Array(text.utf8), expected + [10])
        }
    }

    func testFilesThatAreRefused() {
        for name in ["not-a-realm", "truncated-top", "no-such-file", "too-new-v99"] {
            for command in [RealmCommand.info, .schema, .dump, .models] {
                XCTAssertThrowsError(try run(command, name)) {
                    XCTAssertTrue($0 is Realm.Error, "\(command) \(name): \($0)")
                }
            }
        }
        let target = folder.appendingPathComponent("target.kivo")
        XCTAssertThrowsError(try run(.import(FileImport(to: target.path)), "damaged-ref-loop"))
        XCTAssertFalse(FileManager.default.fileExists(atPath: target.path))
    }

    func testImport() throws {
        let target = folder.appendingPathComponent("target.kivo")
        func imported(_ existing: RealmFileImport.ExistingObjects, batch: Int? = nil) throws -> String {
            try run(
                .import(FileImport(to: target.path, module: "Elsewhere", existing: existing, batch: batch)),
                "links-1")
        }
        XCTAssertEqual(try imported(.error), "Person: 12 new\nPet: 6 new\n")
        // Once more: the keys are there.
        XCTAssertThrowsError(try imported(.error)) { XCTAssertTrue("\($0)".contains("primary key"), "\($0)") }
        XCTAssertEqual(try imported(.keep, batch: 4), "Person: 0 new, 12 kept\nPet: 0 new, 6 kept\n")
        XCTAssertEqual(
            try imported(.overwrite), "Person: 0 new, 12 overwritten\nPet: 0 new, 6 overwritten\n")
        let realm = try Realm(configuration: Realm.Configuration(fileURL: target))
        XCTAssertEqual(realm.dynamicObjects("Person").count, 12)
    }

    /// Values become what the classes of another file have.
    func testImportByTheClassesOfAnotherFile() throws {
        let models = folder.appendingPathComponent("models.kivo")
        func makeModels() throws {
            let realm = try Realm(
                configuration: Realm.Configuration(
                    fileURL: models, objectTypes: [NumberModels.All.self, NumberModels.Home.self]))
            try realm.write { realm.add(NumberModels.All()) }
        }
        try makeModels()
        let target = folder.appendingPathComponent("target.kivo")
        let text = try run(.import(FileImport(to: target.path, models: models.path)), "scalars-required-1")
        XCTAssert(text.contains("only in the file: All.date"), text)
        let realm = try Realm(
            configuration: Realm.Configuration(
                fileURL: target, objectTypes: [NumberModels.All.self, NumberModels.Home.self]))
        XCTAssertEqual(realm.objects(NumberModels.All.self).count, 25)
        XCTAssertEqual(realm.objects(NumberModels.All.self).first?.bool, 1)
        XCTAssertThrowsError(
            try run(.import(FileImport(to: target.path, models: models.path + "x")), "links-1")
        ) { XCTAssertTrue("\($0)".contains("models.kivox"), "\($0)") }
    }
}
