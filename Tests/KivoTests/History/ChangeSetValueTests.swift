import Foundation
import KivoEngine
import XCTest

@testable import Kivo

/// The values of change sets, for each type of properties.
final class ChangeSetValueTests: RealmTestCase {
    func testEveryScalarTypeReturnsItsValuesFromChangeSets() throws {
        let realm = try openRealm()
        let before = realm.version
        let object = try realm.write { realm.create(AllTypes.self) }
        let decoded = try ChangeSet(decoding: realm.changes(since: before).encoded())
        let change = try XCTUnwrap(decoded.of(AllTypes.self).first)
        for property in AllTypes.sharedSchema()!.properties
        where !property.isArray && property.type != .object {
            let value = try XCTUnwrap(change.change.new(property.name), property.name)
            if property.name == "any" { continue }
            XCTAssertNotEqual(value, .null, property.name)
            XCTAssertEqual(
                "\(try XCTUnwrap(object[property.name]))", ChangeSetValueTests.text(value), property.name)
        }
    }

    /// The text of a value in the program's type.
    private static func text(_ value: ChangeSet.Value) -> String {
        switch value {
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .float(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let value): value
        case .data(let value): "\(value)"
        case .date(let value): "\(value)"
        case .decimal128(let value): "\(value)"
        case .objectId(let value): "\(value)"
        case .uuid(let value): "\(value)"
        default: "?"
        }
    }

    func testValuesAreEqualIfTheyAreStoredAlike() {
        let values: [ChangeSet.Value] = [
            .null, .bool(false), .bool(true), .int(0), .float(0), .float(-0.0), .float(.nan), .double(0),
            .double(-0.0), .double(.nan), .string("é"), .string("e\u{301}"), .data(Data([0])), .list([]),
            .list([.null]), .set([]), .set([.int(1)]), .embedded([:]), .embedded(["a": .null]),
            .dictionary([]), .dictionary([.init(key: "é", value: .null)]),
            .dictionary([.init(key: "e\u{301}", value: .null)]), .date(Date(timeIntervalSince1970: 0)),
        ]
        for (i, a) in values.enumerated() {
            for (j, b) in values.enumerated() { XCTAssertEqual(a == b, i == j, "\(a) \(b)") }
        }
        XCTAssertEqual(Set(values).count, values.count)
        XCTAssertEqual(Set(values.map(\.rank)).count, 12)
    }

    func testADictionaryKeepsKeysThatAreEqualAsStrings() throws {
        let realm = try openRealm()
        try realm.write { realm.create(HistoryDog.self, value: ["id": 1]) }
        let before = realm.version
        try realm.write {
            let scores = realm.objects(HistoryDog.self)[0].scores
            scores["é"] = 1
            scores["e\u{301}"] = 2
        }
        let entries = try XCTUnwrap(
            realm.changes(since: before).of(HistoryDog.self).first?.edits(\.scores)?.entries)
        XCTAssertEqual(entries.map { Array($0.key.utf8) }, [Array("e\u{301}".utf8), Array("é".utf8)])
        XCTAssertEqual(entries.map(\.new), [.double(2), .double(1)])
    }

    func testRestrictions() throws {
        let realm = try openRealm()
        try realm.write {
            realm.create(HistoryDog.self, value: ["id": 1])
            realm.create(HistoryPerson.self, value: ["name": "Eva"])
        }
        let before = realm.version
        try realm.write {
            realm.objects(HistoryDog.self)[0].name = "Rex"
            realm.objects(HistoryDog.self)[0].age = 1
            realm.objects(HistoryPerson.self)[0].name = "Ada"
        }
        let changes = try realm.changes(since: before)
        XCTAssertEqual(changes.restricted(to: [HistoryPerson.self]).classNames, ["HistoryPerson"])
        XCTAssertEqual(changes.restricted(to: [\HistoryDog.age]).all.map(\.keyPaths), [["age"]])
        XCTAssertTrue(changes.restricted(to: [\HistoryDog.home]).isEmpty)
        XCTAssertEqual(changes.filter { $0.old("name") == .string("Eva") }.count, 1)
        XCTAssertEqual(changes.count, 2)
    }

    func testCompositionsOfDifferentRestrictionsCanBeEncoded() throws {
        let realm = try openRealm()
        try realm.write { realm.create(HistoryDog.self, value: ["id": 1, "name": "a", "age": 1]) }
        let start = realm.version
        try realm.write { realm.deleteAll() }
        let middle = realm.version
        try realm.write { realm.create(HistoryDog.self, value: ["id": 1, "name": "b", "age": 2]) }
        let deleted = try XCTUnwrap(realm.at(middle)).changes(since: start)
        let inserted = try realm.changes(since: middle).restricted(to: [\HistoryDog.name])
        let composed = deleted.followed(by: inserted)
        XCTAssertEqual(composed.all.map(\.keyPaths), [["name"]])
        XCTAssertEqual(try ChangeSet(decoding: composed.encoded()), composed)
    }

    func testEncodedChangeSetsOfOtherVersionsAndOtherBytesAreRefused() throws {
        let bytes = Array(ChangeSet().encoded())
        var later = bytes
        later[3] = 2
        for (bytes, message) in [
            ([], "not an encoded"), ([1, 2, 3, 4, 5], "not an encoded"), (later, "later version"),
            (Array(bytes.dropLast()), "checksum"), (Array(bytes.prefix(4)), "checksum"),
        ] {
            XCTAssertThrowsError(try ChangeSet(decoding: Data(bytes))) {
                XCTAssertTrue("\($0)".contains(message), "\($0)")
            }
        }
    }
}
