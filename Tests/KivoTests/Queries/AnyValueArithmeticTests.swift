import Foundation
import Kivo
import XCTest

/// Arithmetic and patterns with values of any type.
final class AnyValueArithmeticTests: RealmTestCase {
    private func finds() throws -> Results<GroveFind> {
        let realm = try openRealm()
        let values: [AnyRealmValue] = [
            .int(5), .double(2.5), .decimal128(3), .string("acorn"), .none, .bool(true), .float(0.5),
            .int(-1),
        ]
        try realm.write {
            for (id, value) in values.enumerated() {
                realm.create(GroveFind.self, value: ["id": id]).value = value
            }
        }
        return realm.objects(GroveFind.self)
    }

    private func check(_ format: String, _ expected: [Int], line: UInt = #line) throws {
        let finds = try finds()
        XCTAssertEqual(Array(finds.filter(format).map(\.id)), expected, line: line)
        let copies = List<GroveFind>()
        copies.append(objectsIn: finds.map { GroveFind(value: $0) })
        XCTAssertEqual(copies.index(matching: format), expected.first, line: line)
        try openRealm().write { try openRealm().deleteAll() }
    }

    func testNumbersAreComputedByWhatTheyAre() throws {
        try check("value * 2 > 5", [0, 2])
        try check("value * 2 == 5", [1])
        try check("value / 2 == 2", [0])
        try check("value / 2 == 1.5", [2])
        try check("value - weight < 0", [6, 7])
        try check("weight + value >= 4.5", [0, 1, 2])
        try check("-value == 1", [7])
    }

    func testWhatIsNoNumberIsNoValue() throws {
        try check("value + 1 == nil", [3, 4, 5])
        try check("NOT value * 0 == 0", [3, 4, 5])
    }

    func testPatterns() throws {
        try check("value MATCHES 'a.*n'", [3])
        try check("NOT value MATCHES[c] 'ACORN'", [0, 1, 2, 4, 5, 6, 7])
        let finds = try finds()
        XCTAssertEqual(Array(finds.where { $0.value.matches("a.*") }.map(\.id)), [3])
    }

    func testSortDescriptorsInWords() {
        XCTAssertEqual(
            "\(Kivo.SortDescriptor(keyPath: "age", ascending: false))",
            "SortDescriptor(keyPath: age, direction: descending)")
    }
}
