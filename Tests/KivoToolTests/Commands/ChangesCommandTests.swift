import Foundation
import Kivo
import KivoJournal
import TestRandomness
import XCTest

@testable import KivoTool

private enum Old {
    class ToolNote: Object {
        @Persisted var text = ""
        @Persisted var stars = 0
    }
}

private enum New {
    class ToolNote: Object {
        @Persisted var text = ""
    }
}

/// The difference between a commit of a file and its newest one.
final class ChangesCommandTests: ToolTestCase {
    /// The version of a commit, which is stored and retains nothing.
    private func version(_ number: Int, of realm: Realm) throws -> Realm.Version {
        let stored = "{\"lineage\":\(realm.version.lineage),\"number\":\(number)}"
        return try JSONDecoder().decode(Realm.Version.self, from: Data(stored.utf8))
    }

    private func encoded(since number: Int, _ options: String...) throws -> ChangeSet {
        let target = folder.appendingPathComponent(UUID().uuidString)
        let answer = run(
            ["changes", file.path, "--since", "\(number)", "--encoded", target.path] + options)
        XCTAssertEqual(answer.code, .success, answer.errors)
        return try ChangeSet(decoding: Data(contentsOf: target))
    }

    /// Checks that each encoded difference is the one that a program gets.
    private func checkEncoded(_ numbers: some Sequence<Int>, line: UInt = #line) throws {
        try withRealm { realm in
            for number in numbers {
                XCTAssertEqual(
                    try encoded(since: number), try realm.changes(since: try version(number, of: realm)),
                    "since \(number)", line: line)
            }
        }
    }

    func testText() throws {
        try makePets()
        XCTAssertEqual(
            run("changes", file.path, "--since", "1").output,
            """
            commits 2 to 3
              ~ ToolDog 1
                  age: 0 → 7
              - ToolDog 2  age: 0, mother: nil, name: "Bo"
              ~ ToolPerson 1
                  name: "Mia" → "Mia B."
                  dogs: removed at 1
                  scores: inserted go; changed chess

            """)
        XCTAssertEqual(
            run("changes", file.path, "--since=2", "--class", "ToolDog").output,
            "commit 3\n  ~ ToolDog 1\n      age: 0 → 7\n")
        XCTAssertEqual(
            run("changes", file.path, "--since", "2", "--class", "ToolPerson").output,
            "commit 3\n  no difference\n")
        XCTAssertEqual(
            run("changes", file.path, "--since", "3").output, "no commits after 3\n  no difference\n")
        let all = run("changes", file.path, "--since", "0").output
        XCTAssertTrue(all.hasPrefix("commits 1 to 3\n  + ToolAddress 1"), all)
        XCTAssertFalse(all.contains("Bo") || all.contains(" ~ "), all)
    }

    func testJSON() throws {
        try makePets()
        let lines = run("changes", file.path, "--since", "1", "--json").objects
        XCTAssertEqual(lines.count, 1)
        XCTAssertEqual(lines[0]["since"] as? Int, 1)
        XCTAssertEqual(lines[0]["commit"] as? Int, 3)
        let changes = try XCTUnwrap(lines[0]["changes"] as? [[String: Any]])
        XCTAssertEqual(changes.map { $0["class"] as? String }, ["ToolDog", "ToolPerson"])
        let rex = try XCTUnwrap((changes[0]["modified"] as? [[String: Any]])?.first)
        XCTAssertEqual(rex["values"] as? [String: [String: Int]], ["age": ["old": 0, "new": 7]])
        // The last commit is in the form of 'log'.
        let last = try XCTUnwrap(run("log", file.path, "--last", "1", "--json").objects.first)
        let since = try XCTUnwrap(run("changes", file.path, "--since", "2", "--json").objects.first)
        XCTAssertEqual(last["changes"] as? NSArray, since["changes"] as? NSArray)
        let none = try XCTUnwrap(run("changes", file.path, "--since", "3", "--json").objects.first)
        XCTAssertEqual(none as NSDictionary, ["since": 3, "commit": 3, "changes": [Any]()] as NSDictionary)
        let one = run("changes", file.path, "--since", "1", "--json", "--class", "ToolPerson").objects
        XCTAssertEqual(
            (one.first?["changes"] as? [[String: Any]])?.map { $0["class"] as? String }, ["ToolPerson"])
    }

    func testUndoneChangesAreLeftOut() throws {
        try makePets()
        try withRealm { realm in
            let (rex, mia) = (realm.objects(ToolDog.self)[0], realm.objects(ToolPerson.self)[0])
            try realm.write { rex.age = 8 }
            try realm.write { mia.dogs.append(realm.create(ToolDog.self, value: ["name": "Kit"])) }
            try realm.write { rex.age = 7 }
            try realm.write { realm.delete(mia.dogs.last!) }
        }
        XCTAssertEqual(
            run("changes", file.path, "--since", "3").output, "commits 4 to 7\n  no difference\n")
        XCTAssertTrue(try encoded(since: 3).isEmpty)
    }

    func testTheEncodedDifferenceIsThatOfTheProgram() throws {
        try makePets()
        try checkEncoded(0...3)
        XCTAssertEqual(try encoded(since: 1, "--class", "ToolDog").classNames, ["ToolDog"])
        let target = folder.appendingPathComponent("since.kvc")
        let answer = run("changes", file.path, "--since", "1", "--encoded", target.path)
        let size = try Data(contentsOf: target).count
        XCTAssertEqual(answer.output, "commits 2 to 3: 3 objects, \(size) bytes in '\(target.path)'\n")
        // A file that exists is kept.
        let again = run("changes", file.path, "--since", "2", "--encoded", target.path)
        XCTAssertEqual(again.code, .problem)
        XCTAssertTrue(again.errors.contains("'\(target.path)': "), again.errors)
        XCTAssertEqual(try Data(contentsOf: target).count, size)
        try FileManager.default.removeItem(at: target)
        let json = run("changes", file.path, "--since", "1", "--encoded", target.path, "--json").objects
        XCTAssertEqual(
            json.first as NSDictionary?,
            ["file": target.path, "bytes": size, "objects": 3, "since": 1, "commit": 3] as NSDictionary)
        let nowhere = run("changes", file.path, "--since", "1", "--encoded", folder.path + "/no/since.kvc")
        XCTAssertEqual(nowhere.code, .problem)
        XCTAssertTrue(nowhere.errors.contains("/no/since.kvc'"), nowhere.errors)
    }

    func testWhatIsWrongIsNamed() throws {
        try makePets()
        for (words, code, message) in [
            (["--since", "4"], ExitCode.problem, "has no commit 4; its newest one is 3"),
            (["--since", "\(UInt64.max)"], .problem, "its newest one is 3"),
            ([], .usage, "'--since' is missing"),
            (["--since", "-1"], .usage, "'--since' takes the number of a commit, and not '-1'"),
            (["--since", "Rex"], .usage, "takes the number of a commit"),
            (["--since", "1", "--class", "ToolDgo"], .problem, "has no class 'ToolDgo'"),
        ] {
            let answer = run(["changes", file.path] + words)
            XCTAssertEqual(answer.code, code, "\(words)")
            XCTAssertTrue(answer.errors.contains(message), "\(words): \(answer.errors)")
            XCTAssertEqual(answer.output, "", "\(words)")
        }
        let missing = run("changes", folder.appendingPathComponent("missing").path, "--since", "0")
        XCTAssertEqual(missing.code, .problem)
        XCTAssertTrue(missing.errors.contains("does not exist"), missing.errors)
    }

    func testACompactedFileKnowsTheCommitsAfterIt() throws {
        try makePets()
        XCTAssertEqual(run("compact", file.path).code, .success)
        XCTAssertEqual(
            run("changes", file.path, "--since", "3").output, "no commits after 3\n  no difference\n")
        try withRealm { realm in try realm.write { realm.objects(ToolDog.self)[1].age = 2 } }
        XCTAssertEqual(
            run("changes", file.path, "--since", "3").output,
            "commit 4\n  ~ ToolDog 3\n      age: 0 → 2\n")
        try checkEncoded(3...4)
        for number in 0...2 {
            let answer = run("changes", file.path, "--since", "\(number)")
            XCTAssertEqual(answer.code, .problem)
            XCTAssertEqual(
                answer.errors,
                "kivo: '\(file.path)' does not contain the commits after \(number), because it was compacted; it has those after 3\n"
            )
        }
    }

    func testAFileWithSeveralCheckpoints() throws {
        var random = RandomSource(seed: 71)
        for _ in 0..<4 {
            var configuration = Realm.Configuration(fileURL: file, objectTypes: Self.classes)
            configuration.checkpoints.smallestTailOfClosing = 1
            let realm = try Realm(configuration: configuration)
            for step in 0..<20 {
                try realm.write {
                    let dogs = realm.objects(ToolDog.self)
                    switch random.below(4) {
                    case 0 where !dogs.isEmpty: realm.delete(dogs[random.below(dogs.count)])
                    case 1 where !dogs.isEmpty: dogs[random.below(dogs.count)].age = step
                    default: realm.create(ToolDog.self, value: ["name": "dog \(step)"])
                    }
                }
            }
        }
        try checkEncoded(stride(from: 0, through: 80, by: 1))
        for number in [0, 19, 20, 21, 60, 79] {
            let line = try XCTUnwrap(
                run("changes", file.path, "--since", "\(number)", "--json").objects.first)
            let changes = try encoded(since: number).of(className: "ToolDog")
            let change = (line["changes"] as? [[String: Any]])?.first ?? [:]
            for (name, kind) in [
                ("inserted", ChangeSet.Change.Kind.inserted), ("deleted", .deleted), ("modified", .modified),
            ] {
                XCTAssertEqual(
                    (change[name] as? [[String: Any]] ?? []).map { $0["key"] as? Int },
                    changes.filter { $0.kind == kind }.map { Int($0.object.key) }, "\(name) since \(number)")
            }
        }
    }

    func testMigrationsEndTheHistory() throws {
        func write<Note: Object>(_ type: Note.Type, _ version: UInt64) throws {
            let configuration = Realm.Configuration(
                fileURL: file, schemaVersion: version, objectTypes: [type])
            let realm = try Realm(configuration: configuration)
            try realm.write { _ = realm.create(type, value: ["text": "\(version)"]) }
        }
        try write(Old.ToolNote.self, 1)
        try write(New.ToolNote.self, 2)
        // The first commit sets a schema version, and the third one migrates.
        for number in 0...2 {
            let answer = run("changes", file.path, "--since", "\(number)")
            XCTAssertEqual(answer.code, .problem, answer.output)
            XCTAssertTrue(
                answer.errors.contains("commit 3 of '\(file.path)' migrated the classes"), answer.errors)
            XCTAssertTrue(answer.errors.contains("try '--since 3'"), answer.errors)
        }
        XCTAssertEqual(
            run("changes", file.path, "--since", "3").output, "commit 4\n  + ToolNote 2  text: \"2\"\n")
    }

    func testAFileThatIsWrittenMeanwhileIsOnlyRead() throws {
        try makePets()
        try withRealm { realm in
            try realm.write { realm.objects(ToolDog.self)[0].age = 9 }
            let before = try Data(contentsOf: file)
            let text = "commits 3 to 4\n  ~ ToolDog 1\n      age: 0 → 9\n"
            XCTAssertEqual(run("changes", file.path, "--since", "2").output, text)
            XCTAssertEqual(try Data(contentsOf: file), before)
            try realm.write { realm.objects(ToolDog.self)[0].age = 10 }
            XCTAssertEqual(
                run("changes", file.path, "--since", "3").output,
                "commits 4 to 5\n  ~ ToolDog 1\n      age: 7 → 10\n")
        }
    }
}
