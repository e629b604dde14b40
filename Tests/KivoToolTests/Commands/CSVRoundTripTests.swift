import Foundation
import Kivo
import TestRandomness
import XCTest

@testable import KivoTool

/// Round trips of classes through `dump --format csv` and `import`.
final class CSVRoundTripTests: ToolTestCase {
    private var csv: URL { folder.appendingPathComponent("rows.csv") }
    private var copy: URL { folder.appendingPathComponent("copy.kivo") }
    private var random = RandomSource()

    private func dump(_ url: URL, _ name: String, _ words: String...) throws {
        let answer = run(["dump", url.path, "--class", name, "--format", "csv"] + words, isJSON: true)
        XCTAssertEqual(answer.code, .success, answer.errors)
        try Data(answer.output.utf8).write(to: csv)
    }

    /// - Parameter name: The class that is compared; nil for all.
    private func checkNoDifference(_ message: String = "", of name: String? = nil, line: UInt = #line) {
        let answer = run(["diff", file.path, copy.path] + (name.map { ["--class", $0] } ?? []))
        XCTAssertEqual(answer.output, "no difference\n", "\(message)\(answer.errors)", line: line)
        XCTAssertEqual(run("verify", copy.path).code, .success, line: line)
    }

    private static let texts = [
        "", "a", "=1+2", "'=1+2", "''=x", "'", "''", "'a", "-1", "+49 30", "@x", "\t=", "\r", "007", "1.5",
        "true",
        "nan", "a,b", "\"", "\"\"", "two\nlines", "two\r\nlines", "\rx", " x ", "ä🐕e\u{301}",
        "\u{0}\u{1B}[31m",
        "2024-01-01", "null", "nil", "9223372036854775808", "key", "class",
    ]

    /// Values of all types that CSV can have.
    private func fill(_ thing: ToolThing) {
        (thing.bool, thing.optionalBool) = (random.chance(50), random.chance(30) ? nil : random.chance(50))
        thing.int8 = Int8(truncatingIfNeeded: random.next())
        thing.int16 = Int16(truncatingIfNeeded: random.next())
        thing.int32 = Int32(truncatingIfNeeded: random.next())
        thing.int64 = [Int64.min, .max, 0, 1 << 53 + 1][random.below(4)]
        thing.optionalInt = random.chance(30) ? nil : Int(truncatingIfNeeded: random.next())
        thing.float = [0, -0.0, 1.1, .infinity, .greatestFiniteMagnitude][random.below(5)]
        thing.double = [0, -0.0, 0.1, 1e300, -.infinity, .leastNonzeroMagnitude, 1e16][random.below(7)]
        thing.optionalDouble = random.chance(30) ? nil : .random(in: -1e9...1e9, using: &random)
        thing.string = text()
        thing.optionalString = random.chance(30) ? nil : text()
        thing.data = Data((0..<random.below(3)).map { UInt8($0) })
        thing.optionalData = random.chance(30) ? nil : Data((0..<random.below(3)).map { UInt8($0) })
        thing.date = Date(timeIntervalSince1970: Double(random.below(4_000_000_000) - 2_000_000_000) / 8)
        thing.optionalDate =
            random.chance(30) ? nil : Date(timeIntervalSince1970: Double(random.below(1_000_000)))
        (thing.uuid, thing.optionalUUID) = (UUID(), random.chance(30) ? nil : UUID())
        thing.objectId = ObjectId.generate()
        thing.decimal = try! Decimal128(
            string: ["1.50", "-0", "1E+6000", "NaN", "Infinity"][random.below(5)])
        thing.ints.append(objectsIn: (0..<random.below(3)).map { _ in random.below(100) })
        thing.optionalInts.append(objectsIn: random.chance(50) ? [nil, 1] : [])
        thing.optionalStrings.append(objectsIn: random.chance(50) ? [nil, text()] : [])
        thing.doubles.insert(objectsIn: random.chance(50) ? [.nan, 1] : [])
        thing.strings.insert(text())
        thing.dates["a,\"b\""] = random.chance(50) ? .some(nil) : Date(timeIntervalSince1970: 1)
    }

    private func text() -> String { Self.texts[random.below(Self.texts.count)] }

    /// Rows of all properties, imported into a class that has some of the objects.
    func testValuesOfEachType() throws {
        for round in TestEffort.rounds(30, within: 0.4, atLeast: 4) {
            let keys = Set((0..<20).map { _ in text() }).sorted()
            try withRealm { realm in
                try realm.write {
                    realm.deleteAll()
                    for key in keys {
                        fill(realm.create(ToolThing.self, value: ["key": key]))
                    }
                }
            }
            try withRealm(copy) { realm in
                try realm.write {
                    realm.deleteAll()
                    // All of them are changed, and the others are added.
                    for key in keys.prefix(3) { fill(realm.create(ToolThing.self, value: ["key": key])) }
                }
            }
            try dump(file, "ToolThing")
            for words in [[], ["--dry-run"], []] {
                let answer = run(
                    ["import", csv.path, copy.path, "--class", "ToolThing", "--map", "any="] + words)
                XCTAssertEqual(answer.code, .success, "round \(round): \(answer.errors)\(answer.output)")
            }
            // A checkpoint while the realm is open puts classes without objects into one of the files.
            checkNoDifference("round \(round): ", of: "ToolThing")
            if testRun?.totalFailureCount != 0 { return }
        }
    }

    func testFormulasThatAreLeft() throws {
        try withRealm { realm in
            try realm.write { for text in Self.texts { realm.add(ToolDog(value: ["name": text])) } }
        }
        for words in [[], ["--formulas"]] {
            try withRealm(copy) { realm in
                try realm.write { for _ in Self.texts { realm.add(ToolDog()) } }
            }
            let answer = run(
                ["dump", file.path, "--class", "ToolDog", "--format", "csv", "--fields", "name"] + words,
                isJSON: true)
            try Data(answer.output.utf8).write(to: csv)
            let imported = run(["import", csv.path, copy.path, "--class", "ToolDog"] + words)
            XCTAssertEqual(imported.code, .success, imported.errors)
            checkNoDifference("\(words)")
            for path in [copy.path, copy.path + ".lock"] { try? FileManager.default.removeItem(atPath: path) }
        }
    }

    /// A new file has the same objects with the same keys, if its types can be seen in the texts.
    func testANewFile() throws {
        for round in TestEffort.rounds(40, within: 0.4, atLeast: 5) {
            let texts = (0..<1 + random.below(30)).map { _ in text() }
            try withRealm { realm in
                try realm.write {
                    for text in texts + ["word"] {
                        realm.add(ToolDog(value: ["name": text, "age": random.below(9) - 4]))
                    }
                    for dog in Array(realm.objects(ToolDog.self))
                    where random.chance(20) && dog.name != "word" {
                        realm.delete(dog)
                    }
                }
            }
            try dump(file, "ToolDog", "--fields", "name,age")
            let answer = run("import", csv.path, copy.path, "--class", "ToolDog")
            XCTAssertEqual(answer.code, .success, "round \(round): \(answer.errors)")
            func rows(_ url: URL) -> String {
                run(
                    ["dump", url.path, "--class", "ToolDog", "--fields", "name,age", "--format", "jsonl"],
                    isJSON: true
                ).output
            }
            XCTAssertEqual(rows(copy), rows(file), "round \(round)")
            XCTAssertEqual(run("verify", copy.path).code, .success)
            if testRun?.totalFailureCount != 0 { return }
            for path in [copy.path, copy.path + ".lock", file.path, file.path + ".lock"] {
                try? FileManager.default.removeItem(atPath: path)
            }
        }
    }

    /// Columns that are called like those of a dump.
    func testColumnsThatAreCalledLikeKeys() throws {
        func imported(_ text: String, _ words: String...) throws -> String {
            try Data(text.utf8).write(to: csv)
            let answer = run(["import", csv.path, copy.path, "--class", "Row"] + words)
            XCTAssertEqual(answer.code, .success, answer.errors)
            defer {
                for path in [copy.path, copy.path + ".lock"] {
                    try? FileManager.default.removeItem(atPath: path)
                }
            }
            return run("dump", copy.path, "--class", "Row", "--format", "csv").output
        }
        // The properties 'key' and 'class' of a dump stand behind its own columns.
        XCTAssertEqual(
            try imported("class,key,class,key\nRow,7,a,b\nRow,3,c,d\n"),
            "class,key,class,key\nRow,3,c,d\nRow,7,a,b\n")
        XCTAssertEqual(try imported("key,class\nb,a\n"), "class,key,class,key\nRow,1,a,b\n")
        XCTAssertEqual(
            try imported("class,key,x\n1,2,3\n", "--map", "class=class", "--map", "key=key"),
            "class,key,class,key,x\nRow,1,1,2,3\n")
        XCTAssertEqual(try imported("class,key,x\nRow,5,3\n", "--map", "key="), "class,key,x\nRow,1,3\n")
        try Data("class,key,x\nRow,5,3\nRow,5,4\n".utf8).write(to: csv)
        let twice = run("import", csv.path, copy.path, "--class", "Row")
        XCTAssertTrue(twice.errors.contains("line 3, column 'key': a row before has the key 5"), twice.errors)
    }
}
