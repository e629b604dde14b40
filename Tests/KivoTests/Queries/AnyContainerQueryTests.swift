import Foundation
import Kivo
import XCTest

/// Whole lists and dictionaries in values of any type, compared by their contents.
final class AnyContainerQueryTests: RealmTestCase {
    private var realm: Realm!

    private static var list: AnyRealmValue {
        .fromArray([.int(1), .string("two"), .fromArray([.none])])
    }
    private static var dictionary: AnyRealmValue {
        .fromDictionary([
            "a": .int(1), "b": .fromArray([.string("x"), .fromDictionary(["c": .double(2)])]),
        ])
    }

    override func setUpWithError() throws {
        realm = try openRealm()
        let contents: [AnyRealmValue] = [
            Self.list, Self.dictionary, .fromArray([]), .fromDictionary([:]), .int(1), .none, .string("two"),
            .fromArray([.int(1), .string("two")]),
        ]
        try realm.write {
            for (id, content) in contents.enumerated() {
                let note = realm.create(AnyNote.self, value: ["id": id])
                note.content = content
                note.list.append(objectsIn: [.int(id), content])
                note.map["m"] = content
            }
        }
    }

    override func tearDown() { realm = nil }

    private var notes: Results<AnyNote> { realm.objects(AnyNote.self) }

    private func ids(_ condition: (Query<AnyNote>) -> Query<Bool>) -> [Int] {
        notes.where(condition).map { $0.id }
    }

    private func ids(_ format: String, _ value: Any) -> [Int] { notes.filter(format, value).map(\.id) }

    private func check(
        _ value: AnyRealmValue, _ expected: [Int], file: StaticString = #filePath, line: UInt = #line
    ) {
        let others = (0..<8).filter { !expected.contains($0) }
        XCTAssertEqual(ids { $0.content == value }, expected, "==", file: file, line: line)
        XCTAssertEqual(ids { $0.content != value }, others, "!=", file: file, line: line)
        XCTAssertEqual(ids { !($0.content == value) }, others, "!", file: file, line: line)
        XCTAssertEqual(ids("content == %@", value), expected, "string", file: file, line: line)
        XCTAssertEqual(ids("content != %@", value), others, "string !=", file: file, line: line)
        XCTAssertEqual(ids { $0.content.in([value, .int(-5)]) }, expected, "in", file: file, line: line)
        XCTAssertEqual(ids("content IN %@", [value]), expected, "string in", file: file, line: line)
        XCTAssertEqual(ids { $0.list.contains(value) }, expected, "contains", file: file, line: line)
        XCTAssertEqual(ids("ANY list == %@", value), expected, "ANY", file: file, line: line)
        XCTAssertEqual(ids("NONE list == %@", value), others, "NONE", file: file, line: line)
        XCTAssertEqual(ids("list CONTAINS %@", value), expected, "CONTAINS", file: file, line: line)
        XCTAssertEqual(ids("map['m'] == %@", value), expected, "map", file: file, line: line)
        XCTAssertEqual(ids("ANY map.@allValues == %@", value), expected, "values", file: file, line: line)
        XCTAssertEqual(ids("list[LAST] == %@", value), expected, "position", file: file, line: line)
        let unmanaged = List<AnyNote>()
        unmanaged.append(objectsIn: notes.map { AnyNote(value: $0) })
        XCTAssertEqual(
            unmanaged.index(matching: { $0.content == value }), expected.first, "unmanaged", file: file,
            line: line)
        XCTAssertEqual(
            unmanaged.index(matching: "ANY list == %@", value), expected.first, "unmanaged ANY", file: file,
            line: line)
    }

    func testContentsAreCompared() {
        check(Self.list, [0])
        check(Self.dictionary, [1])
        check(.fromArray([]), [2])
        check(.fromDictionary([:]), [3])
        check(.fromArray([.double(1), .string("two")]), [7])
        check(.fromArray([.string("two"), .int(1)]), [])
        check(.fromArray([.int(1)]), [])
        check(.fromDictionary(["a": .int(1)]), [])
        check(
            .fromDictionary([
                "a": .int(1), "b": .fromArray([.string("x"), .fromDictionary(["d": .double(2)])]),
            ]), [])
    }

    func testAManagedCollectionIsComparedByWhatItHoldsWhenTheConditionIsMade() throws {
        let list = try XCTUnwrap(notes[7].content.listValue)
        let equal = notes.filter("content == %@", list)
        XCTAssertEqual(equal.map(\.id), [7])
        try realm.write { list.append(.bool(true)) }
        XCTAssertEqual(equal.map(\.id), [])
        XCTAssertEqual(notes.filter("content == %@", list).map(\.id), [7])
    }

    func testForms() {
        XCTAssertEqual(ids("content == %@", [1, "two"] as [Any]), [7])
        XCTAssertEqual(ids("content == %@", [String: Any]()), [3])
        XCTAssertEqual(ids("content IN %@", [[1, "two"] as [Any], 1, NSNull()] as [Any]), [4, 5, 7])
        XCTAssertEqual(ids { $0.content.in([Self.list, .none, .string("two")]) }, [0, 5, 6])
        XCTAssertEqual(ids("ALL list IN %@", [7, [1, "two"] as [Any]] as [Any]), [7])
        XCTAssertEqual(ids("content[1] == %@", "two"), [0, 7])
        XCTAssertEqual(ids("content[2] == %@", [NSNull()]), [0])
        XCTAssertEqual(ids("content['b'][1] == %@", ["c": 2]), [1])
    }

    func testObjectsInThemAreTheSameObjects() throws {
        let (held, other) = (AnyTarget(value: ["name": "a"]), AnyTarget(value: ["name": "a"]))
        try realm.write {
            realm.add(other)
            notes[4].content = .fromArray([.object(held)])
        }
        XCTAssertEqual(ids("content == %@", AnyRealmValue.fromArray([.object(held)])), [4])
        XCTAssertEqual(ids("content == %@", AnyRealmValue.fromArray([.object(other)])), [])
        XCTAssertEqual(ids("content == %@", AnyRealmValue.fromArray([.object(AnyTarget())])), [])
        XCTAssertEqual(ids { $0.content.in([.object(AnyTarget()), .fromArray([])]) }, [2])
    }

    func testResultsFollowTheContents() throws {
        let equal = notes.where { $0.content == Self.dictionary }
        let anywhere = notes.filter("ANY list == %@", Self.dictionary)
        var news: [String] = []
        let token = equal.observe { news.append(self.text($0)) }
        realm.refresh()
        XCTAssertEqual([equal.count, anywhere.count], [1, 1])
        let inner = try XCTUnwrap(notes[1].content.dictionaryValue?["b"]?.listValue?[1].dictionaryValue)
        try realm.write { inner["c"] = .int(3) }
        realm.refresh()
        XCTAssertEqual([equal.count, anywhere.count], [0, 1])
        try realm.write {
            inner["c"] = .int(2)
            notes[1].list[1].dictionaryValue?["a"] = .string("1")
        }
        realm.refresh()
        XCTAssertEqual([equal.count, anywhere.count], [1, 0])
        XCTAssertEqual(news, ["initial", "-[0] +[] ~[]", "-[] +[0] ~[]"])
        token.invalidate()
    }

    func testPlainElements() throws {
        let list = notes[7].list
        XCTAssertEqual(list.filter("self == %@", [1, "two"] as Any).count, 1)
        XCTAssertEqual(list.where { $0 != .fromArray([.int(1), .string("two")]) }.map { $0 }, [.int(7)])
        XCTAssertEqual(list.filter("self IN %@", [7, [1, "two"]] as Any).count, 2)
    }

    func testTheOperatorComparesContents() throws {
        let stored = notes.map(\.content)
        XCTAssertEqual(stored[0], Self.list)
        XCTAssertEqual(Self.dictionary, stored[1])
        XCTAssertEqual(stored[1], notes[1].map["m"])
        XCTAssertNotEqual(stored[2], stored[3])
        XCTAssertNotEqual(stored[7], Self.list)
        XCTAssertEqual(notes[0].list.index(of: Self.list), 1)
        XCTAssertEqual(stored[0].hashValue, Self.list.hashValue)
        XCTAssertEqual(Set(stored + [Self.list, Self.dictionary, .fromArray([])]).count, 8)
    }
}
