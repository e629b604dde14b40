import Foundation
import Kivo
import XCTest

@testable import KivoTool

/// The objects that `dump` and `export` choose, and the forms in which they are printed.
final class QueryCommandTests: ToolTestCase {
    /// Seven dogs, of which three have a mother.
    private func makeDogs() throws {
        try withRealm { realm in
            try realm.write {
                let mother = realm.create(ToolDog.self, value: ["name": "Ada, \"the first\"", "age": 9])
                for (name, age) in [("Rex", 7), ("Bo", 2), ("Zoe", 7)] {
                    realm.create(ToolDog.self, value: ["name": name, "age": age, "mother": mother])
                }
                for (name, age) in [("", 1), ("Kit", 3), ("5", 4)] {
                    realm.create(ToolDog.self, value: ["name": name, "age": age])
                }
                realm.create(ToolPerson.self, value: ["id": 1, "name": "Mia"])
            }
        }
    }

    private func names(_ words: String..., line: UInt = #line) -> [String] {
        let answer = run(["dump", file.path, "--json", "--class", "ToolDog"] + words)
        XCTAssertEqual(answer.code, .success, answer.errors, line: line)
        return answer.objects.map { ($0["values"] as? [String: Any])?["name"] as? String ?? "?" }
    }

    func testOrderAndLimit() throws {
        try makeDogs()
        XCTAssertEqual(names("--limit", "2"), ["Ada, \"the first\"", "Rex"])
        XCTAssertEqual(names("--sort", "-age,name", "--limit", "3"), ["Ada, \"the first\"", "Rex", "Zoe"])
        XCTAssertEqual(
            names("--sort", "mother.name,-name", "--limit=2"), ["Zoe", "Rex"], "without a mother, last")
        XCTAssertEqual(names("--sort", "name", "--where", "age == 7"), ["Rex", "Zoe"])
        XCTAssertEqual(names("--limit", "99").count, 7)
    }

    func testArgumentsNeedNoQuoting() throws {
        try makeDogs()
        XCTAssertEqual(names("--where", "name == %@", "--arg", "Ada, \"the first\""), ["Ada, \"the first\""])
        XCTAssertEqual(names("--where", "name == %@", "--arg", "5"), ["5"])
        XCTAssertEqual(
            names("--where", "age > %d AND name != %@", "--arg", "4", "--arg", "Rex"),
            ["Ada, \"the first\"", "Zoe"])
        XCTAssertEqual(names("--where", "age > %f", "--arg", "6.5").count, 3)
        XCTAssertEqual(names("--where", "name == $0 OR mother.name == $0", "--arg", "' OR TRUEPREDICATE"), [])
        for (predicate, argument, message) in [
            ("name == %@", nil, "Too few arguments"), ("age > %d", "old", "takes a number, not 'old'"),
            ("age > 3", "3", "no '%@' or '%d' takes the argument '3'"),
        ] {
            let answer = run(
                "dump", file.path, "--class", "ToolDog", "--where", predicate,
                argument.map { "--arg=" + $0 } ?? "--json")
            XCTAssertEqual(answer.code, .usage, predicate)
            XCTAssertTrue(answer.errors.contains(message), answer.errors)
        }
    }

    /// A text for a placeholder becomes a value of the property with which it is compared.
    func testArgumentsAreOfThePropertysType() throws {
        let (id, number) = (UUID(), ObjectId.generate())
        try withRealm { realm in
            try realm.write {
                let thing = realm.create(ToolThing.self, value: ["key": "7"])
                (thing.bool, thing.int8, thing.double) = (true, 7, 2.5)
                (thing.uuid, thing.objectId, thing.data) = (id, number, Data([1, 255]))
                thing.date = Date(timeIntervalSince1970: 86_400)
                thing.decimal = try! Decimal128(string: "1.5")
                thing.ints.append(objectsIn: [3, 7])
                thing.any = .string("7")
            }
        }
        func count(_ predicate: String, _ arguments: String...) -> Int? {
            let words = [
                "dump", file.path, "--json", "--class", "ToolThing", "--count", "--where", predicate,
            ]
            let answer = run(words + arguments.flatMap { ["--arg", $0] })
            XCTAssertEqual(answer.code, .success, answer.errors)
            return (answer.objects.first?["values"] as? [String: Int])?["count"]
        }
        for (property, value, other) in [
            ("key", "7", "8"), ("bool", "true", "false"), ("bool", "1", "0"), ("int8", "7", "8"),
            ("double", "2.5", "2"), ("uuid", id.uuidString, UUID().uuidString),
            ("objectId", number.stringValue, ObjectId.generate().stringValue), ("data", "01ff", "01"),
            ("date", "1970-01-02", "1970-01-03"), ("decimal", "1.5", "1.6"), ("any", "7", "8"),
            ("ints.@count", "2", "3"), ("ANY ints", "3", "4"),
        ] {
            XCTAssertEqual(count("\(property) == %@", value), 1, property)
            XCTAssertEqual(count("\(property) == %@", other), 0, property)
            XCTAssertEqual(count("NOT (\(property) == $0)", value), 0, property)
        }
        XCTAssertEqual(count("%@ < int8", "6"), 1)
        XCTAssertEqual(
            count("int8 IN {%@, %@} AND date BETWEEN {%@, %@}", "6", "7", "1970-01-01", "1971-01-01"), 1)
        XCTAssertEqual(count("key BEGINSWITH %@ AND int8 > %@", "7", "6"), 1)
        for (predicate, argument, message) in [
            ("int8 == %@", "seven", "The argument 'seven' is not a number"),
            ("bool == %@", "maybe", "'maybe' is not true or false"),
            ("date > %@", "tomorrow", "'tomorrow' is not a date such as"),
            ("uuid == %@", "7", "'7' is not a UUID"),
        ] {
            let answer = run(
                "dump", file.path, "--class", "ToolThing", "--where", predicate, "--arg", argument)
            XCTAssertEqual(answer.code, .usage, predicate)
            XCTAssertTrue(answer.errors.contains(message), answer.errors)
        }
    }

    func testExportInAShapeIsADump() throws {
        try makeDogs()
        for shape in [
            ["--fields", "name,mother.name", "--format", "csv"], ["--count"], ["--format", "table"],
            ["--sum", "age"],
            ["--fields", "age", "--sort", "-age", "--limit", "2", "--where", "age > %@", "--arg", "3"],
        ] {
            let answers = ["dump", "export"].map { command -> String in
                let answer = run([command, file.path, "--class", "ToolDog"] + shape)
                XCTAssertEqual(answer.code, .success, answer.errors)
                return answer.output
            }
            XCTAssertEqual(answers[0], answers[1], "\(shape)")
            XCTAssertFalse(answers[1].contains("\"kivo\":\"export\""), "\(shape)")
        }
    }

    func testSeveralClassesEachWithACondition() throws {
        try makeDogs()
        let answer = run(
            "dump", file.path, "--json", "--class", "ToolDog", "--where", "age == %d", "--class",
            "ToolPerson",
            "--where", "name == %@", "--arg", "7", "--arg", "Mia", "--fields", "name")
        XCTAssertEqual(
            answer.output,
            """
            {"class":"ToolDog","key":2,"values":{"name":"Rex"}}
            {"class":"ToolDog","key":4,"values":{"name":"Zoe"}}
            {"class":"ToolPerson","key":1,"values":{"name":"Mia"}}

            """)
        XCTAssertEqual(
            run("dump", file.path, "--where", "age == 7", "--class", "ToolDog", "--count").code, .success)
        for words in [
            ["--where", "age == 7"], ["--class", "ToolDog", "--where", "age == 1", "--where", "age == 2"],
            ["--class", "ToolDog", "--class", "ToolDog"],
        ] {
            XCTAssertEqual(run(["dump", file.path] + words).code, .usage, "\(words)")
        }
    }

    func testCountsAndFunctions() throws {
        try makeDogs()
        func values(_ words: String...) -> NSDictionary? {
            let answer = run(["dump", file.path, "--json", "--class", "ToolDog"] + words)
            return answer.objects.first?["values"] as? NSDictionary
        }
        XCTAssertEqual(values("--count"), ["count": 7])
        XCTAssertEqual(values("--count", "--limit", "3"), ["count": 3])
        XCTAssertEqual(values("--count", "--where", "age == 7"), ["count": 2])
        XCTAssertEqual(
            values("--sum", "age", "--avg", "age", "--min", "age", "--max", "age", "--max", "mother.age"),
            ["sum(age)": 33, "avg(age)": 33.0 / 7, "min(age)": 1, "max(age)": 9, "max(mother.age)": 9])
        XCTAssertEqual(
            values("--sum", "age", "--avg", "age", "--where", "FALSEPREDICATE"),
            ["sum(age)": 0, "avg(age)": NSNull()])
        XCTAssertEqual(
            run("dump", file.path, "--count").output,
            """
            ToolDog
              count
              7

            ToolPerson
              count
              1

            """)
        XCTAssertEqual(run("dump", file.path, "--count", "--fields", "name").code, .usage)
        XCTAssertEqual(
            run("dump", file.path, "--class", "ToolDog", "--sum", "age", "--limit", "1").code, .usage)
    }

    func testFunctionsOfValuesOfEachType() throws {
        try withRealm { realm in
            try realm.write {
                for (index, key) in ["a", "b"].enumerated() {
                    let thing = realm.create(ToolThing.self, value: ["key": key])
                    thing.float = 1.5
                    thing.decimal = try! Decimal128(string: "0.\(index + 1)")
                    thing.any = .int(index)
                    thing.int64 = .max
                    thing.date = Date(timeIntervalSince1970: Double(index))
                }
            }
        }
        XCTAssertEqual(
            run(
                "dump", file.path, "--class", "ToolThing", "--format", "csv", "--sum", "float", "--sum",
                "decimal", "--max",
                "any", "--sum", "int64", "--max", "date", "--avg", "int64"
            ).output,
            """
            class,sum(float),sum(decimal),max(any),sum(int64),max(date),avg(int64)
            ToolThing,3.0,0.3,1,18446744073709551614,1970-01-01T00:00:01Z,9.223372036854776e+18

            """)
    }

    func testCSV() throws {
        try makeDogs()
        XCTAssertEqual(
            run(
                "dump", file.path, "--class", "ToolDog", "--format", "csv", "--fields",
                "age,name,mother,mother.name", "--limit", "5"
            ).output,
            """
            class,key,age,name,mother,mother.name
            ToolDog,1,9,"Ada, ""the first""\",,
            ToolDog,2,7,Rex,1,"Ada, ""the first""\"
            ToolDog,3,2,Bo,1,"Ada, ""the first""\"
            ToolDog,4,7,Zoe,1,"Ada, ""the first""\"
            ToolDog,5,1,"",,

            """)
        XCTAssertTrue(
            run("dump", file.path, "--class", "ToolPerson", "--format", "csv", "--fields", "scores,name")
                .output
                .hasSuffix("ToolPerson,1,[],Mia\n"))
        XCTAssertEqual(run("dump", file.path, "--format", "csv").code, .usage)
        XCTAssertEqual(
            run(
                "dump", file.path, "--format", "csv", "--fields", "name", "--class", "ToolDog", "--class",
                "ToolPerson"
            ).code,
            .success)
    }

    func testTable() throws {
        try makeDogs()
        XCTAssertEqual(
            run("dump", file.path, "--class", "ToolDog", "--fields", "name,age,mother", "--limit", "3")
                .output,
            """
            ToolDog
              key  name                  age  mother
              1    "Ada, \\"the first\\""  9    nil
              2    "Rex"                 7    ToolDog 1
              3    "Bo"                  2    ToolDog 1

            """)
        try withRealm { realm in
            try realm.write {
                for age in 0..<700 {
                    realm.create(ToolDog.self, value: ["name": String(repeating: "犬", count: age % 90)])
                }
            }
        }
        let lines = run("dump", file.path, "--class", "ToolDog").output.split(separator: "\n")
        XCTAssertEqual(lines.count, 709)
        XCTAssertTrue(lines.allSatisfy { $0.count < 80 })
    }

    /// On a terminal, text; elsewhere JSON; and options that select one of them.
    func testOneRuleForTextAndJSON() throws {
        try makeDogs()
        for command in Tool.root.leaves.map(\.command)
        where command.options.contains(where: { $0.name == "--json" }) {
            XCTAssertTrue(command.options.contains { $0.name == "--text" }, command.name)
        }
        for command in ["info", "verify", "dump", "schema", "log"] {
            func output(isJSON: Bool, _ words: String...) -> String {
                run([command, file.path] + words, isJSON: isJSON).output
            }
            let (text, json) = (output(isJSON: false), output(isJSON: true))
            XCTAssertTrue(json.hasPrefix("{"), command)
            XCTAssertFalse(text.hasPrefix("{"), command)
            XCTAssertEqual(output(isJSON: true, "--text"), text, command)
            XCTAssertEqual(output(isJSON: false, "--json"), json, command)
        }
    }

    func testNamesThatAreMisspelt() throws {
        try makeDogs()
        for (words, message) in [
            (["--class", "ToolDgo"], "no class 'ToolDgo'; did you mean 'ToolDog'?"),
            (["--class", "ToolDog", "--where", "nmae == 'Rex'"], "no property 'nmae'; did you mean 'name'?"),
            (
                ["--class", "ToolDog", "--where", "mother.agee + 1 > 5"],
                "class 'ToolDog' has no property 'agee'; did you mean 'age'?"
            ),
            (["--class", "ToolPerson", "--where", "ANY dogs.nam == ''"], "no property 'nam'"),
            (["--class", "ToolDog", "--sort", "-aeg"], "did you mean 'age'?"),
            (["--class", "ToolDog", "--fields", "mothr"], "did you mean 'mother'?"),
            (["--class", "ToolDog", "--fields", "age.name"], "'age.name' leads nowhere"),
            (["--class", "ToolPerson", "--sort", "dogs.name"], "'dogs.name' leads nowhere"),
            (["--class", "ToolDog", "--sum", "zzz"], "no property 'zzz'; try"),
            (["--wher", "age > 3"], "no option '--wher'; did you mean '--where'? Try"),
        ] {
            let answer = run(["dump", file.path] + words)
            XCTAssertNotEqual(answer.code, .success, "\(words)")
            XCTAssertTrue(answer.errors.contains(message), answer.errors)
        }
    }

    /// Literals of the predicate language for values that JSON has no form of.
    func testLiteralsOfEachType() throws {
        try withRealm { realm in
            try realm.write {
                let thing = realm.create(ToolThing.self, value: ["key": "a"])
                thing.date = Date(timeIntervalSince1970: 1_709_164_800.25)
                thing.data = Data([1, 255])
                thing.decimal = try! Decimal128(string: "1.5")
                thing.objectId = ObjectId("507f1f77bcf86cd799439011")
                thing.any = .date(Date(timeIntervalSince1970: 0))
                realm.create(ToolThing.self, value: ["key": "b"])
            }
        }
        for condition in [
            "date == date(2024-02-29T00:00:00.25Z)", "date > date(2024-02-28)", "data == data(01ff)",
            "data BEGINSWITH data(01)", "decimal >= decimal(1.50)",
            "objectId == oid(507f1f77bcf86cd799439011)",
            "any == date(1970-01-01)", "uuid == uuid(00000000-0000-0000-0000-000000000000) AND key == 'a'",
        ] {
            let answer = run(
                "dump", file.path, "--class", "ToolThing", "--where", condition, "--fields", "key", "--json")
            XCTAssertEqual(
                answer.output, "{\"class\":\"ToolThing\",\"key\":1,\"values\":{\"key\":\"a\"}}\n",
                condition + answer.errors)
        }
    }

    // MARK: export

    /// A part of a file is a file of its own: what its objects lead to is there.
    func testAnExportOfAPart() throws {
        try makePets()
        try withRealm { realm in
            try realm.write { realm.add(ToolDog(value: ["name": "stray"])) }
        }
        func objects(_ words: String...) throws -> [String] {
            let answer = run(["export", file.path] + words)
            XCTAssertEqual(answer.code, .success, answer.errors)
            let lines = folder.appendingPathComponent("lines")
            try Data(answer.output.utf8).write(to: lines)
            let copy = folder.appendingPathComponent(UUID().uuidString)
            let imported = run("import", lines.path, copy.path)
            XCTAssertEqual(imported.code, .success, imported.errors)
            XCTAssertEqual(run("verify", copy.path).code, .success)
            let all = run("dump", "--json", file.path).output.split(separator: "\n")
            let some = run("dump", "--json", copy.path).output.split(separator: "\n")
            XCTAssertTrue(some.allSatisfy(all.contains))
            return some.map { String($0.prefix { $0 != "v" }) }
        }
        let dog = "{\"class\":\"ToolDog\",\"key\":"
        XCTAssertEqual(try objects("--class", "ToolDog", "--where", "name == 'Zoe'"), [dog + "3,\""])
        XCTAssertEqual(
            try objects("--class", "ToolPerson"),
            [
                "{\"class\":\"ToolAddress\",\"key\":1,\"", dog + "1,\"", dog + "3,\"",
                "{\"class\":\"ToolPerson\",\"key\":1,\"",
            ])
        XCTAssertEqual(
            try objects("--class", "ToolDog", "--sort", "-name", "--limit", "1"), [dog + "4,\""])
        XCTAssertEqual(try objects().count, 5)
        XCTAssertEqual(run("export", file.path, "--class", "ToolAddress").code, .usage)
    }
}
