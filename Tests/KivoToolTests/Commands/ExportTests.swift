import Foundation
import Kivo
import XCTest

@testable import KivoTool

/// Files that go through lines of JSON, and those that are made small.
final class ExportTests: ToolTestCase {
    private var copy: URL { folder.appendingPathComponent("copy.kivo") }
    private var lines: URL { folder.appendingPathComponent("lines.jsonl") }

    private func roundTrip() throws -> Answer {
        let export = run("export", file.path)
        XCTAssertEqual(export.code, .success, export.errors)
        try Data(export.output.utf8).write(to: lines)
        return run("import", lines.path, copy.path)
    }

    private func makeThings() throws {
        try withRealm(schemaVersion: 9) { realm in
            try realm.write {
                let dog = realm.create(ToolDog.self, value: ["name": "\u{0}\u{1F415}\"\\\n\t\u{7F}é"])
                let thing = realm.create(ToolThing.self, value: ["key": "all"])
                (thing.bool, thing.int8, thing.int16, thing.int32) = (true, .min, .max, .min)
                (thing.int64, thing.float, thing.double) = (.min, 0.1, 0.1 + 0.2)
                thing.string = "text"
                thing.data = Data([0, 255, 16])
                thing.date = Date(timeIntervalSinceReferenceDate: 123_456_789.123_456_789)
                thing.uuid = UUID()
                thing.objectId = ObjectId.generate()
                thing.decimal = try! Decimal128(string: "-1.2300e-7")
                thing.optionalInt = .max
                thing.optionalDouble = -0.0
                thing.optionalDate = .distantPast
                thing.optionalData = Data()
                thing.optionalString = ""
                thing.ints.append(objectsIn: [3, 1, 3])
                thing.optionalInts.append(objectsIn: [nil, 1])
                thing.optionalStrings.append(objectsIn: ["a", nil])
                thing.doubles.insert(objectsIn: [2.5, -1, .infinity])
                thing.strings.insert(objectsIn: ["b", "a", "é"])
                let inner = AnyRealmValue.fromArray([.int(1), .none, .string("x")])
                thing.any = .fromDictionary(["list": inner, "dog": .object(dog), "date": .date(thing.date)])
                thing.anys.append(objectsIn: [
                    .bool(true), .float(1.5), .double(.nan), .data(Data([1])), .decimal128(thing.decimal),
                    .objectId(thing.objectId), .uuid(thing.uuid), .object(dog), inner,
                ])
                thing.anySet.insert(objectsIn: [.object(dog), .int(3), .string("s"), .none])
                thing.dates["then"] = .some(Date(timeIntervalSince1970: 0.25))
                thing.dates["never"] = .some(nil)
                thing.anyMap["n"] = AnyRealmValue.none
                thing.anyMap["a"] = .string("v")
                let odd = realm.create(ToolThing.self, value: ["key": "odd"])
                (odd.float, odd.double) = (.nan, -.infinity)
                odd.date = Date(timeIntervalSinceReferenceDate: .infinity)
                odd.optionalDouble = 1e300
                odd.any = .object(thing)
            }
        }
    }

    func testAllTypesSurvive() throws {
        try makePets()
        try makeThings()
        let answer = try roundTrip()
        XCTAssertEqual(answer.code, .success, answer.errors)
        let expected = run("dump", "--json", file.path).output
        XCTAssertEqual(run("dump", "--json", copy.path).output, expected)
        XCTAssertEqual(run("export", copy.path).output, run("export", file.path).output)
        XCTAssertTrue(expected.contains("\"int64\":\"-9223372036854775808\""), expected)
        XCTAssertTrue(expected.contains("{\"repr\":\"nan\",\"bits\":\"7ff8000000000000\"}"), expected)
        XCTAssertTrue(expected.contains("\"optionalDouble\":-0.0"), expected)
        XCTAssertTrue(expected.contains("{\"seconds\":0,\"nanoseconds\":250000000}"), expected)
    }

    /// The program's classes find what they expect.
    func testAnImportedFileIsOneOfTheProgram() throws {
        try makePets()
        try makeThings()
        XCTAssertEqual(try roundTrip().code, .success)
        // Collections print where they are in memory, too.
        func words(_ realm: Realm) -> [String] {
            realm.objects(ToolThing.self).map { "\($0)".replacing(/<0x[0-9a-f]+>/, with: "<>") }
        }
        let original = try withRealm(schemaVersion: 9) { words($0) }
        try withRealm(copy, schemaVersion: 9) { realm in
            XCTAssertEqual(words(realm), original)
            let mia = try XCTUnwrap(realm.object(ofType: ToolPerson.self, forPrimaryKey: 1))
            XCTAssertEqual(mia.dogs.map(\.name), ["Rex", "Zoe"])
            XCTAssertEqual(mia.dogs[0].owners.map(\.id), [1])
            XCTAssertEqual(
                realm.objects(ToolPerson.self).where { $0.name == "Mia B." }.count, 1, "by the index")
            try realm.write {
                mia.home = nil
                let dog = realm.create(ToolDog.self, value: ["name": "new"])
                mia.pets["new"] = dog
                realm.objects(ToolThing.self)[0].any = .fromArray([.object(dog)])
            }
            XCTAssertEqual(realm.dynamicObjects("ToolAddress").count, 0)
        }
        XCTAssertEqual(run("verify", copy.path).code, .success)
    }

    func testLinesThatMakeNoSense() throws {
        try makePets()
        let export = run("export", file.path).output
        let good = export.split(separator: "\n").map(String.init)
        let wrong: [(String, String, String)] = [
            ("\"kivo\":\"export\"", "\"kivo\":\"else\"", "line 1"),
            ("\"version\":1", "\"version\":99", "version 99"),
            ("\"key\":3,\"values\"", "\"key\":1,\"values\"", "two objects with key 1"),
            ("\"key\":3,\"values\"", "\"key\":-3,\"values\"", "no key -3"),
            ("{\"class\":\"ToolDog\",\"key\":3", "{\"class\":\"Cat\",\"key\":3", "no class 'Cat'"),
            ("\"age\":7", "\"age\":\"seven\"", "'ToolDog.age' cannot hold 'seven'"),
            ("\"age\":7", "\"age\":null", "'ToolDog.age' cannot hold nil"),
            ("\"age\":7", "\"agee\":7", "no property 'agee'"),
            ("{\"key\":1},{\"key\":3}", "{\"key\":1},{\"key\":33}", "a link to object 33"),
            ("\"home\":{\"key\":1}", "\"home\":null", "belongs to no other"),
            ("\"places\":[]", "\"places\":[{\"key\":1}]", "two places"),
            ("[\"go\",1]", "[\"chess\",1]", "key 'chess' twice"),
            ("\"type\":\"Int\"", "\"type\":\"Integer\"", "unknown type"),
            ("\"name\":\"ToolDog\"", "\"name\":\"ToolAddress\"", "no class 'ToolAddress', or not twice"),
        ]
        for (part, replacement, message) in wrong {
            XCTAssertTrue(export.contains(part), part)
            try Data(export.replacing(part, with: replacement, maxReplacements: 1).utf8).write(to: lines)
            let answer = run("import", lines.path, copy.path)
            XCTAssertEqual(answer.code, .problem, message)
            XCTAssertTrue(answer.errors.contains(message), "\(message): \(answer.errors)")
            XCTAssertFalse(FileManager.default.fileExists(atPath: copy.path), message)
        }
        try Data((good + [String(good.last!.prefix(30))]).joined(separator: "\n").utf8).write(to: lines)
        XCTAssertTrue(run("import", lines.path, copy.path).errors.contains("line \(good.count + 1)"))
        let circle = export.replacing("\"home\":{\"key\":1}", with: "\"home\":null")
            .replacing("\"inside\":null", with: "\"inside\":{\"key\":1}")
        try Data(circle.utf8).write(to: lines)
        XCTAssertTrue(run("import", lines.path, copy.path).errors.contains("within itself"))
        let twice = export.replacing("\"key\":1,\"values\":{\"dogs\"", with: "\"key\":7,\"values\":{\"dogs\"")
        try Data((twice + "{\"class\":\"ToolPerson\",\"key\":8,\"values\":{\"id\":1}}\n").utf8).write(
            to: lines)
        XCTAssertTrue(run("import", lines.path, copy.path).errors.contains("two rows have one primary key"))
    }

    func testLinesThatNoProgramCouldHaveWritten() throws {
        try makeThings()
        let export = run("export", file.path).output
        let wrong: [(String, String, String)] = [
            (#"{"name":"int8""#, #"{"name":"""#, "class 'ToolThing' has a property without a name"),
            (#""double":0.30000000000000004"#, #""double":1e999"#, "'ToolThing.double' cannot hold '1e999'"),
            (#""float":0.1"#, #""float":1e39"#, "'ToolThing.float' cannot hold '1e39'"),
            (
                #""anySet":[null"#, #""anySet":[{"type":"list","value":[]}"#,
                "'ToolThing.anySet' cannot hold a list or dictionary in a set"
            ),
            (
                #"{"name":"double","type":"Double","nullable":false,"collection":null,"target":null,"indexed":false"#,
                #"{"name":"double","type":"Double","nullable":false,"collection":null,"target":null,"indexed":true"#,
                "'ToolThing.double' cannot be indexed"
            ),
        ]
        for (part, replacement, message) in wrong {
            XCTAssert(export.contains(part), "\(part): \(export)")
            try Data(export.replacing(part, with: replacement).utf8).write(to: lines)
            let answer = run("import", lines.path, copy.path)
            XCTAssertEqual(answer.code, .problem, message)
            XCTAssert(answer.errors.contains(message), "\(message): \(answer.errors)")
            XCTAssertFalse(FileManager.default.fileExists(atPath: copy.path), message)
        }
        for name in ["any", "date", "double", "decimal"] {
            let key = try NSRegularExpression(
                pattern: #"(\{"name":"\#(name)",[^}]*"primaryKey":)false"#)
            let changed = key.stringByReplacingMatches(
                in: export.replacing(#""primaryKey":true"#, with: #""primaryKey":false"#),
                range: NSRange(export.startIndex..., in: export), withTemplate: "$1true")
            XCTAssertNotEqual(changed, export)
            try Data(changed.utf8).write(to: lines)
            let answer = run("import", lines.path, copy.path)
            XCTAssert(answer.errors.contains("'ToolThing.\(name)' cannot be a primary key"), answer.errors)
        }
    }

    /// Lists in lists, as deep as a program makes them.
    func testDeepValues() throws {
        for depth in [60, 150, 1000] {
            try? FileManager.default.removeItem(at: file)
            try? FileManager.default.removeItem(at: copy)
            try withRealm { realm in
                try realm.write {
                    let thing = realm.create(ToolThing.self, value: ["key": "deep"])
                    var value = AnyRealmValue.int(1)
                    for level in 0..<depth {
                        value = level % 2 == 0 ? .fromArray([value]) : .fromDictionary(["a": value])
                    }
                    thing.any = value
                }
            }
            let answer = try roundTrip()
            XCTAssertEqual(answer.code, .success, "\(depth): \(answer.errors)")
            XCTAssertEqual(run("export", copy.path).output, run("export", file.path).output)
            try FileManager.default.removeItem(at: copy)
        }
    }

    func testAnImportReplacesNothing() throws {
        try makePets()
        try Data("mine".utf8).write(to: copy)
        XCTAssertEqual(try roundTrip().code, .problem)
        XCTAssertEqual(try Data(contentsOf: copy), Data("mine".utf8))
    }

    // MARK: compact

    func testCompact() throws {
        try makePets()
        let before = run("dump", "--json", file.path).output
        let bytes = try Data(contentsOf: file)
        let dry = try XCTUnwrap(run("compact", file.path, "--dry-run", "--json").objects.first)
        XCTAssertEqual(dry["bytesBefore"] as? Int, bytes.count)
        XCTAssertEqual(try Data(contentsOf: file), bytes)
        let answer = try XCTUnwrap(run("compact", file.path, "--json").objects.first)
        XCTAssertEqual(answer["bytesAfter"] as? Int, try Data(contentsOf: file).count)
        XCTAssertEqual(answer["bytesAfter"] as? Int, dry["usedBytes"] as? Int, "no space is allocated ahead")
        XCTAssertNotEqual(try Data(contentsOf: file), bytes)
        XCTAssertEqual(run("dump", "--json", file.path).output, before)
        XCTAssertEqual(run("log", file.path, "--json").objects.count, 0)
        XCTAssertEqual(run("verify", file.path).code, .success)
        try withRealm { realm in
            XCTAssertEqual(run("compact", file.path).code, .problem, "it is open")
            XCTAssertEqual(realm.objects(ToolDog.self).count, 2)
            try realm.write { realm.objects(ToolDog.self)[0].age = 1 }
        }
        let commits = run("log", file.path, "--json").objects
        XCTAssertEqual(commits.count, 1)
        XCTAssertTrue(run("log", file.path).output.contains("age: 7 → 1"), run("log", file.path).output)
    }
}
