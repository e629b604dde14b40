#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import Foundation
import Kivo
import XCTest

@testable import KivoTool

/// The commits of a file, and the data as they were.
final class StudioHistoryTests: StudioTestCase {
    func testCommitsWithTheirValuesBeforeAndAfter() throws {
        try makePets()
        try serve()
        let history = try get("/api/history")
        let commits = try XCTUnwrap(history["commits"] as? [[String: Any]])
        let newest = try XCTUnwrap(commits.first)
        let counts = try XCTUnwrap(newest["classes"] as? [[String: Any]])
        XCTAssertEqual(counts.first?["name"] as? String, "ToolDog")
        XCTAssertEqual(counts.first?["modified"] as? Int, 1)
        let number = try XCTUnwrap(newest["number"] as? Int)
        let commit = try get("/api/commit", ["number": "\(number)"])
        let change = try XCTUnwrap((commit["classes"] as? [[String: Any]])?.first)
        let modified = try XCTUnwrap((change["modified"] as? [[String: Any]])?.first)
        XCTAssertEqual((modified["values"] as? [String: [Int]])?["age"], [0, 7])
        XCTAssertEqual(try request("/api/commit?number=1000").status, 404)
        XCTAssertEqual(try request("/api/commit").status, 400)
        let earlier = try get("/api/history", ["before": "\(number)", "count": "1"])
        XCTAssertEqual((earlier["commits"] as? [[String: Any]])?.first?["number"] as? Int, number - 1)
    }

    /// Commits that are read from the file, and those that come while the studio follows it.
    func testTimesLabelsAndAuthors() throws {
        try makePets()
        try serve()
        func label(_ text: String) throws {
            try withRealm { realm in
                try realm.write(label: text, author: "importer") {
                    realm.add(ToolDog(value: ["name": "Kit"]))
                }
            }
        }
        try label("One")
        _ = try get("/api/history")
        try label("Two")
        try service.withSession { session in _ = try session.follow() }
        let commits = try XCTUnwrap(try get("/api/history")["commits"] as? [[String: Any]])
        XCTAssertEqual(commits.prefix(3).map { $0["label"] as? String }, ["Two", "One", nil])
        XCTAssertEqual(commits.prefix(3).map { $0["author"] as? String }, ["importer", "importer", nil])
        for commit in commits {
            XCTAssertNotNil(Date(iso8601: try XCTUnwrap(commit["time"] as? String)))
        }
    }

    func testTheDataAsTheyWereAtACommit() throws {
        try makePets()
        try serve()
        let numbers = try XCTUnwrap(try get("/api/history")["commits"] as? [[String: Any]]).compactMap {
            $0["number"] as? Int
        }
        // Read again from the file, and from memory once the studio has followed it.
        for number in numbers.prefix(3) {
            let (events, view) = try open("ToolDog", ["at": "\(number)"])
            defer { events.connection.end() }
            let page = try rows(view)
            let isFirst = number == numbers[2]
            XCTAssertEqual(page.count, isFirst ? 3 : 2, "\(number)")
            XCTAssertEqual(page[0][1] as? Int, number == numbers[0] ? 7 : 0)
        }
        let person = try get("/api/object", ["class": "ToolPerson", "key": "1", "at": "\(numbers[2])"])
        XCTAssertEqual(person["label"] as? String, "Mia")
        XCTAssertEqual(try request("/api/live?class=ToolDog&at=12345").status, 404)
    }

    /// Makes commits and closes the file, which writes a checkpoint.
    private func makeCommits(_ count: Int) throws {
        var configuration = Realm.Configuration(fileURL: file, objectTypes: Self.classes)
        configuration.checkpoints.smallestTailOfClosing = 1
        let realm = try Realm(configuration: configuration)
        for age in 0..<count { try realm.write { realm.add(ToolDog(value: ["name": "Kit", "age": age])) } }
    }

    /// Returns the numbers of all commits, page by page.
    private func numbers(_ count: Int) throws -> [Int] {
        var (numbers, hasMore) = ([Int](), true)
        while hasMore {
            var parameters = ["count": "\(count)"]
            parameters["before"] = numbers.last.map { "\($0)" }
            let page = try get("/api/history", parameters)
            let commits = try XCTUnwrap(page["commits"] as? [[String: Any]])
            XCTAssertFalse(commits.isEmpty)
            numbers += commits.compactMap { $0["number"] as? Int }
            hasMore = page["hasMore"] as? Bool == true
        }
        return numbers
    }

    private var logged: [Int] { run("log", file.path, "--json").objects.compactMap { $0["commit"] as? Int } }

    func testCommitsBeforeACheckpoint() throws {
        for _ in 0..<3 { try makeCommits(20) }
        try serve()
        XCTAssertEqual(try numbers(7).reversed(), logged)
        XCTAssertEqual(logged.count, 60)
        for number in logged {
            let commit = try get("/api/commit", ["number": "\(number)"])
            let change = try XCTUnwrap((commit["classes"] as? [[String: Any]])?.first, "\(number)")
            XCTAssertEqual((change["inserted"] as? [Any])?.count, 1)
            let (events, view) = try open("ToolDog", ["at": "\(number)"])
            XCTAssertEqual(try rows(view).count, number - logged[0] + 1)
            events.connection.end()
        }
    }

    /// What was read of the past does not hide what came since.
    func testCommitsAfterACheckpointThatWasAskedAbout() throws {
        try makeCommits(10)
        try serve()
        XCTAssertEqual(try numbers(60).count, 10)
        for count in 11...13 {
            try withRealm { realm in try realm.write { realm.add(ToolDog(value: ["name": "Kit"])) } }
            try service.withSession { session in _ = try session.follow() }
            XCTAssertEqual(try numbers(60).reversed(), logged)
            XCTAssertEqual(logged.count, count)
        }
    }

    func testNumbersCountOnAfterACompaction() throws {
        try makeCommits(5)
        let before = logged
        XCTAssertEqual(run("compact", file.path).code, .success)
        try makeCommits(3)
        try serve()
        XCTAssertEqual(try numbers(2).reversed(), logged)
        XCTAssertEqual(logged, (1...3).map { before.last! + $0 })
        XCTAssertEqual(try request("/api/commit?number=\(before[0])").status, 404)
    }

    /// A commit of before a migration is shown with the properties that the class had then, under their names.
    func testACommitOfBeforeAMigration() throws {
        try withRealm { realm in
            try realm.write { realm.add(ToolThing(value: ["key": "a", "string": "one", "int8": 1])) }
            try realm.write { realm.objects(ToolThing.self)[0].string = "two" }
        }
        let old = logged
        func migrate() throws {
            let configuration = Realm.Configuration(
                fileURL: file, schemaVersion: 1,
                migrationBlock: { migration, _ in
                    migration.renameProperty(onType: "ToolThing", from: "string", to: "text")
                },
                objectTypes: [RenamedThing.self])
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.objects(RenamedThing.self)[0].text = "three" }
        }
        // The migration happens while the studio shows the file.
        try serve()
        _ = try open("ToolThing", ["at": "\(old[0])"])
        try migrate()
        for _ in 0..<2 {
            try service.withSession { session in _ = try session.follow() }
            for (number, name, value) in [
                (old[0], "string", "one"), (old[1], "string", "two"), (logged.last!, "text", "three"),
            ] {
                let some = try get("/api/class", ["class": "ToolThing", "at": "\(number)"])
                let names =
                    (some["properties"] as? [[String: Any]])?.compactMap { $0["name"] as? String } ?? []
                let (events, view) = try open(
                    "ToolThing", ["at": "\(number)", "where": "\(name) == '\(value)'"])
                let row = try XCTUnwrap(try rows(view).first, "\(number)")
                XCTAssertEqual(row[try XCTUnwrap(names.firstIndex(of: name)) + 1] as? String, value)
                events.connection.end()
                let object = try get("/api/object", ["class": "ToolThing", "key": "1", "at": "\(number)"])
                XCTAssertEqual((object["values"] as? [String: Any])?[name] as? String, value)
                XCTAssertEqual((object["values"] as? [String: Any])?.count, names.count)
            }
            // Once more by a studio that begins after the migration.
            service.stop()
            try serve()
        }
    }

    /// Another file at the path has a past of its own.
    func testTheHistoryOfAReplacedFile() throws {
        try makeCommits(10)
        try serve()
        XCTAssertEqual(try numbers(3).count, 10)
        try FileManager.default.removeItem(at: file)
        try makeCommits(4)
        try service.withSession { session in _ = try session.follow() }
        XCTAssertEqual(try numbers(3).reversed(), logged)
        XCTAssertEqual(logged.count, 4)
    }
}
#endif
