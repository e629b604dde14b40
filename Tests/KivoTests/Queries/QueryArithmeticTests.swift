import Foundation
import Kivo
import XCTest

/// Arithmetic in conditions.
final class QueryArithmeticTests: RealmTestCase {
    private var realm: Realm!

    override func setUpWithError() throws {
        try super.setUpWithError()
        realm = try openRealm()
        try realm.write {
            for index in 0..<8 {
                let tree = realm.create(GroveTree.self, value: ["name": "\(index)", "age": index * 3 - 6])
                tree.limit = index + 4
                tree.maybe = index % 3 == 0 ? nil : index
                tree.ring = Int8(index)
                tree.height = Double(index) / 2
                tree.width = index % 2 == 0 ? nil : Double(index) - 2
                tree.girth = Float(index) / 4
                tree.price = Decimal128(index) / 10
                tree.numbers.append(objectsIn: (0..<index % 4).map { $0 + index })
                if index % 2 == 0 { tree.scores["a"] = index }
                tree.parent = index < 3 ? nil : realm.objects(GroveTree.self)[index - 3]
            }
        }
    }

    override func tearDown() {
        realm = nil
        super.tearDown()
    }

    private func expect(
        _ format: String, _ argument: Any? = nil, line: UInt = #line, like isExpected: (GroveTree) -> Bool
    ) {
        let trees = realm.objects(GroveTree.self)
        let found = argument.map { trees.filter(format, $0) } ?? trees.filter(format)
        XCTAssertEqual(Array(found.map(\.name)), Array(trees).filter(isExpected).map(\.name), line: line)
        XCTAssert((1..<8).contains(found.count), "\(found.count)", line: line)
        // Objects that are in no realm are asked in the same words.
        let copies = List<GroveTree>()
        copies.append(objectsIn: trees.map { GroveTree(value: $0) })
        let first = argument.map { copies.index(matching: format, $0) } ?? copies.index(matching: format)
        XCTAssertEqual(first, Array(trees).firstIndex(where: isExpected), line: line)
    }

    func testOperators() {
        expect("age + 1 > limit") { $0.age + 1 > $0.limit }
        expect("limit - age == 8") { $0.limit - $0.age == 8 }
        expect("age * 2 >= limit") { $0.age * 2 >= $0.limit }
        expect("age / 2 == -1") { $0.age / 2 == -1 }
        expect("12 - age < %@", 5) { 12 - $0.age < 5 }
        expect("-age > 2") { -$0.age > 2 }
        expect("age-limit>-3") { $0.age - $0.limit > -3 }
        expect("2 <= limit / 3") { 2 <= $0.limit / 3 }
    }

    func testPrecedenceAndParentheses() {
        expect("age + limit * 2 > 20") { $0.age + $0.limit * 2 > 20 }
        expect("(age + limit) * 2 > 20") { ($0.age + $0.limit) * 2 > 20 }
        expect("limit - age - 1 > 3") { $0.limit - $0.age - 1 > 3 }
        expect("limit - (age - 1) > 3") { $0.limit - ($0.age - 1) > 3 }
        expect("limit * 10 / 4 == 15") { $0.limit * 10 / 4 == 15 }
        expect("((age) + (3)) > 4 AND (limit > 8)") { $0.age + 3 > 4 && $0.limit > 8 }
        expect("NOT (age + 1) * 2 > 5 OR (limit) == 11") { !(($0.age + 1) * 2 > 5) || $0.limit == 11 }
        expect("((age + 1) * 2 > 5 AND (limit - 1 > 8))") { ($0.age + 1) * 2 > 5 && $0.limit - 1 > 8 }
        expect("age BETWEEN {2 , 8} AND limit - 1 BETWEEN {7, 9}") {
            (2...8).contains($0.age) && (7...9).contains($0.limit - 1)
        }
        expect("age * 2 IN {0, 6, 7}") { [0, 6, 7].contains($0.age * 2) }
        expect("limit == 2 + 3 * 2") { $0.limit == 8 }
    }

    func testTypesOfNumbers() {
        expect("age + height > 4.25") { Double($0.age) + $0.height > 4.25 }
        expect("height * 2 == ring - age / 3 + 5") { $0.height * 2 == Double(Int($0.ring) - $0.age / 3 + 5) }
        expect("age / 2.0 > 1") { Double($0.age) / 2 > 1 }
        expect("ring * 100 > 250") { Int($0.ring) * 100 > 250 }
        expect("girth + 0.5 >= 1.25") { $0.girth + 0.5 >= 1.25 }
        expect("price * 10 == 3") { $0.price * 10 == 3 }
        expect("price + age > 2.5") { $0.price + Decimal128($0.age) > 2.5 }
        expect("price * %@ > 1", Decimal128(2)) { $0.price * 2 > 1 }
    }

    func testThroughLinksAndCollections() {
        expect("age - parent.age == 9 AND parent.limit + 1 > 6") {
            $0.parent != nil && $0.parent!.limit + 1 > 6
        }
        expect("numbers * 2 > 12") { $0.numbers.contains { $0 * 2 > 12 } }
        expect("ALL numbers - age > 0 AND numbers.@count > 0") { tree in
            !tree.numbers.isEmpty && tree.numbers.allSatisfy { $0 - tree.age > 0 }
        }
        expect("NONE numbers + 1 == 6") { !$0.numbers.contains(5) }
        expect("numbers.@sum + numbers.@count * 2 > 10") { $0.numbers.sum() + $0.numbers.count * 2 > 10 }
        let old = realm.objects(GroveTree.self).filter("children.@max.age / 2 > 1")
        XCTAssertEqual(Array(old.map(\.name)), ["1", "2", "3", "4"])
        expect("scores['a'] + 1 > 3") { ($0.scores["a"] ?? 0) + 1 > 3 }
        let format = "SUBQUERY(children, $c, $c.age + 1 > $c.limit - 3).@count * 2 == 2"
        XCTAssertEqual(Array(realm.objects(GroveTree.self).filter(format).map(\.name)), ["1", "2", "3", "4"])
    }

    func testNoValueMakesNoValue() {
        expect("maybe + 1 > 2") { $0.maybe.map { $0 + 1 > 2 } ?? false }
        expect("maybe + 1 == nil") { $0.maybe == nil }
        expect("maybe * 0 != 0") { $0.maybe == nil }
        expect("NOT maybe - 1 < 3") { !($0.maybe.map { $0 - 1 < 3 } ?? false) }
        expect("width + maybe == nil") { $0.width == nil || $0.maybe == nil }
        // Compared with each other, two that have no value are equal.
        expect("width + 1 == maybe - 100") { $0.width == nil && $0.maybe == nil }
        expect("parent.age + 1 == maybe - 100") { $0.parent == nil && $0.maybe == nil }
        // Behind a nil link there is no value, of which there comes none.
        expect("parent.age + 1 != 1") { $0.parent?.age != 0 }
        expect("parent.age + 1 == nil") { $0.parent == nil }
        expect("NOT parent.age + 1 > -100") { $0.parent == nil }
        XCTAssertEqual(realm.objects(GroveTree.self).filter("age + %@ == nil", NSNull()).count, 8)
    }

    func testZeroAndLargeNumbers() throws {
        // An integer by 0 is the largest, or of a negative one the smallest; a fraction by 0 is infinite.
        expect("1 / age == 9223372036854775807") { $0.age == 0 }
        expect("age / 0 > 1000000") { $0.age >= 0 }
        expect("age / 0 < -1000000") { $0.age < 0 }
        expect("height / 0 > 1e300") { $0.height > 0 }
        expect("NOT height / 0 >= 0") { $0.height == 0 }
        expect("%@ + age == 9223372036854775807", Int.max) { $0.age >= 0 }
        expect("-9223372036854775808 + age > -9223372036854775808") { $0.age > 0 }
        expect("age * 9223372036854775807 > 0") { $0.age > 0 }
        XCTAssertEqual(
            realm.objects(GroveTree.self).filter("(age * 0 + %@) / -1 == %@", Int.min, Int.max).count, 8)
    }

    func testTypedQueries() {
        let trees = realm.objects(GroveTree.self)
        func names(_ isIncluded: (Query<GroveTree>) -> Query<Bool>) -> [String] {
            trees.where(isIncluded).map(\.name)
        }
        func like(_ isExpected: (GroveTree) -> Bool) -> [String] {
            Array(trees).filter(isExpected).map(\.name)
        }
        XCTAssertEqual(names { $0.age * 2 + 1 > $0.limit }, like { $0.age * 2 + 1 > $0.limit })
        XCTAssertEqual(names { ($0.limit - $0.age) / 2 == 4 }, like { ($0.limit - $0.age) / 2 == 4 })
        XCTAssertEqual(
            names { 10 - $0.age < 5 && 12 / $0.limit == 2 }, like { 10 - $0.age < 5 && 12 / $0.limit == 2 })
        XCTAssertEqual(names { $0.height * 2 > 5 }, like { $0.height * 2 > 5 })
        XCTAssertEqual(names { 1 + $0.height > 2 * $0.height }, like { 1 + $0.height > 2 * $0.height })
        XCTAssertEqual(names { $0.maybe + 1 > 3 }, like { ($0.maybe ?? 0) + 1 > 3 })
        XCTAssertEqual(names { $0.age - $0.parent.age == 9 }, like { $0.parent != nil })
        XCTAssertEqual(names { return ($0.age * 2).in([0, 6]) }, ["2", "3"])
        XCTAssertEqual(names { ($0.age + 1).contains(1..<8) }, ["2", "3", "4"])
        XCTAssertEqual(
            names { $0.numbers.count * 2 + $0.age > 6 }, like { $0.numbers.count * 2 + $0.age > 6 })
        XCTAssertEqual(
            names { ($0.children.age + 1 > $0.children.limit - 3).count * 2 == 2 }, ["1", "2", "3", "4"])
        XCTAssertEqual(names { $0.price / 2 > 0.1 }, like { $0.price / 2 > 0.1 })
    }

    func testObserversFollowWhatIsComputed() throws {
        let trees = realm.objects(GroveTree.self)
        let found = trees.where { $0.age + $0.parent.limit > 12 }
        let told = Box<[String]>([])
        let token = found.observe { told.value.append(self.text($0) + " \(Array(found.map(\.name)))") }
        realm.refresh()
        XCTAssertEqual(told.value, ["initial [\"5\", \"6\", \"7\"]"])
        told.value = []
        try realm.write { trees[0].limit = 20 }
        realm.refresh()
        XCTAssertEqual(told.value.count, 1)
        XCTAssertEqual(Array(found.map(\.name)), ["3", "5", "6", "7"])
        told.value = []
        try realm.write { trees[7].age = -5 }
        realm.refresh()
        XCTAssertEqual(told.value, ["-[3] +[] ~[] [\"3\", \"5\", \"6\"]"])
        token.invalidate()
    }
}
