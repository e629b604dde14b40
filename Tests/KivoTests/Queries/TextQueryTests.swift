import Foundation
import Kivo
import XCTest

/// A class with a property of each type that is compared as text.
final class TextNote: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var text = ""
    @Persisted var optText: String?
    @Persisted var data = Data()
    @Persisted var pattern = Data()
    @Persisted var optData: Data?
    @Persisted var any: AnyRealmValue
    @Persisted var other: AnyRealmValue
    @Persisted var mood = Mood.calm
    @Persisted var texts: List<String>
    @Persisted var datas: List<Data>
    @Persisted var map: Map<String, String>
    @Persisted var link: TextNote?
}

/// Comparisons of strings with an empty text, and of data.
final class TextQueryTests: RealmTestCase {
    private func notes(_ values: [[String: Any]]) throws -> Results<TextNote> {
        let realm = try openRealm()
        try realm.write {
            for (id, value) in values.enumerated() {
                realm.create(TextNote.self, value: value.merging(["id": id]) { $1 })
            }
        }
        return realm.objects(TextNote.self)
    }

    /// Checks which objects a condition finds, among managed and unmanaged ones.
    private func check(
        _ notes: Results<TextNote>, _ format: String, _ arguments: Any..., finds expected: [Int],
        line: UInt = #line
    ) {
        let condition = QueryCondition(format, arguments: arguments)
        XCTAssertEqual(notes.filter(condition).map(\.id).sorted(), expected, format, line: line)
        XCTAssertEqual(notes.filter(condition).count, expected.count, format, line: line)
        let unmanaged = notes.map { TextNote(value: $0) }
        XCTAssertEqual(
            unmanaged.filter { condition.holds(for: $0) }.map(\.id).sorted(), expected, format, line: line)
    }

    // MARK: Nothing contains an empty text

    func testAnEmptyTextIsNowhere() throws {
        let link = TextNote(value: ["id": 9, "text": "b"] as [String: Any])
        let notes = try notes([
            [:],
            [
                "text": "a", "optText": "a", "data": Data([1]), "optData": Data([1]), "any": "a",
                "texts": ["", "a"],
                "datas": [Data()], "map": ["": ""], "link": link,
            ],
            ["text": "a longer text than fits", "any": Data([1]), "optText": ""],
        ])
        for sign in ["CONTAINS", "BEGINSWITH", "ENDSWITH"] {
            for options in ["", "[c]", "[d]", "[cd]"] {
                for name in [
                    "text", "optText", "any", "mood", "link.text", "ANY texts", "ANY map.@keys", "map['']",
                ] {
                    check(notes, "\(name) \(sign)\(options) ''", finds: [])
                    check(notes, "NOT \(name) \(sign)\(options) %@", "", finds: [0, 1, 2, 9])
                }
                for name in ["data", "optData", "any", "ANY datas"] {
                    check(notes, "\(name) \(sign)\(options) %@", Data(), finds: [])
                }
                check(notes, "ALL texts \(sign)\(options) ''", finds: [0, 2, 9])
                check(notes, "text \(sign)\(options) optText", finds: [1])
            }
        }
        check(notes, "text LIKE ''", finds: [0])
        check(notes, "text LIKE '*'", finds: [0, 1, 2, 9])
        check(notes, "text ==[c] ''", finds: [0])
        check(notes, "text MATCHES ''", finds: [0])
        // A list contains an empty text if it is an element.
        check(notes, "'' IN texts", finds: [1])
        XCTAssertEqual(notes.where { $0.texts.contains("") }.map(\.id), [1])
    }

    func testAnEmptyTextIsNowhereInTypedQueries() throws {
        let notes = try notes([["text": "a", "optText": "a", "data": Data([1]), "any": "a"], [:]])
        XCTAssertEqual(notes.where { $0.text.contains("") }.count, 0)
        XCTAssertEqual(notes.where { $0.text.starts(with: "", options: .caseInsensitive) }.count, 0)
        XCTAssertEqual(notes.where { $0.optText.ends(with: "", options: .diacriticInsensitive) }.count, 0)
        XCTAssertEqual(notes.where { $0.data.contains(Data()) }.count, 0)
        XCTAssertEqual(notes.where { $0.any.contains(.string("")) }.count, 0)
        XCTAssertEqual(notes.where { $0.mood.contains("") }.count, 0)
        XCTAssertEqual(notes.where { !$0.text.contains("") }.count, 2)
        XCTAssertEqual(notes.where { $0.text.contains($0.optText) }.map(\.id), [0])
        XCTAssertEqual(notes.where { $0.optText.contains($0.text) }.map(\.id), [0])
    }

    func testLikeNilIsNil() throws {
        let notes = try notes([["optText": "a", "optData": Data(), "any": 1], ["map": ["a": "x"]]])
        for options in ["", "[c]", "[d]"] {
            for name in ["optText", "optData", "any"] {
                check(notes, "\(name) LIKE\(options) nil", finds: [1])
                check(notes, "NOT \(name) LIKE\(options) nil", finds: [0])
            }
            check(notes, "map['a'] LIKE\(options) nil", finds: [0])
            check(notes, "ANY map.@values LIKE\(options) nil", finds: [])
        }
        check(notes, "optText LIKE link.optText", finds: [1])
        for sign in ["CONTAINS", "BEGINSWITH", "ENDSWITH"] { check(notes, "optText \(sign) nil", finds: []) }
        XCTAssertEqual(notes.where { $0.optText.like(nil) }.map(\.id), [1])
    }

    // MARK: Data

    private func bytes(_ text: String) -> Data { Data(text.utf8) }

    func testDataIsLikeAPattern() throws {
        let words = ["ab", "aé", "a*", "", "b", "a\u{0}b"].map(bytes)
        let notes = try notes(
            words.map { ["data": $0, "any": $0, "datas": [$0], "pattern": bytes("a*")] } + [
                ["data": Data([97, 255, 254])]
            ])
        for (pattern, found) in [
            ("*", [0, 1, 2, 3, 4, 5, 6]), ("a*", [0, 1, 2, 5, 6]), ("a?", [0, 1, 2]), ("?b", [0]),
            ("a\\*", [2]), ("", [3]),
            ("*b", [0, 4, 5]), ("é", []), ("a??", [5, 6]), ("A*", []),
        ] {
            check(notes, "data LIKE %@", bytes(pattern), finds: found)
            check(notes, "any LIKE %@", bytes(pattern), finds: found.filter { $0 != 6 })
            check(notes, "ANY datas LIKE %@", bytes(pattern), finds: found.filter { $0 != 6 })
        }
        check(notes, "data LIKE pattern", finds: [0, 1, 2, 5, 3].filter { $0 != 3 })
        check(notes, "any LIKE pattern", finds: [0, 1, 2, 5])
        check(notes, "any LIKE 'a*'", finds: [])
        XCTAssertEqual(notes.index(matching: "data LIKE pattern"), 0)
    }

    func testDataIsComparedWithOptionsAsUTF8() throws {
        let words = ["ab", "AB", "äb", "ÄB", "b"]
        let invalid = Data([0x41, 0x42, 0xFF])
        let notes = try notes(words.map { ["data": bytes($0), "any": bytes($0)] } + [["data": invalid]])
        for (sign, text, found) in [
            ("==[c]", "Ab", [0, 1]), ("==[c]", "äB", [2, 3]), ("==[d]", "äb", [0, 2]),
            ("==[cd]", "AB", [0, 1, 2, 3]),
            ("CONTAINS[c]", "A", [0, 1, 5]), ("BEGINSWITH[cd]", "ä", [0, 1, 2, 3, 5]),
            ("ENDSWITH[c]", "B", [0, 1, 2, 3, 4]),
            ("LIKE[c]", "?B", [0, 1, 2, 3]), ("LIKE[cd]", "A*", [0, 1, 2, 3, 5]), ("<[c]", "B", [0, 1, 5]),
            ("CONTAINS", "A", [1, 5]), ("==", "AB", [1]),
        ] {
            check(notes, "data \(sign) %@", bytes(text), finds: found)
            if sign.first != "<" {
                check(notes, "any \(sign) %@", bytes(text), finds: found.filter { $0 != 5 })
            }
        }
        check(notes, "data IN[c] %@", [bytes("Ab"), bytes("B")], finds: [0, 1, 4])
        check(notes, "data !=[c] %@", bytes("Ab"), finds: [2, 3, 4, 5])
        check(notes, "data ==[c] %@", invalid, finds: [5])
        XCTAssertEqual(
            notes.where { $0.data.equals(self.bytes("Ab"), options: .caseInsensitive) }.map(\.id), [0, 1])
        XCTAssertEqual(notes.where { $0.data.contains($0.pattern, options: .caseInsensitive) }.count, 0)
    }

    func testTwoPropertiesOfDataAreComparedWithOptions() throws {
        let notes = try notes([
            ["data": bytes("AB"), "pattern": bytes("b"), "any": bytes("b"), "other": bytes("AB")],
            ["data": bytes("AB"), "pattern": bytes("B"), "any": "b", "other": "AB"],
        ])
        check(notes, "data CONTAINS pattern", finds: [1])
        check(notes, "data CONTAINS[c] pattern", finds: [0, 1])
        check(notes, "data ENDSWITH[c] any", finds: [0])
        check(notes, "other ENDSWITH[c] any", finds: [0, 1])
        check(notes, "data ==[c] other", finds: [0])
    }
}

#if compiler(>=6.2)
import Testing

/// Text and data are not compared with each other.
struct TextQueryTrapTests {
    @Test func aStringWithData() async throws {
        let columns = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try TextQueryTrapTests.filter("text LIKE data")
        }
        try check(columns, says: ["String and Data cannot be compared by LIKE"])
        let withOptions = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try TextQueryTrapTests.filter("text ==[c] data")
        }
        try check(withOptions, says: ["String and Data cannot be compared by =="])
        let constant = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try TextQueryTrapTests.filter("text CONTAINS %@", Data([1, 2]))
        }
        try check(
            constant,
            says: [
                "CONTAINS compares strings or data", "was given String and",
                "a value of type 'Data' with 2 bytes",
            ])
    }

    /// A refusal says what the value is, and does not print all that is in it.
    @Test func anObject() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try TextQueryTrapTests.filter("id == %@", TextNote(value: ["text": "secret"]))
        }
        try check(result, says: ["An object of class 'TextNote' cannot be compared with Int."])
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(!text.contains("secret"))
    }

    static func filter(_ format: String, _ arguments: Any...) throws {
        let realm = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "texts"))
        _ = realm.objects(TextNote.self).filter(QueryCondition(format, arguments: arguments))
    }
}
#endif
