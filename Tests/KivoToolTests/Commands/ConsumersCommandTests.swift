import Foundation
import Kivo
import XCTest

@testable import KivoTool

/// `kivo consumers`, and what other commands say of a file with consumers.
final class ConsumersCommandTests: ToolTestCase {
    func testConsumersAreListedAndRemoved() throws {
        XCTAssertEqual(run("consumers", file.path).code, .problem)
        try withRealm { realm in
            try realm.write { realm.add(ToolDog(value: ["name": "Max"])) }
        }
        XCTAssertEqual(run("consumers", file.path, "--text").output, "no consumers\n")
        try withRealm { realm in
            _ = try realm.consumer("uploader")
            _ = try realm.consumer("index")
            try realm.write { realm.add(ToolDog(value: ["name": "Ida"])) }
        }
        XCTAssertEqual(
            run("consumers", file.path, "--text").output,
            """
            uploader  has read up to commit 1, 3 before the newest
            index     has read up to commit 2, 2 before the newest

            """)
        let answer = run("consumers", file.path, "--json")
        XCTAssertEqual(answer.objects.map { $0["name"] as? String }, ["uploader", "index"])
        XCTAssertEqual(answer.objects.map { $0["behind"] as? Int }, [3, 2])

        XCTAssertEqual(run("consumers", file.path, "--remove", "nobody").code, .problem)
        XCTAssertEqual(
            run("consumers", file.path, "--remove", "index", "--json").objects.first?["isRemoved"] as? Bool,
            true)
        XCTAssertEqual(
            run("consumers", file.path, "--json").objects.map { $0["name"] as? String }, ["uploader"])
    }

    func testOtherCommandsShowNoRowsOfKivoItself() throws {
        try withRealm { realm in
            _ = try realm.consumer("uploader")
            try realm.write { realm.add(ToolDog(value: ["name": "Max"])) }
        }
        XCTAssertEqual(run("compact", file.path).code, .success)
        let lines = folder.appendingPathComponent("lines"), copy = folder.appendingPathComponent("copy.kivo")
        for words in [
            ["info"], ["schema"], ["log"], ["dump"], ["export"], ["verify"], ["verify", "--indexes"],
            ["changes", "--since", "1"], ["schema", "--format", "svg"],
        ] {
            let answer = run([words[0], file.path] + words.dropFirst())
            XCTAssertEqual(answer.code, words[0] == "changes" ? .problem : .success, "\(words)")
            XCTAssertFalse(answer.output.contains("$"), "\(words): \(answer.output)")
            if words == ["export"] { try Data(answer.output.utf8).write(to: lines) }
        }
        XCTAssertEqual(run("import", lines.path, copy.path).code, .success)
        XCTAssertEqual(run("diff", file.path, copy.path).code, .success)
        XCTAssertEqual(run("consumers", file.path, "--json").objects.count, 1)
        XCTAssertEqual(run("consumers", copy.path, "--json").objects.count, 0)
    }
}
