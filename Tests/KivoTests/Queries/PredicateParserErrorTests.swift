import Foundation
import XCTest

@testable import Kivo

final class PredicateParserErrorTests: XCTestCase {
    /// Checks where a predicate is refused, and that the reason has certain words in it.
    private func check(
        _ format: String, _ arguments: Any?..., failsAt position: Int, _ words: String..., line: UInt = #line
    ) {
        do {
            let node = try PredicateParser.parse(format, arguments)
            XCTFail("It means \(node.text)", line: line)
        } catch {
            XCTAssertEqual(error.position, position, "\(error)", line: line)
            for word in words { XCTAssertTrue("\(error)".contains(word), "\(error)", line: line) }
        }
    }

    func testTheDescriptionShowsThePlace() {
        XCTAssertThrowsError(try PredicateParser.parse("age > ", [])) { error in
            XCTAssertEqual(
                "\(error)",
                """
                Expected a value or a property after '>' at position 6, found the end:
                    age >\u{20}
                          ^
                """)
        }
        XCTAssertThrowsError(try PredicateParser.parse("a == 1\nAND\nb ~ 2", [])) { error in
            XCTAssertEqual(
                "\(error)",
                """
                Unknown character '~', at position 13:
                    a == 1 AND b ~ 2
                                 ^
                """)
        }
    }

    func testTheDescriptionOfALongFormatShowsTheSurroundings() {
        let format = Array(repeating: "a == 1", count: 100).joined(separator: " OR ") + " ?"
        let padded = format + String(repeating: " ", count: 500)
        XCTAssertThrowsError(try PredicateParser.parse(padded, [])) { error in
            let lines = "\(error)".split(separator: "\n")
            XCTAssertEqual(lines.count, 3)
            XCTAssertTrue(lines[1].hasPrefix("    ...") && lines[1].hasSuffix("..."), "\(error)")
            XCTAssertEqual(lines[1].dropFirst(lines[2].count - 1).first, "?", "\(error)")
        }
    }

    func testExpectedAndFoundAreGiven() {
        XCTAssertThrowsError(try PredicateParser.parse("a == )", [])) { error in
            let error = error as! PredicateSyntaxError
            XCTAssertEqual(error.expected, "a value or a property after '=='")
            XCTAssertEqual(error.found, "')'")
        }
        XCTAssertThrowsError(try PredicateParser.parse("a MATCHES b", [])) { error in
            let error = error as! PredicateSyntaxError
            XCTAssertNil(error.expected)
            XCTAssertNil(error.found)
        }
    }

    func testPositionsCountCharacters() {
        check("👨‍👩‍👧‍👦 == 'e\u{301}' é", failsAt: 9, "found 'é'")
        check("a ==\r\n?", failsAt: 5, "'?'")
    }

    func testMissingParts() {
        check("", failsAt: 0, "Expected a value or a property at", "found the end")
        check("   ", failsAt: 3, "found the end")
        check("age", failsAt: 3, "an operator after 'age'", "found the end")
        check("age 5", failsAt: 4, "an operator", "'5'")
        check("age AND b == 1", failsAt: 4, "an operator", "'AND'")
        check("== 5", failsAt: 0, "a value or a property", "'=='")
        check("a == 1 AND", failsAt: 10, "after 'AND'", "found the end")
        check("a == 1 OR OR b == 1", failsAt: 10, "found 'OR'", "'#OR'")
        check("NOT", failsAt: 3, "after 'NOT'")
        check("a == 1 b == 2", failsAt: 7, "AND, OR or the end after '1'", "found 'b'")
        check("a == 1 2", failsAt: 7, "found '2'")
        check("a === 1", failsAt: 4, "after '=='", "found '='")
    }

    func testParentheses() {
        check("(a == 1", failsAt: 7, "')'", "found the end")
        check("a == 1)", failsAt: 6, "found ')'")
        check("()", failsAt: 1, "found ')'")
        check("((a) == 1", failsAt: 9, "')'", "found the end")
        check("a == (1", failsAt: 7, "an operator, or ')'")
    }

    func testDeepNesting() {
        let count = 10_000
        check(String(repeating: "(", count: count) + "a == 1", failsAt: count + 6, "')'", "the end")
        check(String(repeating: "NOT ", count: count), failsAt: 4 * count, "a value", "the end")
        let alternating = String(repeating: "a == 1 OR (b == 2 AND (", count: count)
        check(
            alternating + "c == 3" + String(repeating: ")", count: 2 * count),
            failsAt: alternating.utf8.count + 6 + PredicateParser.maximumHeight + 3, "nested too deeply")
        check(
            "0 < a" + String(repeating: " + a", count: count),
            failsAt: 4 * (PredicateParser.maximumHeight + 3), "nested too deeply")
        check(String(repeating: "SUBQUERY(", count: 10_000), failsAt: 9, "SUBQUERY needs a collection")
        check(String(repeating: "SUBQUERY((", count: 10_000), failsAt: 10, "SUBQUERY needs a collection")
        check("a IN " + String(repeating: "{", count: 10_000), failsAt: 6, "a value")
        let subqueries = "SUBQUERY(a, $x, " + String(repeating: "SUBQUERY($x.a, $x, ", count: 10_000)
        check(subqueries, failsAt: 16 + 15 * 19 + 15, "nested too deeply")
    }

    func testKeywordsAreNoProperties() {
        check("in == 1", failsAt: 0, "'#in'")
        check("a == like", failsAt: 5, "'#like'")
        check("ANY ANY a == 1", failsAt: 4, "'ANY'")
        check("a == NOT (b == 1)", failsAt: 5, "'NOT'")
        check("ANY (a == 1)", failsAt: 7, "found '=='")
        check("ALL TRUEPREDICATE", failsAt: 4, "'TRUEPREDICATE'")
        check("# == 1", failsAt: 1, "a name after '#'")
        check("#'a == 1", failsAt: 1, "does not end")
        check("# 'a' == 1", failsAt: 1, "a name after '#'")
        check("#5 == 1", failsAt: 1, "a name after '#'", "'5'")
    }

    func testOperators() {
        check("a STARTSWITH 'x'", failsAt: 2, "Unknown operator 'STARTSWITH'")
        check("a NOT IN {1}", failsAt: 2, "before the whole comparison")
        check("a & b", failsAt: 2, "Unknown operator '&'")
        check("a == 1 | b == 1", failsAt: 7, "Unknown operator '|'")
    }

    func testArithmetic() {
        check("a + 1", failsAt: 5, "an operator", "the end")
        check("a + == 1", failsAt: 4, "a value or a property after '+'", "'=='")
        check("a * 'x' == 1", failsAt: 4, "'*' takes numbers", "String")
        check("%@ - a == 1", "x", failsAt: 0, "'-' takes numbers", "String")
        check("a == {1} + 2", failsAt: 5, "'+' takes numbers")
        check("a == -'x'", failsAt: 6, "'-' takes numbers")
        check("(a + 1 > 2", failsAt: 10, "')'", "the end")
        check("(a + 1 == 2) * 3 == 4", failsAt: 7, "')'", "'=='")
        check("1 + 2 == 3", failsAt: 0, "two constants")
        check("a + 1 IN 5 * b", failsAt: 9, "IN needs")
        check("a BETWEEN b + 1", failsAt: 10, "BETWEEN needs")
        check("a % 2 == 1", failsAt: 2, "Unknown placeholder")
        check("+a == 1", failsAt: 0, "a value or a property", "'+'")
    }

    func testPatterns() {
        check("a MATCHES 'x('", failsAt: 10, "'x(' is no regular expression", "expected ')'")
        check("a == 1 AND b MATCHES[c] %@", "[", failsAt: 24, "'[' is no regular expression")
        check("a MATCHES b", failsAt: 10, "a pattern, not a property")
        check("a MATCHES %@", 5, failsAt: 10, "a String, not a value of type Int")
        check("a MATCHES nil", failsAt: 10, "a String, not nil")
        check("'x' MATCHES 'x'", failsAt: 0, "MATCHES needs a property on its left")
    }

    func testShapes() {
        check("a GEOWITHIN 5", failsAt: 12, "a shape")
        check("a GEOWITHIN geoSquare([1, 2], [3, 4])", failsAt: 12, "geoBox, geoCircle or geoPolygon")
        check(
            "a GEOWITHIN %@", 5, failsAt: 12, "a GeoBox, a GeoCircle or a GeoPolygon, not a value of type Int"
        )
        check("a GEOWITHIN geoBox([1, 2])", failsAt: 25, "','", "')'")
        check("a GEOWITHIN geoBox([1, 91], [2, 3])", failsAt: 19, "a latitude from -90 to 90", "91")
        check("a GEOWITHIN geoCircle([1, 2], 'x')", failsAt: 30, "A coordinate is a number")
        check("a GEOWITHIN geoCircle([1, 2], -1)", failsAt: 12, "not negative")
        check("a GEOWITHIN geoPolygon({[0, 0], [1, 0], [0, 0]})", failsAt: 12, "at least four points")
        check("a GEOWITHIN geoPolygon({[0, 0], [1, 0], [1, 1], [0, 1]})", failsAt: 12, "the same")
        check("%@ GEOWITHIN geoBox([1, 2], [3, 4])", 5, failsAt: 0, "GEOWITHIN needs a property")
    }

    func testStringOptions() {
        check("a ==[n] 'x'", failsAt: 5, "[n] is not supported", "[c]")
        check("a LIKE[cl] 'x'", failsAt: 7, "[l] is not supported")
        check("a ==[] 'x'", failsAt: 5, "c, d or cd", "found ']'")
        check("a ==[c 'x'", failsAt: 7, "']'")
    }

    func testUnknownCharacters() {
        check("a == ?", failsAt: 5, "Unknown character '?'")
        check("a == 1; b", failsAt: 6, "Unknown character ';'")
        check("name == “x”", failsAt: 8, "Unknown character '“'")
        check("a ^ 1", failsAt: 2, "'^'")
    }

    func testStrings() {
        check("a == 'x", failsAt: 5, "does not end")
        check("a == \"x'", failsAt: 5, "does not end")
        check(#"a == 'x\'"#, failsAt: 5, "does not end")
        check(#"a == 'x\"#, failsAt: 5, "does not end")
        check(#"a == 'x\*'"#, failsAt: 7, #"Unknown escape '\*'"#)
        check(#"a == '\u12'"#, failsAt: 6, "four hexadecimal digits")
        check(#"a == '\uD83D'"#, failsAt: 6, "half of a character")
        check(#"a == '\uDE00'"#, failsAt: 6, "half of a character")
        check(#"a == '\uD83Dx'"#, failsAt: 6, "half of a character")
        check(#"a == '\uD83D\u0041'"#, failsAt: 6, "no character")
    }

    func testNumbers() {
        check("a == 5x", failsAt: 5, "'5x' is not a number")
        check("a == 0x", failsAt: 5, "not a number")
        check("a == 0xfg", failsAt: 5, "'0xfg' is not a number")
        check("a == 1e", failsAt: 5, "not a number")
        check("a == 1.5e+", failsAt: 5, "not a number")
        check("a == 1.5f", failsAt: 5, "'1.5f' is not a number")
        check("a == 9223372036854775808", failsAt: 5, "too large for an integer")
        check("a == 1e999", failsAt: 5, "too large for a number")
        check("a == 1.2.3", failsAt: 8, "AND, OR or the end")
        check("a == 1.", failsAt: 6, "found '.'")
    }

    func testIds() {
        check("a == uuid(5)", failsAt: 5, "'5' is not a UUID")
        check("a == oid(507f)", failsAt: 5, "not an ObjectId")
        for text in [
            "2023-02-29", "2024-13-01", "2024-1-1", "2024-01-01T24:00", "5", "", "2024-01-01T01:00+24:00",
        ] {
            check("a == date(\(text))", failsAt: 5, "'\(text)' is not a date")
        }
        for text in ["0", "0g", "+1"] { check("a == data(\(text))", failsAt: 5, "is not data") }
        check("a == decimal(1x)", failsAt: 5, "'1x' is not a decimal number")
        check("a == oid(507f1f77bcf86cd799439011", failsAt: 33, "Expected ')'", "found the end")
    }

    func testFunctions() {
        check("FUNCTION(a) == 1", failsAt: 0, "Unknown function 'FUNCTION'")
        check("a == now()", failsAt: 5, "Unknown function 'now'")
        check("a > 1 SORT(name ASC)", failsAt: 6, "sorted(by:)")
        check("a > 1 distinct(name)", failsAt: 6, "distinct(by:)")
        check("TRUEPREDICATE LIMIT(5)", failsAt: 14, "sorted(by:)", "distinct(by:)", "first(_:)")
        check("SORT(name ASC)", failsAt: 0, "sorted(by:)")
    }

    func testTwoConstants() {
        check("1 == 1", failsAt: 0, "two constants", "must be a property")
        check("a == 1 AND %@ < 'x'", 1, failsAt: 11, "two constants")
        check("%@ IN %@", 1, [1], failsAt: 0, "two constants")
        check("1 IN {1}", failsAt: 0, "two constants")
        check("nil BEGINSWITH 'x'", failsAt: 0, "two constants")
    }

    func testConstantsOnTheLeft() {
        check("'x' BEGINSWITH name", failsAt: 0, "BEGINSWITH needs a property on its left")
        check("'x' contains name", failsAt: 0, "CONTAINS needs a property")
        check("%@ LIKE name", "x", failsAt: 0, "LIKE needs a property")
        check("5 BETWEEN a", failsAt: 0, "BETWEEN needs a property on its left")
    }

    func testLists() {
        check("a == {1}", failsAt: 5, "IN or BETWEEN")
        check("{1} == a", failsAt: 0, "IN or BETWEEN")
        check("{1} IN a", failsAt: 0, "right of IN")
        check("a IN 5", failsAt: 5, "IN needs values in braces")
        check("a IN 'xy'", failsAt: 5, "IN needs values in braces")
        check("a IN SUBQUERY(b, $x, $x == 1).@count", failsAt: 5, "IN needs values in braces")
        check("a IN {1, 2", failsAt: 10, "',', or '}'", "found the end")
        check("a IN {1 2}", failsAt: 8, "',', or '}'")
        check("a IN {1,}", failsAt: 8, "a value", "found '}'")
        check("a IN {b}", failsAt: 6, "a value", "found 'b'")
        check("a IN {{1}}", failsAt: 6, "found '{'")
    }

    func testRanges() {
        check("a BETWEEN {1}", failsAt: 10, "two values")
        check("a BETWEEN {1, 2, 3}", failsAt: 10, "two values")
        check("a BETWEEN 1", failsAt: 10, "two values")
        check("a BETWEEN b", failsAt: 10, "two values")
    }

    func testArguments() {
        check("a == %@", failsAt: 5, "Too few arguments", "'%@'", "number 1", "0 are given")
        check("a == %@ AND b == %d", 1, failsAt: 17, "'%d'", "number 2", "1 is given")
        check("a == $2", 1, 2, failsAt: 5, "'$2'", "number 3", "2 are given")
        check("a == %@", 1, 2, failsAt: 7, "Too many arguments", "takes 1 argument, not 2")
        check("a == 1", 1, failsAt: 6, "Too many arguments", "takes 0 arguments, not 1")
        check("a == $0", 1, 2, failsAt: 7, "Too many arguments")
        check("a == '%@'", 1, failsAt: 9, "Too many arguments")
        check("a == $99999999999999999999", failsAt: 5, "Unknown variable")
    }

    func testPlaceholders() {
        check("a == %s", "x", failsAt: 5, "Unknown placeholder '%s'")
        check("a == %", failsAt: 5, "Unknown placeholder '%'")
        check("a % 2 == 1", failsAt: 2, "Unknown placeholder")
        check("a == %d", "x", failsAt: 5, "'%d' takes a number", "String")
        check("a == %f", nil, failsAt: 5, "not nil")
        check("%K == 1", 5, failsAt: 0, "'%K' takes the name", "type Int")
        check("a.%K == 1", nil, failsAt: 2, "not nil")
        check("%K == 1", "", failsAt: 0, "not ''")
        check("%K == 1", "a..b", failsAt: 0, "not 'a..b'")
        check("%K == 1", "a.@", failsAt: 0, "not 'a.@'")
        check("%K == 1", "a.@first", failsAt: 0, "'@first'")
        check("%@.name == 1", 1, failsAt: 2, "an operator", "found '.'")
    }

    func testKeyPaths() {
        check("a. == 1", failsAt: 3, "a property after '.'")
        check("a..b == 1", failsAt: 2, "found '.'")
        check(".a == 1", failsAt: 0, "found '.'")
        check("a.'b' == 1", failsAt: 2, "a property")
        check("a.@links.B.c == 1", failsAt: 2, "Unknown collection operator '@links'")
        check("a.@ == 1", failsAt: 3, "a name after '@'")
        check("a.@count.b == 1", failsAt: 9, "@count")
        check("a.@max.@min == 1", failsAt: 7, "'@min' cannot follow '@max'")
        check("map[%@] == 1", 5.5, failsAt: 4, "key is a String")
        check("map[a] == 1", failsAt: 4, "a key", "found 'a'")
        check("map['a' == 1", failsAt: 8, "']'")
    }

    func testSubqueries() {
        check("SUBQUERY == 1", failsAt: 9, "'('")
        check("SUBQUERY(a, $x, $x.b == 1) > 1", failsAt: 27, "Expected '.'")
        check("SUBQUERY(a, $x, $x.b == 1).@max > 1", failsAt: 27, "'@count'")
        check("SUBQUERY(a, $x, $x.b == 1).@count.c > 1", failsAt: 33, "found '.'")
        check("SUBQUERY(a, x, $x.b == 1).@count > 1", failsAt: 12, "a variable")
        check("SUBQUERY(a $x, $x.b == 1).@count > 1", failsAt: 11, "','")
        check("SUBQUERY(a, $x $x.b == 1).@count > 1", failsAt: 15, "','")
        check("SUBQUERY(a, $x, $x.b == 1.@count > 1", failsAt: 25, "')'")
        check("SUBQUERY(5, $x, $x.b == 1).@count > 1", failsAt: 9, "SUBQUERY needs a collection")
        check("SUBQUERY(a.@count, $x, $x.b == 1).@count > 1", failsAt: 9, "SUBQUERY needs a collection")
    }

    func testVariables() {
        check("$y == 1", failsAt: 0, "Unknown variable '$y'")
        check("$ == 1", failsAt: 1, "a name after '$'")
        check("SUBQUERY(a, $x, $y == 1).@count > 0", failsAt: 16, "Unknown variable '$y'")
        check("SUBQUERY(a, $x, $x.c == SELF).@count > 0", failsAt: 24, "'$x'")
        check("SUBQUERY(a, $x, self.c == 1).@count > 0", failsAt: 16, "is written '$x', not 'self'")
        check("SUBQUERY(a, $x, $x.b == 1).@count > 0 AND $x.c == 1", failsAt: 42, "Unknown variable '$x'")
        check(
            "SUBQUERY(a, $x, SUBQUERY($x.b, $y, $y.c == $x.d).@count > 0).@count > 0", failsAt: 43,
            "'$x' belongs to a SUBQUERY further out", "'$y'")
    }
}
