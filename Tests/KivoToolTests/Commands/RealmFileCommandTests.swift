import XCTest

@testable import KivoTool

/// Commands for `.realm` files as they are called; what they do is tested where they are.
final class RealmFileCommandTests: ToolTestCase {
    private let fixture = realmFile("links-1")

    func testOtherCommandsNameTheGroupForTheseFiles() {
        for command in ["info", "dump", "schema", "verify"] {
            let answer = run(command, fixture.path)
            XCTAssertEqual(answer.code, .problem)
            XCTAssertTrue(answer.errors.contains("'kivo realm' reads the files of Realm"), answer.errors)
        }
    }

    func testCommandsAreReached() throws {
        XCTAssertTrue(run("realm", "import", "--help").output.contains("kivo realm import FILE TO"))
        XCTAssertEqual(run("realm", "info", file.path).code, .problem)
        let imported = run("realm", "import", fixture.path, file.path, "--module", "Elsewhere")
        XCTAssertEqual(imported.code, .success, imported.errors)
        XCTAssertEqual(imported.output, "Person: 12 new\nPet: 6 new\n")
        XCTAssertTrue(run("schema", file.path).output.contains("friends  List<Person>"))
        XCTAssertEqual(run("verify", file.path).code, .success)
        let again = run(
            "realm", "import", fixture.path, file.path, "--existing=keep", "--batch", "4", "--json")
        XCTAssertEqual((again.objects.first?["classes"] as? [[String: Any]])?.first?["kept"] as? Int, 12)
        XCTAssertEqual(run("realm", "import", fixture.path, file.path).code, .problem)
        XCTAssertEqual(run("realm", "info", fixture.path, "--json").objects.count, 1)
        for command in ["schema", "dump", "models"] {
            XCTAssertFalse(run("realm", command, fixture.path).output.isEmpty, command)
        }
    }

    func testWhatIsWrongIsNamed() {
        let wrong: [([String], String)] = [
            ([], "a command is missing"), (["what"], "no command 'what'"), (["info"], "FILE is missing"),
            (["infos"], "did you mean 'info'?"), (["info", "a", "b"], "'b' is one argument too many"),
            (["import", "a"], "TO is missing"), (["info", "a", "--batch", "3"], "no option '--batch'"),
            (["import", "a", "b", "--batch"], "'--batch' needs a value"),
            (["import", "a", "b", "--batch", "0"], "above zero"),
            (["import", "a", "b", "--existing=both"], "is one of error, overwrite, keep"),
        ]
        for (words, message) in wrong {
            let answer = run(["realm"] + words)
            XCTAssertEqual(answer.code, .usage, "\(words)")
            XCTAssertTrue(answer.errors.contains(message), answer.errors)
        }
    }
}
