import Foundation
import Kivo
import KivoRealmCommands
import KivoRealmFiles
import KivoRealmImport
import XCTest

/// The commands of `kivo realm`.
final class RealmCommandTests: ImportTestCase {
    private struct Result {
        var status: Int32 = 0
        var output: [UInt8] = []
        var notes: [String] = []
        var text: String { String(decoding: output, as: UTF8.self) }
    }

    private func run(_ arguments: String...) -> Result {
        var result = Result()
        let status = RealmCommand.run(
            arguments,
            CommandOutput(
                write: { result.output.append(contentsOf: $0) }, note: { result.notes.append($0) }))
        result.status = status
        return result
    }

    private func path(_ name: String) -> String { ImportFixtures.url(name).path }

    /// A program that reads the first lines only, and closes the pipe.
    func testWhoeverHasReadEnoughIsNoProblem() {
        for command in ["info", "schema", "dump", "models"] {
            var notes: [String] = []
            let status = RealmCommand.run(
                [command, path("links-1")],
                CommandOutput(write: { _ in throw CommandOutput.Closed() }, note: { notes.append($0) }))
            XCTAssertEqual(status, 0, command)
            XCTAssertEqual(notes, [], command)
        }
    }

    func testInformation() throws {
        let result = run("info", path("embedded-1"))
        XCTAssertEqual(result.status, 0)
        let lines = result.text.split(separator: "\n").map(String.init)
        XCTAssertEqual(
            lines[0], "embedded-1.realm: \(try ImportFixtures.file("embedded-1").byteCount) bytes, format 24")
        XCTAssert(lines.contains("schema version: 7"), result.text)
        XCTAssert(lines.contains("classes: 4"), result.text)
        XCTAssert(lines.contains("  Line (embedded): 25 objects"), result.text)
        XCTAssert(lines.contains("  Order: 9 objects"), result.text)
    }

    func testSchema() {
        let result = run("schema", path("links-1"))
        XCTAssertEqual(
            result.text,
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
        func json(_ result: Result) throws -> [String: Any] {
            try XCTUnwrap(
                JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any], result.text)
        }
        let info = try json(run("info", "--json", path("embedded-1")))
        XCTAssertEqual(info["formatVersion"] as? Int, 24)
        XCTAssertEqual(info["schemaVersion"] as? Int, 7)
        XCTAssertEqual((info["classes"] as? [[String: Any]])?.map { $0["objects"] as? Int }, [6, 3, 25, 9])
        let schema = try json(run("schema", path("embedded-1"), "--json"))
        let order = try XCTUnwrap((schema["classes"] as? [[String: Any]])?.last)
        XCTAssertEqual(order["primaryKey"] as? String, "id")
        XCTAssertEqual(
            (order["properties"] as? [[String: Any]])?.map { $0["type"] as? String },
            ["ObjectId", "Address", "List<Line>", "Map<String, Line>"])
        let target = folder.appendingPathComponent("target.kivo")
        let report = try json(run("import", path("sets-1"), target.path, "--json"))
        XCTAssertEqual((report["classes"] as? [[String: Any]])?.first?["inserted"] as? Int, 5)
        XCTAssertEqual(report["issueCount"] as? Int, 0)
    }

    func testDump() throws {
        for name in ["links-1", "mixed-nested-1", "empty-group"] {
            let result = run("dump", path(name))
            XCTAssertEqual(result.status, 0)
            var expected: [UInt8] = []
            try ImportFixtures.file(name).dump(name: name + ".realm") { expected.append(contentsOf: $0) }
            XCTAssertEqual(result.output, expected + [10])
        }
    }

    func testMisuse() {
        for arguments in [
            [], ["what"], ["info"], ["info", "a", "b"], ["import", "a"], ["info", "a", "--batch", "3"],
            ["import", "a", "b", "--batch"], ["import", "a", "b", "--batch", "0"],
            ["import", "a", "b", "--existing=both"], ["import", "a", "b", "--other", "1"],
        ] {
            var notes: [String] = []
            let status = RealmCommand.run(
                arguments, CommandOutput(write: { _ in }, note: { notes.append($0) }))
            XCTAssertEqual(status, 2, "\(arguments)")
            XCTAssert(notes.last?.hasPrefix("usage:") ?? false, "\(arguments)")
        }
        let help = run("--help")
        XCTAssertEqual(help.status, 0)
        XCTAssertEqual(help.text, RealmCommand.usage)
    }

    func testFilesThatAreRefused() {
        for name in ["not-a-realm", "truncated-top", "no-such-file", "too-new-v99"] {
            for action in ["info", "schema", "dump", "models"] {
                let result = run(action, path(name))
                XCTAssertEqual(result.status, 1, "\(action) \(name)")
                XCTAssertEqual(result.notes.count, 1, "\(action) \(name)")
            }
        }
        let target = folder.appendingPathComponent("target.kivo")
        XCTAssertEqual(run("import", path("damaged-ref-loop"), target.path).status, 1)
        XCTAssertFalse(FileManager.default.fileExists(atPath: target.path))
    }

    func testImport() throws {
        let target = folder.appendingPathComponent("target.kivo")
        let result = run("import", path("links-1"), target.path, "--module", "Elsewhere")
        XCTAssertEqual(result.status, 0, "\(result.notes)")
        XCTAssertEqual(result.text, "Person: 12 new\nPet: 6 new\n")
        // Once more: the keys are there.
        let again = run("import", path("links-1"), target.path)
        XCTAssertEqual(again.status, 1)
        XCTAssert(again.notes.last?.contains("primary key") ?? false, "\(again.notes)")
        XCTAssertEqual(
            run("import", path("links-1"), target.path, "--existing", "keep", "--batch", "4").text,
            "Person: 0 new, 12 kept\nPet: 0 new, 6 kept\n")
        XCTAssertEqual(
            run("import", path("links-1"), target.path, "--existing=overwrite").text,
            "Person: 0 new, 12 overwritten\nPet: 0 new, 6 overwritten\n")
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
        let result = run("import", path("scalars-required-1"), target.path, "--models", models.path)
        XCTAssertEqual(result.status, 0, "\(result.notes)")
        XCTAssert(result.text.contains("only in the file: All.date"), result.text)
        let realm = try Realm(
            configuration: Realm.Configuration(
                fileURL: target, objectTypes: [NumberModels.All.self, NumberModels.Home.self]))
        XCTAssertEqual(realm.objects(NumberModels.All.self).count, 25)
        XCTAssertEqual(realm.objects(NumberModels.All.self).first?.bool, 1)
        let missing = run("import", path("links-1"), target.path, "--models", models.path + "x")
        XCTAssertEqual(missing.status, 1)
        XCTAssert(missing.notes.last?.contains("models.kivox") ?? false)
    }
}
