import Foundation
import Kivo
import TestRandomness
import XCTest

@testable import KivoTool

/// Lines of an export in which JSON of all kinds is put in the place of values: an import refuses them in words and leaves no file, or
/// makes one that is sound.
final class HostileImportTests: ToolTestCase {
    private var copy: URL { folder.appendingPathComponent("copy.kivo") }
    private var second: URL { folder.appendingPathComponent("second.kivo") }
    private var lines: URL { folder.appendingPathComponent("lines.jsonl") }
    private var random = RandomSource()

    /// Objects with values of all types, links, embedded objects and containers in one another.
    private func export() throws -> [String] {
        try makePets()
        try withRealm { realm in
            try realm.write {
                let dog = realm.objects(ToolDog.self)[0]
                let mia = realm.objects(ToolPerson.self)[0]
                mia.places.append(ToolAddress(value: ["street": "Low", "inside": ["street": "door"]]))
                mia.friends.insert(realm.create(ToolPerson.self, value: ["id": 2, "name": "Ada"]))
                let thing = realm.create(ToolThing.self, value: ["key": "all", "int8": -1, "double": 0.5])
                thing.optionalInts.append(objectsIn: [nil, 1])
                thing.optionalStrings.append(objectsIn: ["a", nil])
                thing.doubles.insert(objectsIn: [2.5, .infinity])
                thing.strings.insert(objectsIn: ["b", "a"])
                thing.data = Data([0, 255])
                thing.any = .fromDictionary(["list": .fromArray([.int(1), .none]), "dog": .object(dog)])
                thing.anys.append(objectsIn: [.bool(true), .float(1.5), .double(.nan), .string("x")])
                thing.anySet.insert(objectsIn: [.object(dog), .int(3), .none])
                thing.dates["never"] = .some(nil)
                thing.anyMap["a"] = .fromArray([.string("v")])
            }
        }
        let answer = run("export", file.path)
        XCTAssertEqual(answer.code, .success, answer.errors)
        return answer.output.split(separator: "\n").map(String.init)
    }

    func testValuesOfAllKinds() throws {
        let export = try export()
        var (made, refused) = (0, 0)
        for round in TestEffort.rounds(120, within: 0.45, atLeast: 60) {
            var changed = export
            for _ in 0..<(random.chance(25) ? 2 : 1) {
                let index = random.chance(20) ? 0 : 1 + random.below(export.count - 1)
                changed[index] = random.chance(5) ? damaged(changed[index]) : mutated(changed[index])
            }
            try Data(changed.joined(separator: "\n").utf8).write(to: lines)
            let answer = run("import", lines.path, copy.path)
            let words =
                "round \(round): \(zip(export, changed).filter { $0 != $1 }.map(\.1)): \(answer.errors)"
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            if answer.code == .success {
                made += 1
                try check(words, isOfClasses: changed[0] == export[0])
                try FileManager.default.removeItem(at: copy)
            } else {
                refused += 1
                XCTAssertEqual(answer.code, .problem, words)
                XCTAssert(answer.errors.contains("line ") || answer.errors.contains("object "), words)
                XCTAssertEqual(names.filter { $0.hasPrefix("copy") && !$0.hasSuffix(".lock") }, [], words)
            }
            for path in [copy, second] { try? FileManager.default.removeItem(atPath: path.path + ".lock") }
            if testRun?.totalFailureCount != 0 { return }
        }
        XCTAssertGreaterThan(made, 0)
        XCTAssertGreaterThan(refused, 0)
    }

    /// The file is intact, its export makes the same file again, and a program can read all of it.
    private func check(_ words: String, isOfClasses: Bool) throws {
        let verification = run("verify", copy.path)
        XCTAssertEqual(verification.code, .success, "\(words): \(verification.output) \(verification.errors)")
        let again = run("export", copy.path)
        XCTAssertEqual(again.code, .success, words)
        try Data(again.output.utf8).write(to: lines)
        let answer = run("import", lines.path, second.path)
        XCTAssertEqual(answer.code, .success, "\(words): again: \(answer.errors)")
        if answer.code == .success {
            XCTAssertEqual(run("export", second.path).output, again.output, words)
            try FileManager.default.removeItem(at: second)
        }
        if isOfClasses {
            try withRealm(copy) { realm in
                for thing in realm.objects(ToolThing.self) { XCTAssertFalse("\(thing)".isEmpty) }
                for person in realm.objects(ToolPerson.self) {
                    XCTAssertFalse("\(person)".isEmpty)
                    XCTAssertEqual(realm.object(ofType: ToolPerson.self, forPrimaryKey: person.id), person)
                }
                try realm.write { realm.deleteAll() }
            }
        }
        XCTAssertEqual(run("dump", "--json", copy.path).code, .success, words)
    }

    // MARK: Changing lines

    private func damaged(_ line: String) -> String {
        var bytes = Array(line.utf8)
        let index = random.below(bytes.count)
        if random.chance(50) {
            bytes.removeSubrange(index...)
        } else {
            bytes[index] = UInt8(random.below(128))
        }
        return String(decoding: bytes.filter { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// A line with another value somewhere in it.
    private func mutated(_ line: String) -> String {
        guard let value = JSONValue(Array(line.utf8)) else { return line }
        var place = 1 + random.below(max(count(value) - 1, 1))
        return text(mutated(value, &place))
    }

    private func count(_ value: JSONValue) -> Int {
        switch value {
        case .array(let values): values.reduce(1) { $0 + count($1) }
        case .object(let members): members.reduce(1) { $0 + count($1.value) }
        default: 1
        }
    }

    /// A value in which that at a place, counted from the outside, is another one.
    private func mutated(_ value: JSONValue, _ place: inout Int) -> JSONValue {
        place -= 1
        if place == -1 { return other(value) }
        switch value {
        case .array(let values): return .array(values.map { mutated($0, &place) })
        case .object(let members):
            return .object(members.map { ($0.name, mutated($0.value, &place)) })
        default: return value
        }
    }

    private func other(_ value: JSONValue) -> JSONValue {
        func any() -> JSONValue { JSONValue(Array(random.jsonText().utf8)) ?? .null }
        switch random.below(8) {
        case 0: return .null
        case 1: return .array([value])
        case 2: return .object([("value", value), ("type", .string(types[random.below(types.count)]))])
        case 3:
            if case .array(var values) = value, !values.isEmpty {
                let index = random.below(values.count)
                switch random.below(3) {
                case 0: values.insert(any(), at: index)
                case 1: values.insert(values[index], at: index)
                default: values.remove(at: index)
                }
                return .array(values)
            }
            return any()
        case 4:
            if case .object(var members) = value, !members.isEmpty {
                if random.chance(50) {
                    members.removeFirst()
                } else {
                    members.removeAll { $0.name == "value" }
                    members.append(("value", any()))
                }
                return .object(members)
            }
            return any()
        case 5: return .object([("key", .number("\(random.below(6))"))])
        case 6: return .string(types[random.below(types.count)])
        default: return any()
        }
    }

    private let types = [
        "Int", "String", "Double", "AnyRealmValue", "link", "list", "set", "dictionary", "int", "string",
        "uuid",
        "double", "ToolDog", "ToolAddress", "key", "a", "0123456789abcdef",
    ]

    private func text(_ value: JSONValue) -> String {
        switch value {
        case .null, .bool, .number: return value.text
        case .string(let text):
            return String(decoding: try! JSONEncoder().encode(text), as: UTF8.self)
        case .array(let values): return "[\(values.map { text($0) }.joined(separator: ","))]"
        case .object(let members):
            return "{\(members.map { "\(text(.string($0.name))):\(text($0.value))" }.joined(separator: ","))}"
        }
    }
}
