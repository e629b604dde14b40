import Foundation
import Kivo
import XCTest

/// Conditions on keys and values of maps.
final class MapKeyQueryTests: RealmTestCase {
    private func groves() throws -> Results<Grove> {
        let realm = try openRealm()
        try realm.write {
            for id in 0..<4 {
                let grove = realm.create(Grove.self, value: ["id": id])
                for (place, key) in ["a", "b", "c"][..<id].enumerated() {
                    grove.counts[key] = id * 2 + place
                    grove.notes[key] = .some(place == 1 ? nil : "note \(id)")
                    let tree = realm.create(
                        GroveTree.self, value: ["name": "\(id)\(key)", "age": id + place])
                    if id > 1 { tree.parent = realm.objects(GroveTree.self)[0] }
                    grove.treesByName[key] = .some(place == 2 ? nil : tree)
                }
            }
        }
        return realm.objects(Grove.self)
    }

    private func ids(_ groves: Results<Grove>) -> [Int] { groves.map(\.id) }

    func testKeys() throws {
        let groves = try groves()
        for format in [
            "ANY counts.@keys == 'b'", "counts.@allKeys == 'b'", "'b' IN counts.@keys",
            "counts.@keys CONTAINS 'b'",
        ] {
            XCTAssertEqual(ids(groves.filter(format)), [2, 3], format)
        }
        XCTAssertEqual(ids(groves.filter("NONE counts.@keys == 'b'")), [0, 1])
        XCTAssertEqual(ids(groves.filter("ALL counts.@keys < 'c'")), [0, 1, 2])
        XCTAssertEqual(ids(groves.filter("ANY counts.@keys IN {'c', 'd'}")), [3])
        XCTAssertEqual(ids(groves.filter("counts.@keys LIKE '?' AND counts.@keys BEGINSWITH[c] 'C'")), [3])
        XCTAssertEqual(ids(groves.filter("counts.@keys.@count == 2")), [2])
        XCTAssertEqual(ids(groves.where { $0.counts.keys == "b" }), [2, 3])
        XCTAssertEqual(ids(groves.where { !($0.counts.keys == "b") }), [0, 1])
        XCTAssertEqual(ids(groves.where { $0.counts.keys.in(["c", "d"]) }), [3])
        XCTAssertEqual(ids(groves.where { $0.counts.keys.starts(with: "C", options: .caseInsensitive) }), [3])
    }

    func testValues() throws {
        let groves = try groves()
        for format in ["ANY counts.@values > 5", "counts.@allValues > 5", "counts > 5", "ANY counts > 5"] {
            XCTAssertEqual(ids(groves.filter(format)), [3], format)
        }
        XCTAssertEqual(ids(groves.filter("ANY counts.@values * 2 == 10")), [2])
        XCTAssertEqual(ids(groves.filter("ALL counts.@values < 6")), [0, 1, 2])
        XCTAssertEqual(ids(groves.filter("notes.@values == nil")), [2, 3])
        XCTAssertEqual(ids(groves.filter("notes.@values ENDSWITH '1'")), [1])
        XCTAssertEqual(ids(groves.filter("counts.@values.@sum > 8")), [2, 3])
        XCTAssertEqual(ids(groves.filter("counts.@max == 5")), [2])
        XCTAssertEqual(ids(groves.where { $0.counts.values > 5 }), [3])
        XCTAssertEqual(ids(groves.where { $0.notes.values == nil }), [2, 3])
        XCTAssertEqual(ids(groves.where { $0.counts.contains(2) }), [1])
        XCTAssertEqual(ids(groves.where { $0.counts.containsAny(in: [4, 6]) }), [2, 3])
    }

    func testEntries() throws {
        let groves = try groves()
        XCTAssertEqual(ids(groves.filter("counts['b'] > 5")), [3])
        XCTAssertEqual(ids(groves.filter("counts[%@] - 1 == 4", "b")), [2])
        XCTAssertEqual(ids(groves.filter("counts['b'] == nil")), [0, 1])
        XCTAssertEqual(ids(groves.filter("notes['b'] == nil AND notes['a'] != nil")), [1, 2, 3])
        XCTAssertEqual(ids(groves.filter("counts['b'] > counts['a'] + 0")), [2, 3])
        XCTAssertEqual(ids(groves.where { $0.counts["b"] > 5 }), [3])
        XCTAssertEqual(ids(groves.where { $0.counts["b"] - 1 == 4 }), [2])
        XCTAssertEqual(
            ids(groves.where { $0.notes["a"].starts(with: "note") && $0.notes["b"] == nil }), [1, 2, 3])
    }

    func testKeyPathsIntoObjects() throws {
        let groves = try groves()
        XCTAssertEqual(ids(groves.filter("treesByName['a'].age > 1")), [2, 3])
        XCTAssertEqual(ids(groves.filter("treesByName['b'].parent.name == '1a'")), [2, 3])
        XCTAssertEqual(ids(groves.filter("ANY treesByName.age == 4")), [3])
        XCTAssertEqual(ids(groves.filter("ANY treesByName.@values.age == 4")), [3])
        XCTAssertEqual(ids(groves.filter("treesByName['c'] == nil AND treesByName.@count > 2")), [3])
        XCTAssertEqual(ids(groves.filter("SUBQUERY(treesByName, $t, $t.age > 1).@count == 2")), [2, 3])
        XCTAssertEqual(ids(groves.where { $0.treesByName["a"].age > 1 }), [2, 3])
        XCTAssertEqual(ids(groves.where { $0.treesByName["b"].parent.name == "1a" }), [2, 3])
        XCTAssertEqual(ids(groves.where { $0.treesByName.values.age == 4 }), [3])
    }
}
