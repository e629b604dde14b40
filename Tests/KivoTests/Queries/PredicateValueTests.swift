import Foundation
import XCTest

@testable import Kivo

/// Literals and arguments in predicate strings.
final class PredicateValueTests: XCTestCase {
    private func right(_ format: String, _ arguments: Any?...) throws -> Any? {
        guard case .comparison(let comparison) = try PredicateParser.parse(format, arguments),
            case .value(let value) = comparison.right
        else { throw CocoaError(.featureUnsupported) }
        return value
    }

    func testIntegers() throws {
        XCTAssertEqual(try right("a == 5") as? Int, 5)
        XCTAssertEqual(try right("a == -5") as? Int, -5)
        XCTAssertEqual(try right("a == 0x1F") as? Int, 31)
        XCTAssertEqual(try right("a == -0Xff") as? Int, -255)
        XCTAssertEqual(try right("a == 9223372036854775807") as? Int, Int.max)
        XCTAssertEqual(try right("a == -9223372036854775808") as? Int, Int.min)
    }

    func testDoubles() throws {
        let expectations = [
            "1.5": 1.5, "-0.25": -0.25, "1e3": 1000, "2.5E-3": 0.0025, "-1e+2": -100, ".5": 0.5, "-.5": -0.5,
            "1.0": 1,
        ]
        for (text, expected) in expectations {
            XCTAssertEqual(try right("a == \(text)") as? Double, expected, text)
        }
    }

    func testStrings() throws {
        let expectations = [
            "'x'": "x", "\"x\"": "x", "''": "", #"'\''"#: "'", #""\"""#: "\"", "\"'\"": "'", #"'\\'"#: "\\",
            #"'a\nb\tc\r'"#: "a\nb\tc\r", #"'\u00e9\u4E2D'"#: "é中", #"'\uD83D\uDE00'"#: "😀",
            "'%@ $0 #x'": "%@ $0 #x",
            "'AND'": "AND",
        ]
        for (text, expected) in expectations {
            XCTAssertEqual(try right("a == \(text)") as? String, expected, text)
        }
    }

    func testStringsMayBeginWithCombiningMarks() throws {
        let mark = "\u{301}"
        let string = try XCTUnwrap(try right("a == '\(mark)'") as? String)
        XCTAssertEqual(Array(string.utf8), Array(mark.utf8))
    }

    func testBooleansAndNil() throws {
        for text in ["true", "TRUE", "yes", "YES"] {
            XCTAssertEqual(try right("a == \(text)") as? Bool, true)
        }
        for text in ["false", "NO", "No"] { XCTAssertEqual(try right("a == \(text)") as? Bool, false) }
        for text in ["nil", "NULL", "NIL", "null"] { XCTAssertNil(try right("a == \(text)")) }
        check("nil != a", means: "a != nil")
    }

    func testIds() throws {
        let uuid = "550e8400-e29b-41d4-a716-446655440000"
        XCTAssertEqual(try right("a == uuid(\(uuid))") as? UUID, UUID(uuidString: uuid))
        XCTAssertEqual(try right("a == UUID ( \(uuid) )") as? UUID, UUID(uuidString: uuid))
        let id = "507f1f77bcf86cd799439011"
        XCTAssertEqual(try right("a == oid(\(id))") as? ObjectId, try ObjectId(string: id))
        check("uuid == oid", means: "uuid == oid")
    }

    func testDates() throws {
        for (text, expected) in [
            ("1970-01-01", 0.0), ("2024-02-29", 1_709_164_800), ("2001-01-01T00:00:00Z", 978_307_200),
            ("2024-12-31T23:59:59.5Z", 1_735_689_599.5), ("2024-01-01 01:30+01:30", 1_704_067_200),
            ("1969-12-31T19:00-0500", 0), ("0001-01-01", -62_135_596_800),
        ] {
            XCTAssertEqual(
                try right("a == date(\(text))") as? Date, Date(timeIntervalSince1970: expected), text)
        }
        check("date == data", means: "date == data")
    }

    func testDataAndDecimals() throws {
        XCTAssertEqual(try right("a == data(00fFA1)") as? Data, Data([0, 255, 161]))
        XCTAssertEqual(try right("a == data()") as? Data, Data())
        XCTAssertEqual(
            (try right("a == DECIMAL ( -1.50 )") as? Decimal128)?.description, "-1.5")
        XCTAssertEqual(
            try right("a IN {decimal(1), data(01)}") as? [AnyHashable], [Decimal128(1), Data([1])])
    }

    func testLists() {
        check("a IN {1, 'x', nil, true, -2.5}", means: "a IN {1, 'x', nil, true, -2.5}")
        check("a IN {}", means: "a IN {}")
        check("a IN {%@, %d, $0}", 1, 2, means: "a IN {1, 2, 1}")
        check("a BETWEEN {%@, 5}", 1, means: "a BETWEEN {1, 5}")
        check("a BETWEEN %@", [1, 5], means: "a BETWEEN {1, 5}")
        check("a IN %@", [1, 5], means: "a IN {1, 5}")
    }

    func testArgumentsAreHandedOnAsTheyAre() throws {
        let date = Date(timeIntervalSince1970: 5)
        XCTAssertEqual(try right("a == %@", date) as? Date, date)
        XCTAssertEqual(try right("a IN %@", Set([1, 2])) as? Set<Int>, [1, 2])
        XCTAssertEqual(try right("a == %@", Int8(3)) as? Int8, 3)
        let list = List<Int>()
        XCTAssertTrue(try right("a IN %@", list) as? List<Int> === list)
    }

    func testOptionalArgumentsAreFlattened() throws {
        let some: Int?? = 5
        let value = try XCTUnwrap(try right("a == %@", some as Any))
        XCTAssertTrue(type(of: value) == Int.self, "\(type(of: value))")
        XCTAssertEqual(value as? Int, 5)
        let none: String? = nil
        XCTAssertNil(try right("a == %@", none as Any))
        XCTAssertNil(try right("a == %@", nil))
        XCTAssertNil(try right("a == %@", NSNull()))
    }

    func testNumberPlaceholders() {
        for specifier in [
            "%d", "%D", "%i", "%u", "%ld", "%lu", "%lld", "%qi", "%zd", "%hhd", "%x", "%f", "%lf", "%g",
            "%5.2f",
        ] {
            check("a > \(specifier)", 5, means: "a > 5")
        }
        check("a > %f", 2.5, means: "a > 2.5")
        check("a > %d", NSNumber(value: 5), means: "a > 5")
        check("a == %d", true, means: "a == true")
        check("a == %f", Decimal128(5), means: "a == 5")
    }
}
