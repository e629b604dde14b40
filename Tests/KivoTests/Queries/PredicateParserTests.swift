import Foundation
import TestRandomness
import XCTest

@testable import Kivo

final class PredicateParserTests: XCTestCase {
    private func comparison(_ format: String, _ arguments: Any?...) throws -> QueryComparison {
        guard case .comparison(let comparison) = try PredicateParser.parse(format, arguments) else {
            throw CocoaError(.featureUnsupported)
        }
        return comparison
    }

    func testAndBindsTighterThanOr() {
        check("a == 1 OR b == 2 AND c == 3", means: "(a == 1 OR (b == 2 AND c == 3))")
        check("a == 1 AND b == 2 OR c == 3", means: "((a == 1 AND b == 2) OR c == 3)")
        check("(a == 1 OR b == 2) AND c == 3", means: "((a == 1 OR b == 2) AND c == 3)")
        check("a == 1 && b == 2 || c == 3", means: "((a == 1 AND b == 2) OR c == 3)")
    }

    func testNotBindsTighterThanAnd() {
        check("NOT a == 1 AND b == 2", means: "(NOT a == 1 AND b == 2)")
        check("NOT (a == 1 AND b == 2)", means: "NOT (a == 1 AND b == 2)")
        check("!a == 1", means: "NOT a == 1")
        check("NOT(a == 1)", means: "NOT a == 1")
        check("!!a == 1", means: "a == 1")
        check("NOT NOT NOT a == 1", means: "NOT a == 1")
        check("NOT (NOT (a == 1))", means: "a == 1")
        check("a == 1 &&!b == 2", means: "(a == 1 AND NOT b == 2)")
    }

    func testConstantsAreConditions() {
        check("TRUEPREDICATE", means: "TRUEPREDICATE")
        check("FalsePredicate or a = 1", means: "(FALSEPREDICATE OR a == 1)")
    }

    func testKeywordsHaveNoCase() {
        check("a == 1 and b == 2 Or not c == 3", means: "((a == 1 AND b == 2) OR NOT c == 3)")
        check("name beginswith 'a'", means: "name BEGINSWITH 'a'")
        check("none a.b == Yes", means: "NONE a.b == true")
        check("a in {1}", means: "a IN {1}")
        check("a between {1, 2}", means: "a BETWEEN {1, 2}")
    }

    func testWhitespaceIsFree() {
        check("\n a==1\tAND(b>2)  ", means: "(a == 1 AND b > 2)")
        check("ANY a . b[ 'c' ] == 1", means: "a.b['c'] == 1")
        check("a\r\n==\r\n1", means: "a == 1")
    }

    func testEveryComparisonOperator() {
        for (written, expected) in [
            "=": "==", "==": "==", "!=": "!=", "<>": "!=", "<": "<", "<=": "<=", "=<": "<=", ">": ">",
            ">=": ">=",
            "=>": ">=", "BEGINSWITH": "BEGINSWITH", "ENDSWITH": "ENDSWITH", "CONTAINS": "CONTAINS",
            "LIKE": "LIKE",
        ] {
            check("a \(written) 'x'", means: "a \(expected) 'x'")
        }
    }

    func testOperatorsTurnAroundWithTheConstantOnTheLeft() {
        for (written, turned) in [
            "==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<=",
        ] {
            check("5 \(written) age", means: "age \(turned) 5")
            check("%@ \(written)[c] age", 5, means: "age \(turned)[c] 5")
            check(
                "2 \(written) SUBQUERY(a, $x, $x.b == 1).@count",
                means: "SUBQUERY(a, $x, $x.b == 1).@count \(turned) 2")
        }
        check("ALL 5 < dogs.age", means: "ALL dogs.age > 5")
    }

    func testTwoPropertiesAreCompared() {
        check("age > minimumAge", means: "age > minimumAge")
        check("a.b BEGINSWITH[c] c", means: "a.b BEGINSWITH[c] c")
        check("a IN b.c", means: "a IN b.c")
    }

    func testStringOptions() {
        check("a ==[c] 'x'", means: "a ==[c] 'x'")
        check("a != [d] 'x'", means: "a !=[d] 'x'")
        check("a <[cd] 'x'", means: "a <[cd] 'x'")
        check("a LIKE[dc] 'x'", means: "a LIKE[cd] 'x'")
        check("a CONTAINS [ C ] 'x'", means: "a CONTAINS[c] 'x'")
        check("a IN[c] {'x'}", means: "a IN[c] {'x'}")
    }

    func testNamePlaceholders() {
        check("%K == %@", "age", 5, means: "age == 5")
        check("%K == 5", "owner.age", means: "owner.age == 5")
        check("%K == 5", "dogs.@max.age", means: "dogs.@max.age == 5")
        check("owner.%K.%K == 5", "a.b", "c", means: "owner.a.b.c == 5")
        check("%K.@count == 5", "dogs", means: "dogs.@count == 5")
        check("%K['x'] == 5", "map", means: "map['x'] == 5")
        check("%K == 5", "in", means: "#in == 5")
        check("%K == 5", "SELF", means: "SELF == 5")
        check("%K == 5", "self.age", means: "age == 5")
        check("owner.%K == 5", "self", means: "owner.self == 5")
        check(
            "SUBQUERY(%K, $x, $x.%K > 5).@count > 0", "a", "b", means: "SUBQUERY(a, $x, $x.b > 5).@count > 0")
    }

    func testNumberedArguments() {
        check("a == $0 AND b == $1 AND c == $0", 1, "x", means: "(a == 1 AND b == 'x' AND c == 1)")
        check("$0 < a", 5, means: "a > 5")
        check("SUBQUERY(a, $0, $0.b == $1).@count > 0", 1, 2, means: "SUBQUERY(a, $x, $x.b == 2).@count > 0")
    }

    func testKeyPaths() throws {
        check("a.b.c == 1", means: "a.b.c == 1")
        check("SELF.age == 1", means: "age == 1")
        check("self.age == 1", means: "age == 1")
        check("a.#in.like.ANY == 1", means: "a.in.like.ANY == 1")
        check("#any == 1", means: "#any == 1")
        check("_näme2.犬.🐶 == 1", means: "_näme2.犬.🐶 == 1")
        guard case .path(let path) = try comparison("#in.b == 1").left else { return XCTFail() }
        XCTAssertEqual(path.components, [.property("in"), .property("b")])
        XCTAssertNil(path.aggregate)
    }

    func testQuotedNames() throws {
        for predicate in ["a.#'Order No.'.c == 1", #"a.#"Order No.".c == 1"#] {
            guard case .path(let path) = try comparison(predicate).left else { return XCTFail() }
            XCTAssertEqual(path.components, [.property("a"), .property("Order No."), .property("c")])
        }
        guard case .path(let path) = try comparison(#"1 == #'it\'s'.@count"#).left else { return XCTFail() }
        XCTAssertEqual(path.components, [.property("it's")])
    }

    func testTheObjectItself() {
        check("SELF == %@", 1, means: "SELF == 1")
        check("%@ == self", 1, means: "SELF == 1")
        check("SELF IN %@", [1], means: "SELF IN {1}")
        check("ANY SELF > 3", means: "SELF > 3")
    }

    func testAggregates() throws {
        check("dogs.@count > 1", means: "dogs.@count > 1")
        check("dogs.@size > 1", means: "dogs.@count > 1")
        for function in ["max", "min", "sum", "avg"] {
            check("dogs.@\(function).age > 1", means: "dogs.@\(function).age > 1")
            check("a.numbers.@\(function) > 1", means: "a.numbers.@\(function) > 1")
        }
        check("1 < dogs.@max.toy.price", means: "dogs.@max.toy.price > 1")
        check("@count > 1", means: "SELF.@count > 1")
        guard case .path(let path) = try comparison("dogs.@avg.toy.price > 1").left else { return XCTFail() }
        XCTAssertEqual(path.components, [.property("dogs")])
        XCTAssertEqual(path.aggregate?.function, .average)
        XCTAssertEqual(path.aggregate?.components, [.property("toy"), .property("price")])
    }

    func testMaps() throws {
        for spelling in ["@keys", "@allKeys"] {
            check("ANY map.\(spelling) == 'a'", means: "map.@keys == 'a'")
        }
        for spelling in ["@values", "@allValues"] { check("map.\(spelling) == 1", means: "map.@values == 1") }
        check("map.@values.@max > 1", means: "map.@values.@max > 1")
        check("map.@keys.@count > 1", means: "map.@keys.@count > 1")
        check("map['key'] == 1", means: "map['key'] == 1")
        check(#"map["a.b"].age == 1"#, means: "map['a.b'].age == 1")
        check("map[%@] == %@", "k", 1, means: "map['k'] == 1")
        check("map[$0] == 1", "k", means: "map['k'] == 1")
        check("1 == map['a']['b']", means: "map['a']['b'] == 1")
        guard case .path(let path) = try comparison("map['k'].@keys == 1").left else { return XCTFail() }
        XCTAssertEqual(path.components, [.property("map"), .key("k"), .keys])
    }

    func testQuantifiers() throws {
        XCTAssertEqual(try comparison("a.b == 1").quantifier, .any)
        XCTAssertEqual(try comparison("ANY a.b == 1").quantifier, .any)
        XCTAssertEqual(try comparison("SOME a.b == 1").quantifier, .any)
        XCTAssertEqual(try comparison("ALL a.b == 1").quantifier, .all)
        XCTAssertEqual(try comparison("NONE a.b == 1").quantifier, QueryComparison.Quantifier.none)
        check("NOT ALL a.b IN {1} AND NONE c > 2", means: "(NOT ALL a.b IN {1} AND NONE c > 2)")
    }

    func testMembershipInACollection() throws {
        check("%@ IN list", 5, means: "5 IN list")
        check("'x' IN[c] a.tags", means: "'x' IN[c] a.tags")
        check("nil IN list", means: "nil IN list")
        check("tags CONTAINS %@", "x", means: "tags CONTAINS 'x'")
        check("NONE 5 IN a.numbers", means: "NONE 5 IN a.numbers")
        let comparison = try comparison("5 IN list")
        guard case .value(let value) = comparison.left, case .path = comparison.right else {
            return XCTFail()
        }
        XCTAssertEqual(value as? Int, 5)
    }

    func testSubqueries() throws {
        check(
            "SUBQUERY(items, $x, $x.price > 5 AND $x.name == 'a').@count > 2",
            means: "SUBQUERY(items, $x, ($x.price > 5 AND $x.name == 'a')).@count > 2")
        check("subquery(a.b, $it, $it == 5).@size == 0", means: "SUBQUERY(a.b, $x, $x == 5).@count == 0")
        check(
            "SUBQUERY(a, $x, TRUEPREDICATE).@count < SUBQUERY(b, $x, ANY $x.c == 1).@count",
            means: "SUBQUERY(a, $x, TRUEPREDICATE).@count < SUBQUERY(b, $x, $x.c == 1).@count")
        guard
            case .subquery(let path, .comparison(let inner)) = try comparison(
                "SUBQUERY(items, $x, $x.price > 5).@count == 1"
            ).left, case .path(let price) = inner.left
        else { return XCTFail() }
        XCTAssertEqual(path.components, [.property("items")])
        XCTAssertEqual(price.components, [.property("price")])
    }

    func testNestedSubqueries() {
        check(
            "SUBQUERY(a, $p, SUBQUERY($p.b, $q, $q.c > 1 && $q > 2).@count > 0 OR $p.e == 3).@count > 1",
            means:
                "SUBQUERY(a, $x, (SUBQUERY($x.b, $y, ($y.c > 1 AND $y > 2)).@count > 0 OR $x.e == 3)).@count > 1"
        )
        check(
            "SUBQUERY(a, $p, SUBQUERY($p.b, $p, $p.c == 1).@count > 0).@count > 1",
            means: "SUBQUERY(a, $x, SUBQUERY($x.b, $y, $y.c == 1).@count > 0).@count > 1")
    }

    func testPathsWithoutTheVariableOfASubqueryBeginAtItsElement() {
        check(
            "SUBQUERY(a, $p, b == 1 AND $p.c == 2).@count > 0",
            means: "SUBQUERY(a, $x, ($x.b == 1 AND $x.c == 2)).@count > 0")
        check(
            "SUBQUERY(a, $p, SUBQUERY(b, $q, c > 1 AND $q > 2).@count > 0 OR ANY e == 3).@count > 1",
            means:
                "SUBQUERY(a, $x, (SUBQUERY($x.b, $y, ($y.c > 1 AND $y > 2)).@count > 0 OR $x.e == 3)).@count > 1"
        )
        check("SUBQUERY(a, $p, %K == 1).@count > 0", "b.c", means: "SUBQUERY(a, $x, $x.b.c == 1).@count > 0")
    }

    func testParenthesesCloseWhereTheyOpen() {
        check("(a == 1 AND b == 2) AND c == 3", means: "(a == 1 AND b == 2 AND c == 3)")
        check("a == 1 AND (b == 2 AND (c == 3))", means: "(a == 1 AND b == 2 AND c == 3)")
        check("(a == 1 OR b == 2) OR (c == 3 OR d == 4)", means: "(a == 1 OR b == 2 OR c == 3 OR d == 4)")
        check("a == 1 AND (b == 2 OR c == 3)", means: "(a == 1 AND (b == 2 OR c == 3))")
        check("a == 1 OR (b == 2 AND c == 3) OR d == 4", means: "(a == 1 OR (b == 2 AND c == 3) OR d == 4)")
        check("a == 1 AND (b == 2 OR c == 3) OR d == 4", means: "((a == 1 AND (b == 2 OR c == 3)) OR d == 4)")
        check(
            "(a == 1 OR b == 2) AND (c == 3 OR d == 4)", means: "((a == 1 OR b == 2) AND (c == 3 OR d == 4))")
        check(
            "NOT (a == 1 OR b == 2) AND NOT ((c == 3 AND d == 4))",
            means: "(NOT (a == 1 OR b == 2) AND NOT (c == 3 AND d == 4))")
        check("((a + 1)) * (2 - (-b)) == ((3))", means: "((a + 1) * (2 - (0 - b))) == 3")
        check("1 - a - b * c - d == 0", means: "(((1 - a) - (b * c)) - d) == 0")
        check(
            "SUBQUERY((a), $x, (($x.b == 1))).@count == (1)", means: "SUBQUERY(a, $x, $x.b == 1).@count == 1")
    }

    private func height(_ node: QueryNode) -> Int {
        switch node {
        case .and(let a, let b), .or(let a, let b): 1 + max(height(a), height(b))
        case .not(let a): 1 + height(a)
        case .constant, .comparison: 0
        }
    }

    /// Programs that combine conditions write `((a) OR b) OR c`, or `a OR (b OR (c))`.
    func testThousandsOfParentheses() throws {
        let count = TestEffort.size(4_000, full: 20_000)
        let (open, close) = (String(repeating: "(", count: count), String(repeating: ")", count: count))
        check(open + "a == 1" + close, means: "a == 1")
        check(String(repeating: "NOT ", count: count) + "a == 1", means: "a == 1")
        check(
            String(repeating: "NOT (", count: count) + "a == 1" + close, means: "a == 1")
        check(open + "a" + close + " == " + open + "1" + close, means: "a == 1")
        let left = open + "a == 0" + (1...count).map { ") OR a == \($0)" }.joined()
        let right = (1...count).map { "a == \($0) OR (" }.joined() + "a == 0" + close
        for format in [left, right] {
            XCTAssertEqual(
                height(try PredicateParser.parse(format, [])), Int(log2(Double(count + 1)).rounded(.up)))
        }
    }

    func testALongChainIsALowTree() throws {
        let numbers = (0..<5000).map { "a == \($0)" }
        let expected = "(" + numbers.joined(separator: " OR ") + ")"
        let node = try PredicateParser.parse(numbers.joined(separator: " OR "), [])
        XCTAssertEqual(node.text, expected)
        XCTAssertEqual(height(node), 13)
    }
}
