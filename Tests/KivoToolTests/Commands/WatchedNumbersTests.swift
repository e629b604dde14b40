import Foundation
import Kivo
import KivoEngine
import TestRandomness
import XCTest

@testable import KivoTool

/// The numbers that `watch` prints beneath the commits that change them.
final class WatchedNumbersTests: ToolTestCase {
    /// Begins to watch, makes commits, and returns what is printed of so many of them.
    private func watch(
        _ words: [String], _ count: Int, isJSON: Bool = false, _ body: () throws -> Void
    ) throws -> String {
        let gathered = GatheredOutput()
        let arguments = try ParsedArguments([file.path] + words, for: .watch)
        var source = try FollowedFile(file.path)
        var numbers = try source.withNewest { try WatchedNumbers(arguments, of: file.path, $0) }
        try body()
        let output = gathered.output(isJSON: isJSON)
        try CommitPrinter(output, classes: arguments.values("--class")).follow(
            &source, limit: count, &numbers)
        output.flush()
        return gathered.text
    }

    private func numbers(of text: String) -> [String] {
        text.split(separator: "\n").filter { $0.hasPrefix("  = ") }.map { String($0.dropFirst(4)) }
    }

    func testANumberIsPrintedWhenItIsAnother() throws {
        try makePets()
        let text = try watch(
            ["--class", "ToolDog", "--number", "--sum", "age", "--avg", "age", "--max", "age"], 3
        ) {
            try withRealm { realm in
                try realm.write { realm.objects(ToolDog.self)[0].name = "Max" }
                try realm.write { realm.objects(ToolDog.self)[1].age = 2 }
                try realm.write { realm.delete(realm.objects(ToolDog.self)) }
            }
        }
        XCTAssertEqual(
            numbers(of: text),
            [
                "ToolDog count: 2", "ToolDog sum(age): 7", "ToolDog avg(age): 3.5", "ToolDog max(age): 7",
                "ToolDog sum(age): 7 → 9", "ToolDog avg(age): 3.5 → 4.5",
                "ToolDog count: 2 → 0", "ToolDog sum(age): 9 → 0", "ToolDog avg(age): 4.5 → nothing",
                "ToolDog max(age): 7 → nothing",
            ])
        XCTAssertTrue(text.contains("age: 0 → 2\n  = ToolDog sum(age): 7 → 9\n"), text)
    }

    func testGroups() throws {
        try makePets()
        let text = try watch(["--sum", "age", "--by", "name"], 3) {
            try withRealm { realm in
                try realm.write { realm.add(ToolDog(value: ["name": "Zoe", "age": 5])) }
                try realm.write { realm.objects(ToolDog.self)[0].name = "Zoe" }
                try realm.write { realm.delete(realm.objects(ToolDog.self).where { $0.name == "Zoe" }) }
            }
        }
        XCTAssertEqual(
            numbers(of: text),
            [
                "ToolDog sum(age) by name \"Rex\": 7", "ToolDog sum(age) by name \"Zoe\": 0",
                "ToolDog sum(age) by name \"Zoe\": 0 → 5",
                "ToolDog sum(age) by name \"Rex\": 7 → nothing", "ToolDog sum(age) by name \"Zoe\": 5 → 12",
                "ToolDog sum(age) by name \"Zoe\": 12 → nothing",
            ], text)
    }

    func testJSONHasOldAndNewNumbers() throws {
        try makePets()
        let text = try watch(
            ["--class", "ToolDog", "--where", "age > %@", "--arg", "3", "--number", "--by", "mother.name"], 1,
            isJSON: true
        ) {
            try withRealm { realm in
                try realm.write {
                    realm.objects(ToolDog.self)[1].age = 4
                    realm.objects(ToolDog.self)[1].mother = realm.objects(ToolDog.self)[0]
                }
            }
        }
        let lines = text.split(separator: "\n").map { try? JSONSerialization.jsonObject(with: Data($0.utf8)) }
            .map { ($0 as? [String: Any])?["numbers"] as? NSArray }
        let members: [String: Any] = [
            "class": "ToolDog", "function": "count", "property": NSNull(), "by": "mother.name",
        ]
        func number(_ key: Any, _ old: Any, _ new: Any) -> [String: Any] {
            members.merging(["key": key, "old": old, "new": new]) { $1 }
        }
        XCTAssertEqual(lines.count, 2)
        XCTAssertEqual(lines.first, [number(NSNull(), NSNull(), 1)] as NSArray)
        XCTAssertEqual(lines.last, [number("Rex", NSNull(), 1)] as NSArray)
    }

    /// With classes, only the commits that change them are printed and counted, and those that change a number through a link.
    func testCommitsOfClasses() throws {
        try makePets()
        let text = try watch(["--class", "ToolPerson", "--number", "--by", "home.street"], 2) {
            try withRealm { realm in
                let mia = realm.objects(ToolPerson.self)[0]
                try realm.write { realm.objects(ToolDog.self)[0].age = 8 }
                try realm.write { mia.home?.street = "Low" }
                try realm.write { mia.name = "Mia" }
                try realm.write { mia.name = "Mia B." }
            }
        }
        let lines = text.split(separator: "\n").map {
            $0.prefix { $0 != "(" && $0 != "," }.trimmingCharacters(in: .whitespaces)
        }
        XCTAssertEqual(
            lines,
            [
                #"= ToolPerson count by home.street "High": 1"#, "commit 5",
                #"= ToolPerson count by home.street "High": 1 → nothing"#,
                #"= ToolPerson count by home.street "Low": 1"#, "commit 6", "~ ToolPerson 1",
                #"name: "Mia B." → "Mia""#,
            ])
    }

    /// Adds up what was printed, and compares it with what is there, over random commits, compactions and migrations.
    func testRandomCommits() throws {
        var random = RandomSource("watched numbers")
        for round in 0..<4 {
            try? FileManager.default.removeItem(at: file)
            try makePets()
            var printed: [String: String] = [:]
            func add(_ changes: [NumberChange]) {
                for change in changes {
                    let name = "\(change.request.title) \(change.key?.text ?? "")"
                    XCTAssertEqual(printed[name], change.old?.text, "\(name), round \(round)")
                    printed[name] = change.new?.text
                }
            }
            let words = ["--class", "ToolDog", "--where", "age < 50", "--number", "--sum", "age"]
            var source = try FollowedFile(file.path)
            var all = try source.withNewest { history in
                try ["--max", "--by"].map { option in
                    let more = option == "--by" ? ["--by", "name"] : ["--max", "age", "--min", "mother.age"]
                    return try WatchedNumbers(
                        ParsedArguments([file.path] + words + more, for: .watch), of: file.path, history)
                }
            }
            try source.withNewest { history in for numbers in all { add(numbers?.current(history) ?? []) } }
            var version: UInt64 = 0
            for _ in 0..<30 {
                switch random.below(12) {
                case 0: XCTAssertEqual(run("compact", file.path).code, .success)
                case 1:
                    version += 1
                    try withRealm(schemaVersion: version) { _ in }
                default:
                    try withRealm(schemaVersion: version) { realm in
                        for _ in 0...random.below(3) {
                            try realm.write {
                                for _ in 0..<random.below(5) { edit(realm, &random) }
                            }
                        }
                    }
                }
                try source.read { record, history in
                    for index in all.indices { add(all[index]?.follow(record.kind, history) ?? []) }
                }
                try withRealm(schemaVersion: version) { realm in
                    let dogs = realm.objects(ToolDog.self).where { $0.age < 50 }
                    var expected = [
                        "count ": "\(dogs.count)", "sum(age) ": "\(dogs.reduce(0) { $0 + $1.age })",
                    ]
                    expected["max(age) "] = dogs.map(\.age).max().map { "\($0)" }
                    expected["min(mother.age) "] = dogs.compactMap { $0.mother?.age }.min().map { "\($0)" }
                    for (name, group) in Dictionary(grouping: dogs, by: \.name) {
                        expected["count by name \"\(name)\""] = "\(group.count)"
                        expected["sum(age) by name \"\(name)\""] = "\(group.reduce(0) { $0 + $1.age })"
                    }
                    XCTAssertEqual(printed.filter { !$0.key.hasSuffix("  ") }, expected, "round \(round)")
                }
            }
        }
    }

    private func edit(_ realm: Realm, _ random: inout RandomSource) {
        let dogs = realm.objects(ToolDog.self)
        guard let dog = dogs.randomElement(using: &random), random.below(4) > 0 else {
            realm.add(
                ToolDog(value: ["name": "\(random.below(5))", "age": random.below(60)] as [String: Any]))
            return
        }
        switch random.below(5) {
        case 0: realm.delete(dog)
        case 1: dog.name = "\(random.below(5))"
        case 2: dog.mother = random.below(3) == 0 ? nil : dogs.randomElement(using: &random)
        default: dog.age = random.below(60)
        }
    }

    /// A class without the property, or with one of another type, does not matter, and one that comes later has its numbers.
    func testNumbersOfEachClassThatHasThem() throws {
        try makePets()
        let text = try watch(["--sum", "age"], 2) {
            try withRealm { realm in try realm.write { realm.objects(ToolDog.self)[0].age = 8 } }
            let later = Realm.Configuration(fileURL: file, objectTypes: [ToolCat.self, ToolName.self])
            let realm = try Realm(configuration: later)
            try realm.write {
                realm.create(ToolCat.self, value: ["age": 3])
                realm.create(ToolName.self, value: ["age": "young"])
            }
        }
        XCTAssertEqual(
            numbers(of: text),
            ["ToolDog sum(age): 7", "ToolDog sum(age): 7 → 8", "ToolCat sum(age): 3"])
    }

    /// After a migration that removes a property there are no numbers of it, and commits are printed as before.
    func testAPropertyThatIsGone() throws {
        try makePets()
        let text = try watch(["--class", "ToolDog", "--sum", "age", "--number"], 1) {
            let configuration = Realm.Configuration(
                fileURL: file, schemaVersion: 1, objectTypes: [AgelessDog.self])
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.objects(AgelessDog.self)[0].name = "new" }
        }
        XCTAssertEqual(
            numbers(of: text),
            [
                "ToolDog count: 2", "ToolDog sum(age): 7", "ToolDog count: 2 → nothing",
                "ToolDog sum(age): 7 → nothing",
            ],
            text)
        XCTAssertTrue(text.contains("schema version 1"), text)
        XCTAssertTrue(text.contains("→ \"new\""), text)
    }

    /// Other digits of the same number, and groups whose values are all null, are no changes.
    func testEqualNumbersAreNotPrinted() throws {
        try withRealm { realm in
            try realm.write {
                for (key, decimal) in [("a", 1.25 as Decimal128), ("b", 2.75)] {
                    realm.create(
                        ToolThing.self,
                        value: ["key": key, "decimal": decimal] as [String: Any])
                }
            }
        }
        let text = try watch(["--class", "ToolThing", "--sum", "decimal"], 1) {
            try withRealm { realm in
                let things = realm.objects(ToolThing.self).sorted(byKeyPath: "key")
                try realm.write { (things[0].decimal, things[1].decimal) = (1.5, 2.5) }
            }
        }
        XCTAssertEqual(numbers(of: text).count, 1, text)
        let groups = try watch(["--class", "ToolThing", "--avg", "optionalInt", "--by", "string"], 2) {
            try withRealm { realm in
                try realm.write { realm.objects(ToolThing.self)[0].string = "another" }
                try realm.write { realm.objects(ToolThing.self)[0].optionalInt = 4 }
            }
        }
        XCTAssertEqual(numbers(of: groups), [#"ToolThing avg(optionalInt) by string "another": 4.0"#])
    }

    func testValuesOfAnyType() throws {
        try withRealm { realm in
            try realm.write {
                realm.create(ToolThing.self, value: ["key": "a", "any": 2.5] as [String: Any])
            }
        }
        let text = try watch(["--class", "ToolThing", "--max", "any"], 1) {
            try withRealm { realm in try realm.write { realm.objects(ToolThing.self)[0].any = .int(4) } }
        }
        XCTAssertEqual(numbers(of: text), ["ToolThing max(any): 2.5", "ToolThing max(any): 2.5 → 4"])
    }

    // MARK: Mistakes

    func testMistakesAreTold() throws {
        try makePets()
        try withRealm { realm in try realm.write { _ = realm.create(ToolThing.self) } }
        for (words, part) in [
            (["--sum", "nmae"], "no class of"),
            (["--class", "ToolDog", "--sum", "aeg"], "did you mean 'age'"),
            (["--class", "ToolDog", "--sum", "name"], "The sum of 'name' cannot be made"),
            (["--class", "ToolDog", "--max", "age", "--by", "name"], "takes no '--by'"),
            (["--class", "ToolDog", "--number", "--by", "mother"], "cannot be grouped by 'mother'"),
            (["--class", "ToolThing", "--number", "--by", "any"], "any type"),
            (["--by", "name"], "is of numbers"),
            (["--class", "Toll", "--number"], "no class 'Toll'"),
            (["--class", "ToolDog", "--where", "age >", "--number"], "malformed"),
            (["--class", "Toll"], "no class 'Toll'"),
        ] {
            let answer = run(["watch", file.path] + words)
            XCTAssertNotEqual(answer.code, .success)
            XCTAssertTrue(answer.errors.contains(part), "\(words): \(answer.errors)")
        }
    }
}

private class ToolCat: Object {
    @Persisted var age = 0
}

private class ToolName: Object {
    @Persisted var age = ""
}

private class AgelessDog: Object {
    @Persisted var name = ""

    override class func _realmObjectName() -> String? { "ToolDog" }
}
