import Foundation
import XCTest

@testable import Kivo

private final class TextLeaf: Object {
    @Persisted var size = 0
    @Persisted var isGreen = false
}

private final class TextTree: Object {
    @Persisted var name = ""
    @Persisted var label: String?
    @Persisted var isTall = false
    @Persisted var age = 0
    @Persisted var extra: AnyRealmValue
    @Persisted var best: TextLeaf?
    @Persisted var leaves: List<TextLeaf>
    @Persisted var rings: List<Int>
    @Persisted var heights: Map<String, Double>
}

/// A type-safe condition as a predicate string, which means the same.
final class QueryTextTests: RealmTestCase {
    private var trees: Results<TextTree>!

    override func setUp() {
        super.setUp()
        do {
            let realm = try openRealm()
            try realm.write {
                for number in 0..<6 {
                    let tree = realm.create(
                        TextTree.self,
                        value: [
                            "name": "Tree \(number)", "label": number == 2 ? NSNull() : "l\(number)",
                            "isTall": number > 3, "age": number * 10,
                            "extra": number == 1 ? ["a": [number, "x"]] : number,
                        ] as [String: Any])
                    for size in 0..<number { tree.leaves.append(TextLeaf(value: [size, size > 1])) }
                    tree.best = tree.leaves.last
                    tree.rings.append(objectsIn: 0..<number)
                    tree.heights["top"] = Double(number)
                    if number > 4 { tree.heights["base"] = 0.5 }
                }
            }
            trees = realm.objects(TextTree.self)
        } catch { XCTFail("\(error)") }
    }

    override func tearDown() {
        trees = nil
        super.tearDown()
    }

    private func expect(
        _ text: String, _ arguments: [AnyHashable] = [], line: UInt = #line,
        _ condition: (Query<TextTree>) -> Query<Bool>
    ) {
        let (written, values) = condition(Query<TextTree>._constructForTesting())._constructPredicate()
        XCTAssertEqual(written, text, line: line)
        XCTAssertEqual(values.map { "\($0)" }, arguments.map { "\($0.base)" }, line: line)
        let typed = Array(trees.where(condition).map(\.name))
        let parsed = Array(trees.filtered(QueryNode.parsing(written, values)).map(\.name))
        XCTAssertEqual(parsed, typed, line: line)
    }

    func testComparisons() {
        expect("(age == %@)", [20]) { $0.age == 20 }
        expect("(label != %@)", [NSNull()]) { $0.label != nil }
        expect("(name BEGINSWITH[cd] %@)", ["tree"]) {
            $0.name.starts(with: "tree", options: [.caseInsensitive, .diacriticInsensitive])
        }
        expect("(NOT name LIKE[c] %@)", ["*1"]) { !$0.name.like("*1", caseInsensitive: true) }
        expect("(age BETWEEN {%@, %@})", [10, 30]) { $0.age.contains(10...30) }
        expect("((age >= %@) && (age < %@))", [10, 30]) { $0.age.contains(10..<30) }
        expect("(age IN %@)", [[10, 30]]) { $0.age.in([10, 30]) }
        expect("(name CONTAINS label)") { $0.name.contains($0.label) }
        expect("((age + %@) > %@)", [1, 30]) { $0.age + 1 > 30 }
    }

    func testConnectives() {
        expect("isTall == true") { $0.isTall }
        expect("isTall == false") { !$0.isTall }
        expect("(isTall == %@)", [true]) { $0.isTall == true }
        expect("(isTall == true && (age > %@))", [40]) { $0.isTall && $0.age > 40 }
        expect("NOT ((age > %@) || isTall == false)", [20]) { !($0.age > 20 || !$0.isTall) }
    }

    func testCollections() {
        expect("(ANY rings == %@)", [2]) { $0.rings == 2 }
        expect("(%@ IN rings)", [2]) { $0.rings.contains(2) }
        expect("(NOT %@ IN rings)", [2]) { !$0.rings.contains(2) }
        expect("(ANY rings IN %@)", [[1, 9]]) { $0.rings.containsAny(in: [1, 9]) }
        expect("((rings.@min >= %@) && (rings.@max <= %@))", [0, 2]) { $0.rings.contains(0...2) }
        expect("(rings.@count > %@)", [3]) { $0.rings.count > 3 }
        expect("(leaves.@max.size > %@)", [1]) { $0.leaves.size.max > 1 }
        expect("(ANY leaves.size > %@)", [1]) { $0.leaves.size > 1 }
        expect("(best.size == %@)", [1]) { $0.best.size == 1 }
        expect(
            "(SUBQUERY(leaves, $col1, (($col1.size > %@) && $col1.isGreen == true)).@count == %@)", [0, 1]
        ) {
            ($0.leaves.size > 0 && $0.leaves.isGreen).count == 1
        }
    }

    func testMapsAndValuesOfAnyType() {
        expect("(heights[%@] == %@)", ["top", 3.0]) { $0.heights["top"] == 3 }
        expect("(ANY heights.@allValues > %@)", [3.0]) { $0.heights.values > 3 }
        expect("(ANY heights.@allKeys == %@)", ["base"]) { $0.heights.keys == "base" }
        expect("(%@ IN heights)", [0.5]) { $0.heights.contains(0.5) }
        expect("(extra[%@][%@] == %@)", ["a", 1, AnyRealmValue.string("x")]) {
            $0.extra["a"][1] == .string("x")
        }
        expect("(extra[%@][*] == %@)", ["a", AnyRealmValue.int(1)]) { $0.extra["a"].any == .int(1) }
    }

    func testSubqueriesOfCollectionsOfOneName() throws {
        let realm = try openRealm()
        try realm.write {
            let room = MappedRoom(value: ["label": "a", "rooms": [["label": "x"]]])
            realm.create(MappedRoom.self, value: ["label": "top", "rooms": [room, ["label": "b"]]])
        }
        func count(_ inner: String) -> Int {
            realm.objects(MappedRoom.self).where {
                ($0.rooms.label == "a" && ($0.rooms.label == inner).count > 0).count > 0
            }.count
        }
        XCTAssertEqual(count("x"), 1, "the rooms of the room 'a'")
        XCTAssertEqual(count("b"), 0, "no rooms of the room 'a'")
        let condition: (Query<MappedRoom>) -> Query<Bool> = {
            ($0.rooms.label == "a" && ($0.rooms.label == "x").count > 0).count > 0
        }
        XCTAssertEqual(
            condition(._constructForTesting())._constructPredicate().0,
            """
            (SUBQUERY(rooms, $col1, (($col1.label == %@) && (SUBQUERY(rooms, $col2, ($col2.label == %@)).@count > %@)))\
            .@count > %@)
            """)
    }

    func testAPropertyComparedWithAnElementsIsThatOfTheElement() throws {
        let realm = try openRealm()
        try realm.write {
            let inner = ["label": "b", "rooms": [["label": "c"]]] as [String: Any]
            realm.create(MappedRoom.self, value: ["label": "a", "rooms": [inner]])
        }
        func labels(_ isIncluded: (Query<MappedRoom>) -> Query<Bool>) -> [String] {
            realm.objects(MappedRoom.self).where(isIncluded).map(\.label).sorted()
        }
        // No room has the label of a room in it; but each has its own.
        XCTAssertEqual(labels { ($0.rooms.label == $0.label).count == 0 }, ["c"])
        XCTAssertEqual(labels { ($0.label == $0.rooms.label).count == 1 }, ["a", "b"])
        let condition: (Query<MappedRoom>) -> Query<Bool> = { ($0.rooms.label == $0.label).count == 0 }
        XCTAssertEqual(
            condition(._constructForTesting())._constructPredicate().0,
            "(SUBQUERY(rooms, $col1, ($col1.label == label)).@count == %@)")
    }

    func testValuesOfMapsAreTheMapsByThemselves() {
        let condition: (Query<TextTree>) -> Query<Bool> = { $0.heights.containsAny(in: [1.5, 2]) }
        XCTAssertEqual(condition(._constructForTesting())._constructPredicate().0, "(ANY heights IN %@)")
        XCTAssertEqual(trees.where { $0.heights.containsAny(in: [0.5, 1]) }.count, 2)
    }
}
