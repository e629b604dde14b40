import XCTest

@testable import KivoTool

/// That commands for `.realm` files are reached through the tool; what they do is tested where they are.
final class RealmFileCommandTests: ToolTestCase {
    func testCommandsAreReached() throws {
        XCTAssertTrue(run("realm", "--help").output.contains("kivo realm import FILE TO"))
        XCTAssertEqual(run("realm", "info").code, .usage)
        XCTAssertEqual(run("realm", "info", file.path).code, .problem)
        let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("KivoRealmFilesTests/Resources/Files/links-1.realm")
        let imported = run("realm", "import", fixture.path, file.path)
        XCTAssertEqual(imported.code, .success, imported.errors)
        XCTAssertTrue(run("schema", file.path).output.contains("friends  List<Person>"))
        XCTAssertEqual(run("verify", file.path).code, .success)
    }
}
