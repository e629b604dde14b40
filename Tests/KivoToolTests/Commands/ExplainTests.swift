import Foundation
import Kivo
import XCTest

@testable import KivoTool

/// The output of `explain` for conditions with and without an index.
final class ExplainTests: ToolTestCase {
    /// People of whom one in ten has the same name, and one in a hundred another name.
    private func makePeople(_ count: Int = 1000) throws {
        try withRealm { realm in
            try realm.write {
                for id in 1...count {
                    let name = id % 100 == 0 ? "rare" : id % 10 == 0 ? "frequent" : "p\(id)"
                    let person = realm.create(ToolPerson.self, value: ["id": id, "name": name])
                    person.scores["chess"] = id
                }
                for age in 0..<3 { realm.add(ToolDog(value: ["age": age])) }
            }
        }
        // Otherwise each command replays the commit.
        XCTAssertEqual(run("compact", file.path).code, .success)
    }

    private func explain(_ predicate: String?, _ words: String..., line: UInt = #line) throws -> [String: Any]
    {
        let condition = predicate.map { ["--where", $0] } ?? []
        let answer = run(["explain", file.path, "--json", "--class", "ToolPerson"] + condition + words)
        XCTAssertEqual(answer.code, .success, answer.errors, line: line)
        let plan = try XCTUnwrap(answer.objects.first)
        XCTAssertEqual(plan["objects"] as? Int, 1000, line: line)
        XCTAssertGreaterThanOrEqual(try XCTUnwrap(plan["milliseconds"] as? Double), 0)
        return plan
    }

    private func check(
        _ predicate: String?, _ access: String, _ properties: [String], read: Int, found: Int,
        line: UInt = #line
    ) throws {
        let plan = try explain(predicate, line: line)
        XCTAssertEqual(plan["access"] as? String, access, line: line)
        XCTAssertEqual(plan["properties"] as? [String], properties, line: line)
        XCTAssertEqual(plan["read"] as? Int, read, line: line)
        XCTAssertEqual(plan["found"] as? Int, found, line: line)
        XCTAssertEqual(plan["sorts"] as? Bool, false, line: line)
    }

    func testWaysToTheObjects() throws {
        try makePeople()
        try check(nil, "all", [], read: 1000, found: 1000)
        try check("id == 7", "primaryKey", ["id"], read: 1, found: 1)
        try check("id == 7000", "primaryKey", ["id"], read: 0, found: 0)
        try check("id IN {1, 2, 3, 4000}", "primaryKey", ["id"], read: 3, found: 3)
        try check("name == 'rare'", "index", ["name"], read: 10, found: 10)
        try check("name == 'rare' AND id > 500", "index", ["name"], read: 10, found: 5)
        // The condition that leaves fewer objects is looked up.
        try check("name == 'rare' AND id == 300", "primaryKey", ["id"], read: 1, found: 1)
        try check("id == 7 OR name == 'rare'", "index", ["id", "name"], read: 11, found: 11)
        try check("id == 7 OR name == 'rare' OR id > 990", "scan", [], read: 1000, found: 20)
        // It is cheaper to read all objects in a row than one in eleven alone.
        try check("name == 'frequent'", "scan", ["name"], read: 1000, found: 90)
        try check("id > 990", "scan", [], read: 1000, found: 10)
        try check("name BEGINSWITH 'ra'", "scan", [], read: 1000, found: 10)
        try check("NOT (name == 'rare')", "scan", [], read: 1000, found: 990)
        try check("home == nil", "scan", [], read: 1000, found: 1000)
        try check("scores['chess'] == 5", "scan", [], read: 1000, found: 1)
        try check("TRUEPREDICATE", "scan", [], read: 1000, found: 1000)
    }

    func testTheOrder() throws {
        try makePeople()
        XCTAssertEqual(try explain("name == %@", "--arg", "rare", "--sort", "-id")["sorts"] as? Bool, true)
        XCTAssertEqual(try explain(nil, "--sort", "id")["sorts"] as? Bool, true)
    }

    func testText() throws {
        try makePeople()
        let answer = run(
            "explain", file.path, "--class", "ToolPerson", "--where", "name == 'rare' AND id > 500",
            "--class",
            "ToolDog", "--where", "age < 1", "--sort", "name")
        XCTAssertEqual(answer.code, .success, answer.errors)
        let lines = answer.output.split(separator: "\n", omittingEmptySubsequences: false)
        XCTAssertEqual(
            lines.filter { !$0.hasPrefix("  time   ") }.joined(separator: "\n"),
            """
            ToolPerson
              way    the index of 'name'
              reads  10 of 1000 objects
              finds  5 objects
              order  sorts 5 objects

            ToolDog
              way    a scan: no index has the values of the condition
              reads  3 of 3 objects
              finds  1 object
              order  sorts 1 object

            """)
        let frequent = run("explain", file.path, "--class", "ToolPerson", "--where", "name == 'frequent'")
        XCTAssertTrue(
            frequent.output.contains("a scan: the index of 'name' would not be faster"),
            frequent.output)
    }

    func testWhatItRefuses() throws {
        try makePeople(10)
        for (words, message) in [
            ([], "'--class' is missing"), (["--class", "ToolPerson", "--where", "nam == 1"], "'name'"),
            (["--class", "ToolPerson", "--sort", "nam"], "did you mean 'name'?"),
            (["--class", "ToolPerson", "--limit", "3"], "no option '--limit'"),
        ] {
            let answer = run(["explain", file.path] + words)
            XCTAssertEqual(answer.code, .usage, "\(words)")
            XCTAssertTrue(answer.errors.contains(message), answer.errors)
        }
        XCTAssertEqual(run("explain", file.path, "--class", "None").code, .problem)
    }
}
