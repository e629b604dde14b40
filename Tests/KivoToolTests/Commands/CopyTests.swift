import Foundation
import Kivo
import XCTest

@testable import KivoTool

/// `copy` and `salvage`, which make files of files, and `diff`, which compares them.
final class CopyTests: ToolTestCase {
    private var other: URL { folder.appendingPathComponent("other.kivo") }

    func testACopyOfAFileThatIsOpen() throws {
        try makePets()
        try withRealm { realm in
            let answer = run("copy", file.path, other.path, "--json")
            XCTAssertEqual(answer.code, .success, answer.errors)
            XCTAssertEqual(answer.objects.first?["bytes"] as? Int, try Data(contentsOf: other).count)
        }
        XCTAssertEqual(run("dump", "--json", other.path).output, run("dump", "--json", file.path).output)
        XCTAssertEqual(run("diff", file.path, other.path).output, "no difference\n")
        XCTAssertEqual(run("copy", file.path, other.path).code, .problem)
        XCTAssertEqual(run("copy", file.path + "x", folder.appendingPathComponent("new").path).code, .problem)
        XCTAssertFalse(FileManager.default.fileExists(atPath: folder.appendingPathComponent("new").path))
    }

    func testTheSchemaVersionIsCopied() throws {
        try withRealm(schemaVersion: 4) { realm in try realm.write { realm.add(ToolDog()) } }
        XCTAssertEqual(run("copy", file.path, other.path).code, .success)
        XCTAssertEqual(run("info", other.path, "--json").objects.first?["schemaVersion"] as? Int, 4)
    }

    func testSalvage() throws {
        try makePets()
        let whole = run("salvage", file.path, other.path)
        XCTAssertEqual(whole.code, .success, whole.errors)
        XCTAssertTrue(whole.output.hasSuffix("Nothing is missing in '\(other.path)'.\n"), whole.output)
        XCTAssertEqual(run("diff", file.path, other.path).code, .success)
        var bytes = try Data(contentsOf: file)
        let place = try XCTUnwrap(
            run("log", file.path, "--last", "1", "--json").objects.first?["offset"] as? Int)
        bytes[place + 30] ^= 1
        try bytes.write(to: file)
        let rescued = folder.appendingPathComponent("rescued.kivo")
        let partial = run("salvage", file.path, rescued.path, "--json")
        XCTAssertEqual(partial.code, .problem, "something is missing")
        let report = try XCTUnwrap(partial.objects.first)
        XCTAssertEqual(report["isComplete"] as? Bool, false)
        XCTAssertEqual((report["gaps"] as? [[String: Any]])?.first?["offset"] as? Int, place)
        XCTAssertEqual((report["classes"] as? [[String: Any]])?.count, 3)
        let difference = run("diff", other.path, rescued.path)
        XCTAssertEqual(difference.code, .problem)
        XCTAssertEqual(difference.output, "  ~ ToolDog 1\n      age: 7 → 0\n")
    }

    // MARK: diff

    private func change(_ body: (Realm) throws -> Void) throws {
        if FileManager.default.fileExists(atPath: other.path) {
            try FileManager.default.removeItem(at: other)
        }
        XCTAssertEqual(run("copy", file.path, other.path).code, .success)
        try withRealm(other) { realm in try realm.write { try body(realm) } }
    }

    func testDifferencesOfObjects() throws {
        try makePets()
        try change { realm in
            let mia = realm.objects(ToolPerson.self)[0]
            mia.home?.street = "Low"
            mia.scores["go"] = nil
            realm.delete(realm.objects(ToolDog.self).where { $0.name == "Zoe" })
            realm.add(ToolDog(value: ["name": "New"]))
        }
        let text = run("diff", file.path, other.path)
        XCTAssertEqual(text.code, .problem)
        XCTAssertEqual(
            text.output,
            """
              + ToolDog 4  age: 0, mother: nil, name: "New"
              - ToolDog 3  age: 0, mother: nil, name: "Zoe"
              ~ ToolPerson 1
                  dogs: [ToolDog 1, ToolDog 3] → [ToolDog 1]
                  home: ["inside": nil, "street": "High"] → ["inside": nil, "street": "Low"]
                  scores: ["chess": 4, "go": 1] → ["chess": 4]

            """)
        let lines = run("diff", file.path, other.path, "--json").objects
        XCTAssertEqual(lines.map { $0["class"] as? String }, ["ToolDog", "ToolPerson"])
        XCTAssertEqual((lines[0]["inserted"] as? [[String: Any]])?.first?["key"] as? Int, 4)
        XCTAssertEqual(
            run("diff", file.path, other.path, "--class", "ToolDog").output.split(separator: "\n").count, 2)
        XCTAssertEqual(run("diff", file.path, other.path, "--schema").output, "no difference\n")
        XCTAssertTrue(run("diff", file.path, other.path, "--class", "ToolDgo").errors.contains("'ToolDog'?"))
    }

    /// Objects with primary keys are the same under other keys, and links to them lead to the same object.
    func testPrimaryKeysIdentifyObjects() throws {
        for (url, order) in [(file, [1, 2, 3]), (other, [3, 1, 2])] {
            try withRealm(url) { realm in
                try realm.write {
                    for id in order { realm.create(ToolPerson.self, value: ["id": id, "name": "\(id)"]) }
                    for id in order {
                        let person = realm.object(ofType: ToolPerson.self, forPrimaryKey: id)!
                        for friend in order where friend != id {
                            person.friends.insert(
                                realm.object(ofType: ToolPerson.self, forPrimaryKey: friend)!)
                        }
                    }
                }
            }
        }
        XCTAssertNotEqual(run("dump", "--json", file.path).output, run("dump", "--json", other.path).output)
        XCTAssertEqual(run("diff", file.path, other.path).output, "no difference\n")
        try withRealm(other) { realm in
            try realm.write { realm.object(ofType: ToolPerson.self, forPrimaryKey: 2)!.friends.removeAll() }
        }
        XCTAssertEqual(run("diff", file.path, other.path, "--json").objects.count, 1)
    }

    func testNotANumberIsNoDifference() throws {
        try withRealm { realm in
            try realm.write {
                let thing = realm.create(ToolThing.self, value: ["key": "a"])
                thing.double = .nan
                thing.optionalString = ""
            }
        }
        try change { _ in }
        XCTAssertEqual(run("diff", file.path, other.path).code, .success)
        try change { $0.objects(ToolThing.self)[0].optionalString = nil }
        XCTAssertEqual(
            run("diff", file.path, other.path).output, "  ~ ToolThing 1\n      optionalString: \"\" → nil\n")
    }

    func testDifferencesOfClasses() throws {
        try withRealm { realm in try realm.write { realm.add(ToolDog()) } }
        try withRealm(other) { realm in
            try realm.write { realm.create(ToolPerson.self, value: ["id": 1]) }
        }
        let answer = run("diff", file.path, other.path, "--schema", "--json")
        XCTAssertEqual(answer.code, .problem)
        // Both files may have classes without objects, and then these do not differ.
        let changes = try XCTUnwrap(answer.objects.first?["schema"] as? [[String: Any]])
        XCTAssertTrue(changes.allSatisfy { $0["old"] is NSNull != $0["new"] is NSNull })
        XCTAssertTrue(run("diff", file.path, other.path).output.contains("  - ToolDog 1"))
    }
}
