import Foundation
import Kivo
import XCTest

@testable import KivoTool

/// `set` and `delete`.
final class EditingTests: ToolTestCase {
    private func dogs() -> String {
        run("dump", file.path, "--class", "ToolDog", "--format", "csv", "--fields", "name,age,mother").output
    }

    func testNothingChangesWithoutWrite() throws {
        try makePets()
        let before = try Data(contentsOf: file)
        let set = run("set", file.path, "age=3", "--class", "ToolDog")
        XCTAssertEqual(
            set.output, "would change 2 objects of class 'ToolDog'; '--write' does it\n", set.errors)
        let delete = run("delete", file.path, "--class", "ToolDog", "--where", "age > 5", "--json")
        XCTAssertEqual(
            delete.output, "{\"class\":\"ToolDog\",\"objects\":1,\"isWritten\":false}\n", delete.errors)
        XCTAssertEqual(try Data(contentsOf: file), before)
    }

    func testSet() throws {
        try makePets()
        let answer = run(
            "set", file.path, "name=Max", "mother:={\"key\":3}", "age=8", "--class", "ToolDog", "--where",
            "age == %d", "--arg",
            "7", "--write")
        XCTAssertEqual(answer.output, "changed 1 object of class 'ToolDog'\n", answer.errors)
        XCTAssertEqual(dogs(), "class,key,name,age,mother\nToolDog,1,Max,8,3\nToolDog,3,Zoe,0,\n")
        XCTAssertTrue(run("log", file.path, "--last", "1").output.contains("age: 7 → 8"))
        // Objects that the change takes out of the condition are changed, too.
        XCTAssertEqual(
            run("set", file.path, "age=1", "--class", "ToolDog", "--where", "age != 1", "--write").code,
            .success)
        XCTAssertTrue(dogs().contains("Max,1,3\n"))
        XCTAssertEqual(run("set", file.path, "mother:=null", "--class", "ToolDog", "--write").code, .success)
        XCTAssertEqual(dogs(), "class,key,name,age,mother\nToolDog,1,Max,1,\nToolDog,3,Zoe,1,\n")
        XCTAssertEqual(
            run("dump", file.path, "--class", "ToolDog", "--where", "name == 'Max'", "--count", "--json")
                .objects.count, 1)
        XCTAssertEqual(run("verify", file.path).code, .success)
    }

    func testSetOfCollectionsReplacesThem() throws {
        try makePets()
        for (assignment, expected) in [
            ("dogs:=[{\"key\":3}]", "\"dogs\":[{\"key\":3}]"),
            ("scores:=[[\"a\",5],[\"b\",6]]", "\"scores\":[[\"a\",5],[\"b\",6]]"),
            ("scores:=[]", "\"scores\":[]"), ("pets:=[[\"x\",null]]", "\"pets\":[[\"x\",null]]"),
            ("friends:=[{\"key\":1}]", "\"friends\":[{\"key\":1}]"),
        ] {
            let answer = run("set", file.path, assignment, "--class", "ToolPerson", "--write")
            XCTAssertEqual(answer.code, .success, answer.errors)
            XCTAssertTrue(run("dump", "--json", file.path).output.contains(expected), assignment)
            try withRealm { realm in
                XCTAssertEqual(
                    realm.objects(ToolDog.self).where { $0.owners.count > 0 }.count,
                    assignment.hasPrefix("dogs") ? 1 : 1)
            }
        }
        XCTAssertEqual(run("verify", file.path).code, .success)
    }

    /// Each value that CSV prints is a value that `set` takes.
    func testValuesOfEachType() throws {
        try withRealm { realm in
            try realm.write {
                let thing = realm.create(ToolThing.self, value: ["key": "a"])
                thing.int8 = -7
                thing.float = .infinity
                thing.double = 0.1
                thing.string = "x=y, \"z\""
                thing.data = Data([0, 171])
                thing.date = Date(timeIntervalSinceReferenceDate: -1.125)
                thing.uuid = UUID()
                thing.objectId = ObjectId.generate()
                thing.decimal = try! Decimal128(string: "-1.50")
                thing.bool = true
                realm.create(ToolThing.self, value: ["key": "b"])
            }
        }
        func value(_ key: String, _ name: String) -> String {
            run(
                "dump", file.path, "--class", "ToolThing", "--where", "key == %@", "--arg", key, "--fields",
                name, "--json"
            ).output
                .components(separatedBy: "\"values\":").last!
        }
        for name in [
            "int8", "float", "double", "string", "data", "date", "uuid", "objectId", "decimal", "bool",
        ] {
            let csv = run(
                "dump", file.path, "--class", "ToolThing", "--where", "key == 'a'", "--fields", name,
                "--format", "csv"
            ).output
            var text = String(csv.split(separator: "\n")[1].dropFirst("ToolThing,1,".count))
            if text.hasPrefix("\"") {
                text = text.dropFirst().dropLast().replacingOccurrences(of: "\"\"", with: "\"")
            }
            let answer = run(
                "set", file.path, "\(name)=\(text)", "--class", "ToolThing", "--where", "key == 'b'",
                "--write")
            XCTAssertEqual(answer.code, .success, answer.errors)
            XCTAssertEqual(value("b", name), value("a", name))
        }
    }

    func testWhatCannotBeSet() throws {
        try makePets()
        let before = run("dump", "--json", file.path).output
        let wrong: [(String, String, String, ExitCode)] = [
            ("ToolDog", "age=old", "'ToolDog.age' of type Int cannot hold 'old'", .usage),
            ("ToolDog", "agee=3", "did you mean 'age'?", .usage), ("ToolDog", "age", "no assignment", .usage),
            ("ToolDog", "=3", "no assignment", .usage), ("ToolDog", "name:=Rex", "'Rex' is no JSON", .usage),
            ("ToolDog", "mother=3", "takes JSON", .usage),
            ("ToolDog", "name:=null", "cannot hold nil", .problem),
            ("ToolDog", "mother:={\"key\":99}", "object 99, which is not there", .problem),
            ("ToolPerson", "id=3", "is the primary key", .usage),
            ("ToolPerson", "home:=null", "embedded", .usage),
            ("ToolPerson", "scores=3", "takes JSON", .usage),
            ("ToolPerson", "scores:=[[\"a\",1],[\"a\",2]]", "twice", .problem),
        ]
        for (name, assignment, message, code) in wrong {
            let answer = run("set", file.path, assignment, "--class", name, "--write")
            XCTAssertEqual(answer.code, code, assignment)
            XCTAssertTrue(answer.errors.contains(message), answer.errors)
        }
        XCTAssertEqual(run("set", file.path, "age=3", "--write").code, .usage)
        XCTAssertEqual(run("set", file.path, "--class", "ToolDog", "--write").code, .usage)
        XCTAssertEqual(run("dump", "--json", file.path).output, before)
    }

    func testDelete() throws {
        try makePets()
        let answer = run("delete", file.path, "--class", "ToolDog", "--where", "name == 'Rex'", "--write")
        XCTAssertEqual(answer.output, "deleted 1 object of class 'ToolDog'\n", answer.errors)
        XCTAssertTrue(run("dump", "--json", file.path).output.contains("\"dogs\":[{\"key\":3}]"))
        XCTAssertTrue(run("dump", "--json", file.path).output.contains("\"pets\":[[\"best\",null]]"))
        // Embedded objects go with their owner.
        XCTAssertEqual(run("delete", file.path, "--class", "ToolPerson", "--write").code, .success)
        XCTAssertEqual(run("dump", "--json", file.path).objects.count, 1)
        XCTAssertEqual(run("delete", file.path, "--write").code, .usage)
        XCTAssertEqual(run("verify", file.path).code, .success)
    }

    /// A program that has the file open sees the change.
    func testAFileThatAProgramHasOpen() throws {
        let program = try ProgramTests.builtProgram()
        try makePets()
        try withRealm { realm in
            let dogs = realm.objects(ToolDog.self)
            let process = Process()
            process.executableURL = program
            process.arguments = ["set", file.path, "age=50", "--class", "ToolDog", "--write"]
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            XCTAssertEqual(process.terminationStatus, 0)
            realm.refresh()
            XCTAssertEqual(dogs.map(\.age), [50, 50])
            try realm.write { dogs[0].age = 51 }
        }
        XCTAssertTrue(dogs().contains("Rex,51"))
    }
}
