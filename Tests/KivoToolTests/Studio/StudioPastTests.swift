#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import Foundation
import Kivo
import XCTest

@testable import KivoTool

/// The commits that changed one object.
final class StudioPastTests: StudioTestCase {
    /// A change of the answer: its number, what happened, the key, and the values.
    private struct Change {
        var number: Int
        var kind: String
        var key: Int
        var values: [String: Any]
        var collections: [String: String]

        init(_ json: [String: Any]) throws {
            number = try XCTUnwrap(json["number"] as? Int)
            let rows = ["inserted", "modified", "deleted"].flatMap { kind in
                (json[kind] as? [[String: Any]] ?? []).map { (kind, $0) }
            }
            XCTAssertEqual(rows.count, 1)
            let row: [String: Any]
            (kind, row) = try XCTUnwrap(rows.first)
            key = try XCTUnwrap(row["key"] as? Int)
            values = row["values"] as? [String: Any] ?? [:]
            collections = row["collections"] as? [String: String] ?? [:]
        }
    }

    private func past(
        _ name: String, _ key: Int, _ parameters: [String: String] = [:], line: UInt = #line
    ) throws -> (changes: [Change], earlier: Int, beginning: Int?, commit: Int) {
        let answer = try get(
            "/api/past", parameters.merging(["class": name, "key": "\(key)"]) { $1 }, line: line)
        let changes = try XCTUnwrap(answer["changes"] as? [[String: Any]], "\(answer)", line: line)
        return (
            try changes.map(Change.init), try XCTUnwrap(answer["earlier"] as? Int),
            answer["beginning"] as? Int, try XCTUnwrap(answer["commit"] as? Int)
        )
    }

    private func follow() throws { try service.withSession { session in _ = try session.follow() } }

    private var logged: [Int] { run("log", file.path, "--json").objects.compactMap { $0["commit"] as? Int } }

    /// In changes that are read from the file, and in those whose versions are in memory.
    func testTimesLabelsAndAuthors() throws {
        try makePets()
        try serve()
        let newest = try XCTUnwrap(logged.last)
        try withRealm { realm in
            try realm.write(label: "Birthday", author: "cron") { realm.objects(ToolDog.self).first!.age += 1 }
        }
        try follow()
        for parameters in [[:], ["after": "\(newest)"]] {
            let answer = try get("/api/past", parameters.merging(["class": "ToolDog", "key": "1"]) { $1 })
            let change = try XCTUnwrap((answer["changes"] as? [[String: Any]])?.first)
            XCTAssertEqual(change["label"] as? String, "Birthday")
            XCTAssertEqual(change["author"] as? String, "cron")
            XCTAssertNotNil(Date(iso8601: try XCTUnwrap(change["time"] as? String)))
        }
    }

    func testChangesWithTheirValues() throws {
        try makePets()
        try serve()
        let dog = try past("ToolDog", 1)
        XCTAssertEqual(dog.changes.map(\.kind), ["modified", "inserted"])
        XCTAssertEqual(dog.changes.map(\.number), [logged[2], logged[0]])
        XCTAssertEqual(dog.changes[0].values as? [String: [Int]], ["age": [0, 7]])
        XCTAssertEqual(dog.changes[1].values["name"] as? String, "Rex")
        XCTAssertEqual([dog.earlier, dog.commit], [0, logged[2]])
        XCTAssertNil(dog.beginning)
        let other = try past("ToolDog", 2)
        XCTAssertEqual(other.changes.map(\.kind), ["deleted", "inserted"])
        XCTAssertEqual(other.changes[0].values["name"] as? String, "Bo")
        let mia = try past("ToolPerson", 1)
        XCTAssertEqual(mia.changes.map(\.kind), ["modified", "inserted"])
        XCTAssertEqual(mia.changes[0].values as? [String: [String]], ["name": ["Mia", "Mia B."]])
        XCTAssertEqual(mia.changes[0].collections.keys.sorted(), ["dogs", "scores"])
        // Between numbers.
        XCTAssertEqual(try past("ToolDog", 1, ["before": "\(logged[2])"]).changes.map(\.kind), ["inserted"])
        XCTAssertEqual(try past("ToolDog", 1, ["after": "\(logged[0])"]).changes.map(\.kind), ["modified"])
        XCTAssertEqual(try past("ToolDog", 1, ["after": "0"]).changes.count, 2)
        XCTAssertEqual(try past("ToolDog", 99).changes.count, 0)
        XCTAssertEqual(try request("/api/past?class=Nothing&key=1").status, 404)
        XCTAssertEqual(try request("/api/past?class=ToolDog&key=1", isAuthorized: false).status, 401)
    }

    /// Makes one change in each commit, and closes the file, which writes a checkpoint.
    private func setAges(_ ages: Range<Int>, hasCheckpoint: Bool = true) throws {
        var configuration = Realm.Configuration(fileURL: file, objectTypes: Self.classes)
        if hasCheckpoint { configuration.checkpoints.smallestTailOfClosing = 1 }
        let realm = try Realm(configuration: configuration)
        for age in ages {
            try realm.write {
                let dog = realm.objects(ToolDog.self).first ?? realm.create(ToolDog.self)
                dog.age = age
            }
        }
    }

    func testCheckpointsBoundsAndPages() throws {
        for start in stride(from: 1, through: 401, by: 100) { try setAges(start..<(start + 100)) }
        try serve()
        let newest = try past("ToolDog", 1)
        XCTAssertEqual(newest.changes.count, 200)
        XCTAssertEqual(newest.earlier, 300)
        XCTAssertEqual(newest.changes.map(\.number), logged.suffix(200).reversed())
        XCTAssertEqual(newest.changes[0].values as? [String: [Int]], ["age": [499, 500]])
        let earlier = try past("ToolDog", 1, ["before": "\(newest.changes[199].number)"])
        XCTAssertEqual(earlier.changes.map(\.number), logged[100..<300].reversed())
        let first = try past("ToolDog", 1, ["before": "\(earlier.changes[199].number)"])
        XCTAssertEqual(first.changes.map(\.number), logged[..<100].reversed())
        XCTAssertEqual([first.earlier, first.changes.count], [0, 100])
        XCTAssertEqual(first.changes.last?.kind, "inserted")
        // New commits are read from memory, or if there are too many from the file.
        for ages in [501..<504, 504..<1005] {
            let last = try past("ToolDog", 1).commit
            try setAges(ages, hasCheckpoint: false)
            try follow()
            let fresh = try past("ToolDog", 1, ["after": "\(last)"])
            XCTAssertEqual(fresh.changes.map(\.number), logged.suffix(min(ages.count, 200)).reversed())
            XCTAssertEqual(
                fresh.changes[0].values as? [String: [Int]], ["age": [ages.last! - 1, ages.last!]])
            XCTAssertEqual([fresh.commit, fresh.earlier], [logged.last!, max(0, ages.count - 200)])
        }
    }

    /// A commit with thousands of objects is shown for each of them.
    func testLargeCommits() throws {
        try withRealm { realm in
            try realm.write {
                for age in 1...3000 { realm.add(ToolDog(value: ["name": "Dog", "age": age])) }
            }
            try realm.write { for dog in realm.objects(ToolDog.self) where dog.age > 10 { dog.age += 1 } }
        }
        try serve()
        let last = try past("ToolDog", 2999)
        XCTAssertEqual(last.changes.map(\.kind), ["modified", "inserted"])
        XCTAssertEqual(last.changes[0].values as? [String: [Int]], ["age": [2999, 3000]])
        XCTAssertEqual(try past("ToolDog", 10).changes.map(\.kind), ["inserted"])
    }

    func testAnObjectIsFollowedByItsPrimaryKey() throws {
        try withRealm { realm in
            func add(_ name: String) { realm.create(ToolPerson.self, value: ["id": 7, "name": name]) }
            try realm.write { realm.create(ToolPerson.self, value: ["id": 1]) }
            try realm.write { add("first") }
            try realm.write { realm.delete(realm.object(ofType: ToolPerson.self, forPrimaryKey: 7)!) }
            try realm.write { add("second") }
            // Deleted and inserted in one commit.
            try realm.write {
                realm.delete(realm.object(ofType: ToolPerson.self, forPrimaryKey: 7)!)
                add("third")
            }
            try realm.write { realm.object(ofType: ToolPerson.self, forPrimaryKey: 1)!.name = "other" }
            try realm.write { realm.object(ofType: ToolPerson.self, forPrimaryKey: 7)!.name = "last" }
        }
        try serve()
        func check(_ key: Int, _ parameters: [String: String] = [:]) throws {
            let found = try past("ToolPerson", key, parameters)
            XCTAssertEqual(
                found.changes.map(\.kind),
                ["modified", "inserted", "deleted", "inserted", "deleted", "inserted"], "\(key)")
            XCTAssertEqual(found.changes.map(\.key), [4, 4, 3, 3, 2, 2])
            XCTAssertEqual(found.changes[1].values["name"] as? String, "third")
        }
        for key in [2, 3, 4] { try check(key) }
        XCTAssertEqual(try past("ToolPerson", 1).changes.map(\.kind), ["modified", "inserted"])
        // An old version has the object under another key; a deleted one is followed, too.
        try check(3, ["at": "\(logged[3])"])
        let last = try past("ToolPerson", 4).commit
        try withRealm { realm in
            try realm.write { realm.delete(realm.object(ofType: ToolPerson.self, forPrimaryKey: 7)!) }
        }
        try follow()
        XCTAssertEqual(try past("ToolPerson", 4, ["after": "\(last)"]).changes.map(\.kind), ["deleted"])
        XCTAssertEqual(try past("ToolPerson", 4).changes.count, 7)
    }

    func testAfterACompaction() throws {
        try makePets()
        XCTAssertEqual(run("compact", file.path).code, .success)
        try withRealm { realm in try realm.write { realm.objects(ToolDog.self)[0].age = 8 } }
        try serve()
        let dog = try past("ToolDog", 1)
        XCTAssertEqual(dog.changes.map(\.kind), ["modified"])
        XCTAssertEqual(dog.beginning, dog.changes[0].number - 1)
        XCTAssertNil(try past("ToolDog", 2).beginning, "it was deleted before")
    }

    func testMigrationsAreChanges() throws {
        try withRealm { realm in
            try realm.write { realm.add(ToolThing(value: ["key": "a", "string": "one", "int8": 1])) }
            try realm.write { realm.add(ToolThing(value: ["key": "b", "string": "one", "int8": 1])) }
        }
        let configuration = Realm.Configuration(
            fileURL: file, schemaVersion: 1,
            migrationBlock: { migration, _ in
                migration.renameProperty(onType: "ToolThing", from: "string", to: "text")
                migration.enumerateObjects(ofType: "ToolThing") { old, new in
                    if old!["key"] as? String == "a" { new!["text"] = "two" }
                }
            }, objectTypes: [RenamedThing.self])
        try serve()
        func migrate() throws {
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.objects(RenamedThing.self).where { $0.key == "a" }[0].text = "three" }
        }
        try migrate()
        try follow()
        for _ in 0..<2 {
            let found = try past("ToolThing", 1)
            XCTAssertEqual(found.changes.map(\.kind), ["modified", "modified", "inserted"])
            XCTAssertEqual(found.changes[0].values as? [String: [String]], ["text": ["two", "three"]])
            let migrated = found.changes[1].values
            XCTAssertEqual((migrated["text"] as? [Any])?.last as? String, "two")
            XCTAssertEqual((migrated["string"] as? [Any])?.first as? String, "one")
            XCTAssertTrue((migrated["string"] as? [Any])?.last is NSNull)
            XCTAssertNil(migrated["key"], "it is as before")
            let last = try past("ToolThing", 1, ["after": "\(found.changes[1].number)"])
            XCTAssertEqual(last.changes.map(\.kind), ["modified"])
            service.stop()
            try serve()
        }
    }

    /// A client that goes ends the reading of the file. Other requests are served meanwhile.
    func testReadingEndsWhenItsClientGoes() throws {
        try setAges(1..<3000)
        try serve()
        for _ in 0..<40 {
            let connection = try RawConnection(port: port)
            connection.send(
                "GET /api/past?class=ToolDog&key=1 HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(authorization)\r\n\r\n"
            )
            XCTAssertEqual(connection.readStatus(), 200)
            connection.end()
            XCTAssertEqual(try request("/api/file").status, 200)
        }
        // Eight readings at a time would be refused, if those of before went on.
        XCTAssertEqual(try past("ToolDog", 1).earlier, 2799)
    }
}
#endif
