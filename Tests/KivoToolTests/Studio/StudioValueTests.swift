#if canImport(Glibc) || canImport(Musl) || canImport(Darwin)
import Foundation
import Kivo
import XCTest

@testable import KivoTool

/// Values that the page knows in part, and files that change under it: no edit overwrites what nobody has seen.
final class StudioValueTests: StudioTestCase {
    override func setUpWithError() throws {
        try super.setUpWithError()
        try withRealm { realm in try realm.write { realm.add(ToolThing(value: ["key": "a"])) } }
    }

    private func change(_ body: (ToolThing) throws -> Void) throws {
        try withRealm { realm in try realm.write { try body(realm.objects(ToolThing.self)[0]) } }
    }

    private func edit(_ property: String, _ change: [String: Any], _ details: [String: Any] = [:]) throws
        -> HTTPAnswer
    {
        let edit: [String: Any] = ["kind": "set", "class": "ToolThing", "key": 1, "property": property]
            .merging(change) { $1 }
        return try request("/api/edit", post: ["edits": [edit]].merging(details) { $1 })
    }

    private func exact(_ property: String) throws -> [String: Any] {
        try get("/api/value", ["class": "ToolThing", "key": "1", "property": property])
    }

    /// The value as a row of a table has it.
    private func shown(_ property: String) throws -> Any {
        let (events, view) = try open("ToolThing")
        defer { events.connection.end() }
        let properties = try XCTUnwrap(
            (try get("/api/file")["classes"] as? [[String: Any]])?
                .first { $0["name"] as? String == "ToolThing" }?["properties"] as? [[String: Any]])
        let index = try XCTUnwrap(properties.firstIndex { $0["name"] as? String == property })
        return try rows(view)[0][index + 1]
    }

    func testALongValueIsComparedToItsEnd() throws {
        let (text, bytes) = (
            String(repeating: "long ", count: 20_000), Data((0..<1000).map { UInt8($0 & 255) })
        )
        try change { ($0.string, $0.data, $0.any) = (text, bytes, .string(text)) }
        try serve(isWritable: true)
        for property in ["string", "data", "any"] {
            let (was, hash) = (try shown(property), try XCTUnwrap(try exact(property)["hash"] as? String))
            let new: [String: Any] =
                property == "any"
                ? ["text": "new", "type": "string"] : ["text": property == "data" ? "00ff" : "new"]
            try change { thing in
                switch property {
                case "string": thing.string += "!"
                case "data": thing.data[999] = 1
                default: thing.any = .string(text + "!")
                }
            }
            XCTAssertEqual(try edit(property, new.merging(["was": was]) { $1 }).status, 409, property)
            let refused = try edit(property, new.merging(["hash": hash]) { $1 })
            XCTAssertEqual(refused.status, 409, property)
            // On purpose.
            let theirs = try XCTUnwrap(refused.json["theirHash"] as? String)
            XCTAssertEqual(theirs, try exact(property)["hash"] as? String)
            XCTAssertEqual(try edit(property, new.merging(["was": try shown(property)]) { $1 }).status, 200)
            XCTAssertEqual(try request("/api/undo", post: [String: Int]()).status, 200)
            XCTAssertEqual(try edit(property, new.merging(["hash": theirs]) { $1 }).status, 200)
        }
        try withRealm { realm in
            let thing = realm.objects(ToolThing.self)[0]
            XCTAssertEqual(thing.string, "new")
            XCTAssertEqual(thing.data, Data([0, 255]))
            XCTAssertEqual(thing.any, .string("new"))
        }
    }

    func testTheFirstElementsSayNothingOfTheOthers() throws {
        try change { thing in
            thing.ints.append(objectsIn: 0..<20)
            thing.any = .fromArray((0..<20).map { .int($0) })
        }
        try serve(isWritable: true)
        for property in ["ints", "any"] {
            let was = try shown(property)
            let new: [String: Any] = property == "any" ? ["text": "5", "type": "int"] : ["value": [1]]
            XCTAssertEqual(try edit(property, new.merging(["was": was]) { $1 }).status, 409, property)
            let hash = try XCTUnwrap(try exact(property)["hash"] as? String)
            XCTAssertEqual(try edit(property, new.merging(["hash": hash]) { $1 }).status, 200, property)
        }
    }

    /// Elements of any type come back as they were read.
    func testCollectionsOfAnyElementsAreEditedExactly() throws {
        let nested: AnyRealmValue = .fromDictionary([
            "a": .fromArray([.data(Data(count: 300)), .none]), "b": .double(-0.0),
        ])
        try change { thing in
            thing.anys.append(objectsIn: [
                nested, .string(String(repeating: "x", count: 100_000)), .int(1 << 60),
            ])
            thing.anyMap["k"] = nested
            thing.dates["d"] = Date(timeIntervalSinceReferenceDate: 0.123456789)
            thing.doubles.insert(1e-7)
        }
        let before = try contents()
        try serve(isWritable: true)
        for property in ["anys", "anyMap", "dates", "doubles"] {
            let value = try exact(property)
            let lines = try XCTUnwrap(value["lines"] as? [String])
            let body = """
                {"edits":[{"kind":"set","class":"ToolThing","key":1,"property":"\(property)","hash":"\(value["hash"]!)",\
                "value":[\(lines.joined(separator: ","))]}]}
                """
            let answer = try request("/api/edit", post: Data(body.utf8))
            XCTAssertEqual(answer.status, 200, answer.text)
        }
        XCTAssertEqual(try contents(), before)
    }

    private func contents() throws -> String { run("export", file.path).output }

    func testAValueThatIsTooLargeToEditIsReplaced() throws {
        try change { $0.string = String(repeating: "x", count: 2 << 20) }
        try serve(isWritable: true)
        let known = try exact("string")
        XCTAssertNil(known["value"])
        XCTAssertEqual(known["size"] as? Int, 2 << 20 + 2)
        XCTAssertEqual(try edit("string", ["text": "s", "hash": known["hash"]!]).status, 200)
    }

    /// A character with very many combining marks is cut, too.
    func testCutsCountBytes() throws {
        try change { $0.string = "e" + String(repeating: "\u{301}", count: 100_000) }
        try serve()
        let cut = try XCTUnwrap(try shown("string") as? [String: Any])
        XCTAssertLessThanOrEqual(try XCTUnwrap(cut["cut"] as? String).utf8.count, 800)
        XCTAssertEqual("äöü".cut(to: 2), "äö")
        XCTAssertEqual("".cut(to: 2), "")
        XCTAssertEqual("👨‍👩‍👧‍👦b".cut(to: 20), "👨‍👩‍👧‍👦b")
    }

    // MARK: Files that change

    private func migrate() throws {
        let configuration = Realm.Configuration(
            fileURL: file, schemaVersion: 1,
            migrationBlock: { migration, _ in
                migration.renameProperty(onType: "ToolThing", from: "string", to: "text")
            },
            objectTypes: [RenamedThing.self])
        try withExtendedLifetime(Realm(configuration: configuration)) {}
    }

    func testAnEditOfAMigratedClassIsRefused() throws {
        try serve(isWritable: true)
        let generation = try XCTUnwrap(try get("/api/file")["generation"] as? Int)
        XCTAssertEqual(
            try edit("string", ["text": "a", "was": ""], ["generation": generation]).status, 200)
        try migrate()
        let refused = try edit("string", ["text": "b", "was": "a"], ["generation": generation])
        XCTAssertEqual(refused.status, 409)
        XCTAssertEqual(refused.json["isOutdated"] as? Bool, true)
        let now = try XCTUnwrap(try get("/api/file")["generation"] as? Int)
        XCTAssertNotEqual(now, generation)
        // What was done before the migration is not undone: its properties have other columns.
        XCTAssertEqual(try request("/api/undo", post: [String: Int]()).json["isUndone"] as? Bool, false)
        let answer = try edit("text", ["text": "b", "was": "a"], ["generation": now])
        XCTAssertEqual(answer.status, 200, answer.text)
    }

    /// A compacted file has the same objects under the same keys.
    func testACompactedFileKeepsTheUndo() throws {
        try serve(isWritable: true)
        let generation = try XCTUnwrap(try get("/api/file")["generation"] as? Int)
        XCTAssertEqual(try edit("string", ["text": "a", "was": ""], ["generation": generation]).status, 200)
        let before = try Data(contentsOf: file)[16..<24]
        XCTAssertEqual(run("compact", file.path).errors, "")
        XCTAssertNotEqual(try Data(contentsOf: file)[16..<24], before)
        XCTAssertEqual(try edit("int8", ["text": "4", "was": 0], ["generation": generation]).status, 200)
        XCTAssertEqual(try request("/api/undo", post: [String: Int]()).json["isUndone"] as? Bool, true)
        XCTAssertEqual(try request("/api/undo", post: [String: Int]()).json["isUndone"] as? Bool, true)
        try withRealm { XCTAssertEqual($0.objects(ToolThing.self)[0].string, "") }
    }

    func testAnEditMakesNoFile() throws {
        try serve(isWritable: true)
        let (events, _) = try open("ToolThing")
        defer { events.connection.end() }
        try FileManager.default.removeItem(at: file)
        XCTAssertEqual(try edit("string", ["text": "a", "was": ""]).status, 410)
        XCTAssertFalse(FileManager.default.fileExists(atPath: file.path))
        while try events.next("file")["isGone"] as? Bool != true {}
        // Also after an edit, when the file is open.
        try withRealm { realm in try realm.write { realm.add(ToolThing(value: ["key": "b"])) } }
        while try events.next("reset").isEmpty == false {}
        XCTAssertEqual(try edit("string", ["text": "a", "was": ""]).status, 200)
        try FileManager.default.removeItem(at: file)
        XCTAssertEqual(try edit("string", ["text": "b", "was": "a"]).status, 410)
        XCTAssertFalse(FileManager.default.fileExists(atPath: file.path))
    }

    func testEachTabUndoesItsOwnEdits() throws {
        try serve(isWritable: true)
        XCTAssertEqual(
            try edit("int8", ["text": "1", "was": 0], ["tab": "one"]).json["undoCount"] as? Int, 1)
        XCTAssertEqual(
            try edit("int16", ["text": "2", "was": 0], ["tab": "two"]).json["undoCount"] as? Int, 1)
        let undone = try request("/api/undo", post: ["tab": "one"])
        XCTAssertEqual(undone.json["isUndone"] as? Bool, true)
        XCTAssertEqual(undone.json["undoCount"] as? Int, 0)
        try withRealm { realm in
            XCTAssertEqual(realm.objects(ToolThing.self)[0].int8, 0)
            XCTAssertEqual(realm.objects(ToolThing.self)[0].int16, 2)
        }
        XCTAssertEqual(try request("/api/undo", post: ["tab": "one"]).json["isUndone"] as? Bool, false)
    }

    func testTheReasonWhyATableDoesNotOpenIsSaid() throws {
        try serve()
        var streams: [EventReader] = []
        defer { for stream in streams { stream.connection.end() } }
        for _ in 0..<64 { streams.append(try open("ToolThing").events) }
        let answer = try request("/api/live?class=ToolThing")
        XCTAssertEqual(answer.status, 503)
        XCTAssertTrue(answer.text.contains("close some tabs"), answer.text)
        XCTAssertEqual(try request("/api/check?class=ToolThing").status, 200)
    }
}

/// A class that a later version of a program has.
class RenamedThing: Object {
    override class func _realmObjectName() -> String? { "ToolThing" }
    @Persisted(primaryKey: true) var key: String
    @Persisted var int8: Int8 = 0
    @Persisted var text = ""
}
#endif
