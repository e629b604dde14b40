import Foundation
import Kivo
import TestRandomness
import XCTest

@testable import KivoTool

/// Commands that look into a file.
final class ReadingCommandTests: ToolTestCase {
    // MARK: info

    func testInfo() throws {
        try makePets()
        let info = try XCTUnwrap(run("info", file.path, "--json").objects.first)
        XCTAssertEqual(info["schemaVersion"] as? Int, 0)
        XCTAssertEqual(info["isOpen"] as? Bool, false)
        XCTAssertEqual(info["bytes"] as? Int, try Data(contentsOf: file).count)
        XCTAssertLessThan(try XCTUnwrap(info["usedBytes"] as? Int), 12_288)
        let classes = try XCTUnwrap(info["classes"] as? [[String: Any]])
        XCTAssertEqual(classes.map { $0["name"] as? String }, ["ToolAddress", "ToolDog", "ToolPerson"])
        XCTAssertEqual(classes.map { $0["objects"] as? Int }, [1, 2, 1])
        XCTAssertEqual(classes.map { $0["isEmbedded"] as? Bool }, [true, false, false])
        let text = run("info", file.path).output
        XCTAssertTrue(text.contains("ToolAddress  1 (embedded)"), text)
        XCTAssertTrue(text.contains("schema version  0"), text)
    }

    func testAFileThatIsOpenForWritingIsReadAsItIs() throws {
        try makePets()
        try withRealm(schemaVersion: 4) { realm in
            let info = try XCTUnwrap(run("info", file.path, "--json").objects.first)
            XCTAssertEqual(info["isOpen"] as? Bool, true)
            XCTAssertEqual(info["schemaVersion"] as? Int, 4)
            XCTAssertEqual(run("dump", "--json", file.path, "--class", "ToolDog").objects.count, 2)
            XCTAssertEqual(run("verify", file.path).code, .success)
            try realm.write { realm.add(ToolDog(value: ["name": "Kit"])) }
            XCTAssertEqual(run("dump", "--json", file.path, "--class", "ToolDog").objects.count, 3)
        }
    }

    func testReadingChangesNothing() throws {
        try makePets()
        let before = try Data(contentsOf: file)
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        for command in ["info", "verify", "dump", "schema", "log", "export"] {
            XCTAssertEqual(run(command, file.path).code, .success, command)
        }
        XCTAssertEqual(
            run("dump", "--json", file.path, "--class", "ToolDog", "--where", "age > 1").code, .success)
        XCTAssertEqual(run("changes", file.path, "--since", "1").code, .success)
        XCTAssertEqual(try Data(contentsOf: file), before)
        let after = try FileManager.default.attributesOfItem(atPath: file.path)
        XCTAssertEqual(
            attributes[.modificationDate] as? Date, after[.modificationDate] as? Date)
        XCTAssertEqual(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted(),
            ["test.kivo", "test.kivo.lock"])
    }

    func testAReadOnlyFileIsRead() throws {
        try makePets()
        try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: file.path)
        XCTAssertEqual(run("dump", "--json", file.path).objects.count, 4)
    }

    // MARK: dump

    func testDump() throws {
        try makePets()
        XCTAssertEqual(
            run("dump", "--json", file.path).output,
            """
            {"class":"ToolAddress","key":1,"values":{"inside":null,"street":"High"}}
            {"class":"ToolDog","key":1,"values":{"age":7,"mother":null,"name":"Rex"}}
            {"class":"ToolDog","key":3,"values":{"age":0,"mother":null,"name":"Zoe"}}
            {"class":"ToolPerson","key":1,"values":{"dogs":[{"key":1},{"key":3}],"friends":[],"home":{"key":1},\
            "id":1,"name":"Mia B.","pets":[["best",{"key":1}]],"places":[],"scores":[["chess",4],["go",1]]}}

            """)
        XCTAssertEqual(
            run("dump", "--json", file.path, "--class", "ToolDog", "--class=ToolAddress").objects.count, 3)
        let missing = run("dump", "--json", file.path, "--class", "Cat")
        XCTAssertEqual(missing.code, .problem)
        XCTAssertTrue(missing.errors.contains("no class 'Cat'"), missing.errors)
    }

    func testDumpOfWhatAPredicateHoldsFor() throws {
        try makePets()
        func names(_ predicate: String) -> [String?] {
            let answer = run("dump", "--json", file.path, "--class", "ToolDog", "--where", predicate)
            XCTAssertEqual(answer.code, .success, answer.errors)
            return answer.objects.map { ($0["values"] as? [String: Any])?["name"] as? String }
        }
        XCTAssertEqual(names("age > 5"), ["Rex"])
        XCTAssertEqual(names("TRUEPREDICATE"), ["Rex", "Zoe"])
        XCTAssertEqual(names("name CONTAINS[c] 'E' AND age < 5"), ["Zoe"])
        let malformed = run("dump", "--json", file.path, "--class", "ToolDog", "--where", "age >")
        XCTAssertEqual(malformed.code, .usage)
        XCTAssertTrue(malformed.errors.contains("malformed"), malformed.errors)
        XCTAssertEqual(run("dump", "--json", file.path, "--where", "age > 1").code, .usage)
    }

    func testADumpThatNobodyReadsEnds() throws {
        try withRealm { realm in
            try realm.write { for age in 0..<5000 { realm.add(ToolDog(value: ["age": age])) } }
        }
        let gathered = GatheredOutput()
        XCTAssertEqual(Tool.run(["dump", file.path], gathered.output(limit: 1)), .success)
        XCTAssertLessThan(gathered.text.utf8.count, 200_000)
        XCTAssertEqual(gathered.errors, "")
    }

    // MARK: schema

    func testSchema() throws {
        try makePets()
        let text = run("schema", file.path).output
        XCTAssertTrue(
            text.contains("ToolAddress (embedded)\n  inside  ToolAddress?\n  street  String\n"), text)
        XCTAssertTrue(text.contains("id       Int                     primary key"), text)
        XCTAssertTrue(text.contains("name     String                  indexed"), text)
        XCTAssertTrue(text.contains("pets     Map<String, ToolDog?>"), text)
        XCTAssertTrue(text.contains("friends  MutableSet<ToolPerson>"), text)
        XCTAssertTrue(run("schema", "--format", "svg", file.path).output.hasPrefix("<svg"))
        XCTAssertTrue(run("schema", file.path, "--format=mermaid").output.hasPrefix("classDiagram"))
        XCTAssertTrue(run("schema", file.path, "--format=dot").output.hasPrefix("digraph"))
        XCTAssertEqual(
            run("schema", file.path, "--json").output, run("schema", file.path, "--format=json").output)
        XCTAssertNotNil(
            try JSONSerialization.jsonObject(with: Data(run("schema", file.path, "--json").output.utf8)))
    }

    // MARK: log

    func testLog() throws {
        try makePets()
        let commits = run("log", file.path, "--json").objects
        XCTAssertEqual(commits.map { $0["commit"] as? Int }, [1, 2, 3])
        let second = try XCTUnwrap(commits[1]["changes"] as? [[String: Any]])
        XCTAssertEqual(second.map { $0["class"] as? String }, ["ToolDog", "ToolPerson"])
        let deleted = try XCTUnwrap(second[0]["deleted"] as? [[String: Any]])
        XCTAssertEqual(deleted.map { ($0["values"] as? [String: Any])?["name"] as? String }, ["Bo"])
        let mia = try XCTUnwrap((second[1]["modified"] as? [[String: Any]])?.first)
        let name = try XCTUnwrap((mia["values"] as? [String: Any])?["name"] as? [String: String])
        XCTAssertEqual(name, ["old": "Mia", "new": "Mia B."])
        let collections = try XCTUnwrap(mia["collections"] as? [String: [String: Any]])
        XCTAssertEqual(collections.keys.sorted(), ["dogs", "scores"])
        XCTAssertEqual(collections["dogs"]?["deletions"] as? [Int], [1])
        XCTAssertEqual(collections["scores"]?["insertions"] as? [String], ["go"])
        XCTAssertEqual(collections["scores"]?["modifications"] as? [String], ["chess"])
        let text = run("log", file.path, "--last", "1").output
        XCTAssertTrue(text.hasPrefix("commit 3, 20"), text)
        XCTAssertTrue(text.hasSuffix("  ~ ToolDog 1\n      age: 0 → 7\n"), text)
        XCTAssertEqual(run("log", file.path, "--last", "99", "--json").objects.count, 3)
    }

    func testLogHasTimesLabelsAndAuthors() throws {
        try makePets()
        try withRealm { realm in
            try realm.write(label: "New\n\"prices\"", author: "importer\u{7}") {
                realm.add(ToolDog(value: ["name": "Kit"]))
            }
        }
        XCTAssertEqual(
            run("set", file.path, "age=3", "--class", "ToolDog", "--where", "name == 'Kit'", "--write").code,
            .success)
        let commits = run("log", file.path, "--json").objects
        let now = Date()
        for commit in commits {
            let time = try XCTUnwrap(commit["time"] as? String)
            let date = try XCTUnwrap(Date(iso8601: time), time)
            XCTAssertEqual(date.timeIntervalSince(now), 0, accuracy: 3600)
        }
        XCTAssertEqual(commits.map { $0["label"] as? String }, [nil, nil, nil, "New\n\"prices\"", nil])
        XCTAssertEqual(commits.map { $0["author"] as? String }, [nil, nil, nil, "importer\u{7}", "kivo set"])
        let lines = run("log", file.path, "--last", "2").output.split(separator: "\n").filter {
            $0.hasPrefix("commit")
        }
        XCTAssertEqual(lines.count, 2)
        let time = "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\\.[0-9]{3}Z"
        for (line, rest) in zip(
            lines, [" \"New\\\\n\\\\\"prices\\\\\"\" by importer\\\\u\\{7\\}", " by kivo set"])
        {
            XCTAssertNotNil(
                line.range(of: "^commit [45], \(time)\(rest) \\(", options: .regularExpression), "\(line)")
        }
    }

    func testLogHasThePositionsThatListenersReceive() throws {
        var received: [[Int]] = []
        try withRealm { realm in
            let thing = try realm.write {
                realm.create(ToolThing.self, value: ["key": "one", "ints": [1, 2, 3]])
            }
            let token = thing.ints.observe { change in
                if case .update(_, let deletions, let insertions, let modifications) = change {
                    received = [deletions, insertions, modifications]
                }
            }
            realm.refresh()
            try realm.write {
                thing.ints[2] = 4
                thing.ints.remove(at: 0)
                thing.ints.append(5)
            }
            realm.refresh()
            token.invalidate()
        }
        let commit = try XCTUnwrap(run("log", file.path, "--last", "1", "--json").objects.first)
        let changes = try XCTUnwrap((commit["changes"] as? [[String: Any]])?.first)
        let modified = try XCTUnwrap((changes["modified"] as? [[String: Any]])?.first)
        let ints = try XCTUnwrap((modified["collections"] as? [String: [String: [Int]]])?["ints"])
        XCTAssertEqual(received, [[0], [2], [2]])
        XCTAssertEqual([ints["deletions"], ints["insertions"], ints["modifications"]], received)
    }

    func testTheLogNamesSchemaVersions() throws {
        try withRealm(schemaVersion: 2) { realm in try realm.write { realm.add(ToolDog()) } }
        let lines = run("log", file.path, "--json").objects
        XCTAssertEqual(lines.first?["schemaVersion"] as? Int, 2)
        XCTAssertEqual(lines.count, 2)
    }

    /// The commits in the log, applied in order, give the contents of the file.
    func testTheLogAddsUp() throws {
        var random = RandomSource(seed: 12)
        try withRealm { realm in
            for step in 0..<60 {
                try realm.write {
                    for _ in 0..<random.below(4) + 1 {
                        let dogs = realm.objects(ToolDog.self)
                        switch random.below(4) {
                        case 0 where !dogs.isEmpty: realm.delete(dogs[random.below(dogs.count)])
                        case 1 where !dogs.isEmpty:
                            let dog = dogs[random.below(dogs.count)]
                            dog.age = step
                            dog.mother = dogs[random.below(dogs.count)]
                        default: realm.add(ToolDog(value: ["name": "dog \(step)"]))
                        }
                    }
                }
            }
        }
        var state: [Int: [String: String]] = [:]
        func text(_ value: Any?) -> String { value.map { "\($0)" } ?? "" }
        for commit in run("log", file.path, "--json").objects {
            for change in commit["changes"] as? [[String: Any]] ?? [] {
                for row in change["inserted"] as? [[String: Any]] ?? [] {
                    state[row["key"] as! Int] = (row["values"] as! [String: Any]).mapValues(text)
                }
                for row in change["deleted"] as? [[String: Any]] ?? [] {
                    XCTAssertEqual(
                        state.removeValue(forKey: row["key"] as! Int),
                        (row["values"] as! [String: Any]).mapValues(text))
                }
                for row in change["modified"] as? [[String: Any]] ?? [] {
                    for (name, value) in row["values"] as! [String: [String: Any]] {
                        XCTAssertEqual(state[row["key"] as! Int]?[name], text(value["old"]))
                        state[row["key"] as! Int]?[name] = text(value["new"])
                    }
                }
            }
        }
        let dumped = Dictionary(
            uniqueKeysWithValues: run("dump", "--json", file.path).objects.map {
                ($0["key"] as! Int, ($0["values"] as! [String: Any]).mapValues(text))
            })
        XCTAssertEqual(state, dumped)
        XCTAssertFalse(dumped.isEmpty)
    }
}
