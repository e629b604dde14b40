import Foundation
import Kivo
import XCTest

@testable import KivoTool

private enum First {
    class ToolNote: Object {
        @Persisted var text = ""
        @Persisted var stars = 0
    }
}

private enum Second {
    class ToolNote: Object {
        @Persisted var text = ""
        @Persisted var rating: Double?
    }
}

/// Files whose classes became others.
final class MigratedFileTests: ToolTestCase {
    private func write<Note: Object>(_ type: Note.Type, _ version: UInt64, _ values: [String: Any]) throws {
        let configuration = Realm.Configuration(fileURL: file, schemaVersion: version, objectTypes: [type])
        let realm = try Realm(configuration: configuration)
        try realm.write { _ = realm.create(type, value: values) }
    }

    func testAMigratedFileIsReadFromItsStartToItsEnd() throws {
        try write(First.ToolNote.self, 1, ["text": "a", "stars": 3])
        try write(Second.ToolNote.self, 2, ["text": "b", "rating": 2.5])
        XCTAssertEqual(
            run("dump", "--json", file.path).output,
            """
            {"class":"ToolNote","key":1,"values":{"rating":null,"text":"a"}}
            {"class":"ToolNote","key":2,"values":{"rating":2.5,"text":"b"}}

            """)
        let log = run("log", file.path, "--json").objects
        XCTAssertEqual(log.compactMap { $0["schemaVersion"] as? Int }, [1, 2])
        // Schema versions and migrations are commits, too.
        XCTAssertEqual(log.compactMap { $0["commit"] as? Int }, [1, 2, 3, 4])
        XCTAssertEqual(run("verify", file.path).code, .success)
        XCTAssertTrue(run("info", file.path).output.contains("schema version  2"))
        XCTAssertEqual(run("compact", file.path).code, .success)
        XCTAssertEqual(
            run("dump", "--json", file.path, "--class", "ToolNote", "--where", "rating > 2").objects.count, 1)
        let lines = folder.appendingPathComponent("lines.jsonl")
        let copy = folder.appendingPathComponent("copy.kivo")
        try Data(run("export", file.path).output.utf8).write(to: lines)
        XCTAssertEqual(run("import", lines.path, copy.path).code, .success)
        XCTAssertEqual(run("dump", "--json", copy.path).output, run("dump", "--json", file.path).output)
    }
}
