import Foundation
import XCTest

@testable import Kivo

final class Decimal128Tests: XCTestCase {
    private let nines = String(repeating: "9", count: 34)

    /// The text of a number, however it was written.
    func testText() throws {
        let expectations = [
            "123": "123", "-123": "-123", "123E1": "1230", "123e4": "1230000", "123E-1": "12.3",
            "123E-5": "0.00123", "123E-10": "1.23E-8", "-123E-12": "-1.23E-10", "0": "0", "0E-2": "0",
            "0E+2": "0", "-0": "0", "-0.00": "0", "5E-6": "0.000005", "50E-7": "0.000005", "5E-7": "5E-7",
            "Infinity": "Infinity", "007": "7", "+5": "5", "-12.50": "-12.5", ".5": "0.5", "5.": "5",
            "1e3": "1000", "1E-3": "0.001", "100": "100", "1.50": "1.5", "10.0": "10",
            "0.000001": "0.000001", "0.0000001": "1E-7", "-0.00000012": "-1.2E-7", "12.34e1": "123.4",
            "1E+33": "1" + String(repeating: "0", count: 33), "1E34": "1E34", "-1.50E+40": "-1.5E40",
            "1000E157": "1E160", "1.23E+50": "1.23E50", "1E6111": "1E6111", "1E-6176": "1E-6176",
            "5.1E-6176": "5E-6176", "1E6112": "1E6112", "1E6144": "1E6144",
            "0E+999999999999999999999": "0", "0E-999999999999999999999": "0",
            "inf": "Infinity", "-Inf": "-Infinity", "+INFINITY": "Infinity", "1E6145": "Infinity",
            "-1E999999999999999999999999": "-Infinity", "NaN": "NaN", "nan": "NaN", "-NaN": "NaN",
            "sNaN": "NaN", "NaN123": "NaN",
        ]
        for (text, expected) in expectations {
            let value = try Decimal128(string: text)
            XCTAssertEqual(value.description, expected, text)
            XCTAssertEqual(value.stringValue, expected, text)
            XCTAssertEqual(Decimal128(bits: value.bits).description, expected, "stored: \(text)")
            XCTAssertEqual(try Decimal128(string: expected), value, text)
        }
    }

    func testMalformedTextIsRefused() {
        let malformed = [
            "", " ", "+", "-", ".", "-.", "e5", "1e", "1e+", "1e5.0", "1.2.3", " 1", "1 ", "1,000", "1_000",
            "12a",
            "--1", "0x10", "in", "infinite", "--inf", "nano", "nan 1", "snano", "i", "١", "١٢",
        ]
        for text in malformed {
            XCTAssertThrowsError(try Decimal128(string: text), text) { error in
                XCTAssertEqual(error as? Decimal128.ParseError, Decimal128.ParseError(text: text))
                XCTAssertTrue("\(error)".contains("'\(text)'"))
            }
        }
    }

    func testDigitsBeyondThe34thAreRoundedHalfToEven() throws {
        let even = String(repeating: "1", count: 33) + "2"
        let odd = String(repeating: "1", count: 33) + "3"
        let next = String(repeating: "1", count: 33) + "4"
        let zeros = String(repeating: "0", count: 60)
        let expectations = [
            "\(even).5": even, "\(odd).5": next, "\(even).49999999999": even, "\(even).50000001": odd,
            "\(even).5\(zeros)": even, "\(even).5\(zeros)1": odd, "\(even)5\(zeros)": "\(even)E61",
            "\(even)5\(zeros)1": "\(odd)E62", "\(nines).5": "1E34", "\(nines).4": nines,
        ]
        for (text, expected) in expectations {
            XCTAssertEqual(try Decimal128(string: text), try Decimal128(string: expected), text)
        }
    }

    func testNumbersAreRoundedAtTheLeastExponentOnlyOnce() throws {
        XCTAssertEqual(try Decimal128(string: "5E-6177"), 0)
        XCTAssertEqual(try Decimal128(string: "5E-6177").description, "0")
        XCTAssertEqual(try Decimal128(string: "5.0000000000000000000000000000000000000001E-6177"), "1E-6176")
        XCTAssertEqual(try Decimal128(string: "1.5E-6176"), "2E-6176")
        XCTAssertEqual(try Decimal128(string: "2.5E-6176"), "2E-6176")
        XCTAssertEqual(try Decimal128(string: "-1E-10000"), 0)
        XCTAssertEqual(try Decimal128(string: "-1E-10000").description, "0")
        // To 34 digits this would be …5, which then would be rounded to even: upwards, and wrongly so.
        XCTAssertEqual(
            try Decimal128(string: "1.4999999999999999999999999999999999999E-6176"), "1E-6176")
    }

    func testGreatestAndLeast() throws {
        XCTAssertEqual(Decimal128.max, try Decimal128(string: "\(nines)E6111"))
        XCTAssertEqual(Decimal128.min, try Decimal128(string: "-\(nines)E6111"))
        XCTAssertEqual(Decimal128.max.description, "9." + nines.dropFirst() + "E6144")
        XCTAssertEqual(Decimal128.max + Decimal128.max, .infinity)
        XCTAssertEqual(Decimal128.max + "1E6111", .infinity)
        XCTAssertEqual(Decimal128.max + "4E6110", Decimal128.max)
        XCTAssertEqual(Decimal128.max + "5E6110", .infinity)
        XCTAssertEqual(Decimal128.min * 10, -.infinity)
        XCTAssertEqual(Decimal128.max / "0.1", .infinity)
        XCTAssertEqual(Decimal128.max + Decimal128.min, 0)
        XCTAssertEqual(("1E-3100" as Decimal128) * "1E-3100", 0)
        XCTAssertEqual(("1E-3000" as Decimal128) * "1E-3000", "1E-6000")
        XCTAssertEqual(("1E3000" as Decimal128) * "1E3000", "1E6000")
    }

    func testInfinities() {
        let infinity = Decimal128.infinity
        XCTAssertEqual(Decimal128(Double.infinity), infinity)
        XCTAssertEqual(Decimal128(-Float.infinity), -infinity)
        XCTAssertEqual(Decimal128(value: Double.infinity), infinity)
        XCTAssertEqual(Decimal128(number: NSNumber(value: -Double.infinity)), -infinity)
        XCTAssertEqual(infinity.doubleValue, .infinity)
        XCTAssertEqual((-infinity).doubleValue, -.infinity)
        XCTAssertTrue(infinity.isInfinite && (-infinity).isInfinite && !infinity.isFinite && !infinity.isNaN)
        XCTAssertTrue(Decimal128.max.isFinite && !Decimal128.max.isInfinite && !Decimal128.nan.isFinite)
        XCTAssertTrue(infinity.decimalValue.isNaN)
        XCTAssertEqual((-infinity).magnitude, infinity)
        XCTAssertEqual(infinity + 1, infinity)
        XCTAssertEqual(1 - infinity, -infinity)
        XCTAssertEqual(infinity + infinity, infinity)
        XCTAssertTrue((infinity - infinity).isNaN)
        XCTAssertEqual(infinity * -2, -infinity)
        XCTAssertEqual(-infinity * -infinity, infinity)
        XCTAssertTrue((infinity * 0).isNaN && (0 * -infinity).isNaN)
        XCTAssertEqual(infinity / -3, -infinity)
        XCTAssertEqual(-3 / infinity, 0)
        XCTAssertTrue((infinity / infinity).isNaN)
        XCTAssertEqual(1 as Decimal128 / 0, infinity)
        XCTAssertEqual(-1 as Decimal128 / 0, -infinity)
        XCTAssertEqual(1 as Decimal128 / "-0", -infinity)
        XCTAssertEqual(infinity / 0, infinity)
        XCTAssertTrue(
            Decimal128(bits: infinity.bits) == infinity && Decimal128(bits: (-infinity).bits) == -infinity)
        XCTAssertEqual(Set([infinity, -infinity, "inf", "-inf"]).count, 2)
    }

    func testTextOfResults() {
        func text(_ value: Decimal128) -> String { value.description }
        XCTAssertEqual(text("1.234567" + "9.876543"), "11.11111")
        XCTAssertEqual(text("2.5" - "3.5"), "-1")
        XCTAssertEqual(text("1.20" + "3.4"), "4.6")
        XCTAssertEqual(text("1E+3" + 1), "1001")
        XCTAssertEqual(text("1E+3" + "1E+2"), "1100")
        XCTAssertEqual(text("1.30" - "1.30"), "0")
        XCTAssertEqual(text("-1.30" + "1.30"), "0")
        XCTAssertEqual(text("0.00" + 5), "5")
        XCTAssertEqual(text("0" + "5E+3"), "5000")
        XCTAssertEqual(text("-0" + "-0.0"), "0")
        XCTAssertEqual(text("1.20" * 3), "3.6")
        XCTAssertEqual(text("2.5" * 4), "10")
        XCTAssertEqual(text("0.0" * "-1.0"), "0")
        XCTAssertEqual(text(6 / 2), "3")
        XCTAssertEqual(text("2.40" / 2), "1.2")
        XCTAssertEqual(text(1 / 8), "0.125")
        XCTAssertEqual(text("1000" / "1E+2"), "10")
        XCTAssertEqual(text("0" / "1E+3"), "0")
        XCTAssertEqual(text(-("0.0" as Decimal128)), "0")
        XCTAssertEqual(text(Decimal128(1000)), "1000")
        XCTAssertEqual(text(Decimal128(5.0)), "5")
        XCTAssertEqual(text(Decimal128(1e22)), "10000000000000000000000")
        XCTAssertEqual(text(Decimal128(1e300)), "1E300")
    }

    func testNotANumber() {
        XCTAssertTrue(Decimal128.nan.isNaN)
        XCTAssertFalse(Decimal128().isNaN)
        XCTAssertEqual(Decimal128.nan, Decimal128.nan)
        XCTAssertFalse(Decimal128.nan < Decimal128.nan)
        XCTAssertLessThan(Decimal128.nan, Decimal128.min)
        XCTAssertFalse(Decimal128.min < Decimal128.nan)
        XCTAssertTrue((Decimal128.nan + 1).isNaN)
        XCTAssertTrue((1 - Decimal128.nan).isNaN)
        XCTAssertTrue((0 * Decimal128.nan).isNaN)
        XCTAssertTrue((1 / Decimal128.nan).isNaN)
        XCTAssertTrue((Decimal128.infinity * .nan).isNaN)
        XCTAssertTrue((0 as Decimal128 / 0).isNaN)
        XCTAssertEqual((-Decimal128.nan).bits.0, Decimal128.nan.bits.0)
        XCTAssertTrue(Decimal128.nan.magnitude.isNaN)
    }

    func testEqualityAndHashAreByValue() throws {
        let spellings = ["1", "1.0", "1.00", "+01", "10E-1", "0.1E1"].map { Decimal128(stringLiteral: $0) }
        XCTAssertEqual(Set(spellings), [1])
        XCTAssertEqual(Set(["0", "-0", "0E10", "0.00"].map { Decimal128(stringLiteral: $0) }), [0])
        XCTAssertNotEqual(1 as Decimal128, -1)
        XCTAssertNotEqual(1 as Decimal128, 10)
        XCTAssertEqual(("1E160" as Decimal128), "10E159")
    }

    func testOrder() {
        let ascending: [Decimal128] = [
            .nan, -.infinity, .min, "-1E160", -1000, "-999.5", -1, "-0.5", "-1E-127", "-1E-6176", 0,
            "1E-6176", "1E-127", "0.09", "0.1", "0.11",
            1,
            "1.000000000000000000000000000000001", 2, 10, 99, 100, 101, "1E34", "1.1E34", "1E160", "1E6000",
            .max, .infinity,
        ]
        for (left, lhs) in ascending.enumerated() {
            for (right, rhs) in ascending.enumerated() {
                XCTAssertEqual(lhs < rhs, left < right, "\(lhs) < \(rhs)")
                XCTAssertEqual(lhs <= rhs, left <= right, "\(lhs) <= \(rhs)")
                XCTAssertEqual(lhs == rhs, left == right, "\(lhs) == \(rhs)")
            }
        }
        XCTAssertEqual(ascending.shuffled().sorted(), ascending)
    }

    func testArithmetic() {
        var value: Decimal128 = "0.1"
        value += "0.2"
        XCTAssertEqual(value, "0.3")
        value -= 1
        XCTAssertEqual(value, "-0.7")
        value *= -3
        XCTAssertEqual(value, "2.1")
        value /= 7
        XCTAssertEqual(value, "0.3")
        value.negate()
        XCTAssertEqual(value, "-0.3")
        XCTAssertEqual(value.magnitude, "0.3")
        XCTAssertEqual(-value, "0.3")
        XCTAssertEqual((-(0 as Decimal128)).bits.0, 0)
        XCTAssertEqual(-(0 as Decimal128), 0)
        XCTAssertEqual((1 as Decimal128) / 3, "0.3333333333333333333333333333333333")
        XCTAssertEqual((2 as Decimal128) / 3, "0.6666666666666666666666666666666667")
        XCTAssertEqual([1, 2, "3.5"].reduce(Decimal128.zero, +), "6.5")
        XCTAssertEqual((1 as Decimal128).distance(to: "2.5"), "1.5")
        XCTAssertEqual((1 as Decimal128).advanced(by: "0.25"), "1.25")
        XCTAssertEqual(Array(stride(from: 0 as Decimal128, to: "0.3", by: "0.1")), [0, "0.1", "0.2"])
    }

    func testIntegers() {
        XCTAssertEqual(Decimal128(Int.min).description, "-9223372036854775808")
        XCTAssertEqual(Decimal128(UInt64.max).description, "18446744073709551615")
        XCTAssertEqual(Decimal128(Int8(-128)), -128)
        XCTAssertEqual(Decimal128(UInt128.max), "3.402823669209384634633746074317682E38")
        XCTAssertEqual(Decimal128(exactly: Int64.min), "-9223372036854775808")
        XCTAssertEqual(Decimal128(exactly: 0), 0)
        XCTAssertEqual(Decimal128(exactly: 1_000_000), "1E6")
        XCTAssertNil(Decimal128(exactly: UInt128.max))
        XCTAssertNil(Decimal128(exactly: Int128.min))
        XCTAssertEqual(
            Decimal128(exactly: UInt128(10_000_000_000_000_000_000) * 1_000_000_000_000_000_000), "1E37")
    }

    func testBinaryFloatingPointNumbers() {
        XCTAssertEqual(Decimal128(0.1), "0.1")
        XCTAssertEqual(Decimal128(Float(0.1)), "0.1")
        XCTAssertEqual(Decimal128(-1.5e-7), "-1.5E-7")
        XCTAssertEqual(Decimal128(1e22), "1E22")
        XCTAssertEqual(Decimal128(-0.0), 0)
        XCTAssertEqual(Decimal128(Double.leastNonzeroMagnitude), "5E-324")
        XCTAssertEqual(Decimal128(Double.greatestFiniteMagnitude), "1.7976931348623157E308")
        XCTAssertEqual(Decimal128(Double.greatestFiniteMagnitude).doubleValue, .greatestFiniteMagnitude)
        XCTAssertEqual(("1E309" as Decimal128).doubleValue, .infinity)
        XCTAssertEqual(("-1E6000" as Decimal128).doubleValue, -.infinity)
        XCTAssertEqual(("1E-6000" as Decimal128).doubleValue, 0)
        XCTAssertTrue(Decimal128(-Double.nan).isNaN)
        XCTAssertEqual((0.1 as Decimal128).doubleValue, 0.1)
        XCTAssertEqual(("-1E160" as Decimal128).doubleValue, -1e160)
        XCTAssertEqual((0 as Decimal128).doubleValue, 0)
        XCTAssertTrue(Decimal128.nan.doubleValue.isNaN)
    }

    func testFoundationDecimals() throws {
        let texts = ["0", "1", "-1", "0.1", "123456789.987654321", "1E100", "-7E-100", nines, "-\(nines)"]
        for text in texts {
            let decimal = try XCTUnwrap(Decimal(string: text))
            XCTAssertEqual(Decimal128(decimal), try Decimal128(string: text), text)
            XCTAssertEqual(try Decimal128(string: text).decimalValue, decimal, text)
        }
        for value in ["\(nines)E127", "-\(nines)E127", "1E160", "1E127", "-12E150", "1E-127", "-7.25E-120"] {
            let value = Decimal128(stringLiteral: value)
            XCTAssertEqual(Decimal128(value.decimalValue), value)
            XCTAssertFalse(value.decimalValue.isNaN)
        }
        for value in ["\(nines)E132", "1E166", "1E6000"] {
            XCTAssertTrue(Decimal128(stringLiteral: value).decimalValue.isNaN, value)
        }
        XCTAssertEqual(Decimal128(("1.6E-127" as Decimal128).decimalValue), "2E-127")
        XCTAssertEqual(("1E-6000" as Decimal128).decimalValue, 0)
        XCTAssertTrue(Decimal128(Decimal.nan).isNaN)
        XCTAssertTrue(Decimal128.nan.decimalValue.isNaN)
        XCTAssertEqual(Decimal128(Decimal.greatestFiniteMagnitude), "3.402823669209384634633746074317682E165")
        let long = try XCTUnwrap(Decimal(string: "12345678901234567890123456789012345678"))
        XCTAssertEqual(Decimal128(long), "1.234567890123456789012345678901235E37")
    }

    func testNumbersInObjects() {
        XCTAssertEqual(Decimal128(number: NSNumber(value: -5)), -5)
        XCTAssertEqual(Decimal128(number: NSNumber(value: Int8(-5))), -5)
        XCTAssertEqual(Decimal128(number: NSNumber(value: UInt64.max)), "18446744073709551615")
        XCTAssertEqual(Decimal128(number: NSNumber(value: Int64.min)), "-9223372036854775808")
        XCTAssertEqual(Decimal128(number: NSNumber(value: 0.1)), "0.1")
        XCTAssertEqual(Decimal128(number: NSNumber(value: Float(0.1))), "0.1")
        XCTAssertEqual(Decimal128(number: NSNumber(value: true)), 1)
        XCTAssertEqual(
            Decimal128(number: NSDecimalNumber(string: "0.12345678901234567890123")),
            "0.12345678901234567890123")
    }

    func testValuesOfAnyType() {
        let optional: Int? = 5
        let values: [Any] = [
            5, Int8(5), UInt64(5), Int128(5), 5.0, Float(5), "5", "5.0", Decimal(5), Decimal128(5),
            NSNumber(value: 5),
            NSNumber(value: 5.0), NSDecimalNumber(string: "5"), optional as Any,
        ]
        for value in values {
            XCTAssertEqual(Decimal128(value: value), 5, "\(type(of: value))")
        }
        XCTAssertEqual(Decimal128(value: NSNumber(value: Float(0.1))), "0.1")
        XCTAssertEqual(Decimal128(value: UInt64.max), "18446744073709551615")
        XCTAssertEqual(Decimal128(value: true), 1)
        let none: Int? = nil
        for refused in ["five", [5], Date(), none as Any] as [Any] {
            XCTAssertNil(Decimal128(converting: refused))
        }
    }

    func testLiterals() {
        XCTAssertEqual(12 as Decimal128, Decimal128(12))
        XCTAssertEqual(-12 as Decimal128, Decimal128(-12))
        XCTAssertEqual(0.1 as Decimal128, "0.1")
        XCTAssertEqual(-2.5e10 as Decimal128, -25_000_000_000)
    }

    func testNaNIsASignallingOne() {
        XCTAssertTrue(Decimal128.nan.isSignaling && Decimal128.nan.isSignalingNaN)
        for value in [0, 1, .infinity] as [Decimal128] {
            XCTAssertFalse(value.isSignaling || value.isSignalingNaN)
        }
        XCTAssertTrue(Decimal128(value: NSNull()).isNaN)
    }

    func testCoding() throws {
        let values: [Decimal128] = [0, "-12.5", 1500, "15E+2", .nan, "1E-127", -.infinity]
        let data = try JSONEncoder().encode(values)
        XCTAssertEqual(
            String(decoding: data, as: UTF8.self),
            #"["0","-12.5","1500","1500","NaN","1E-127","-Infinity"]"#)
        XCTAssertEqual(try JSONDecoder().decode([Decimal128].self, from: data), values)

        let numbers = Data(
            "[1, -2, 0.1, 1234567890.123456789012345678, 18446744073709551615, 1e100, 1e300]".utf8)
        XCTAssertEqual(
            try JSONDecoder().decode([Decimal128].self, from: numbers),
            [1, -2, "0.1", "1234567890.123456789012345678", "18446744073709551615", "1E100", "1E300"])
        for refused in ["[\"five\"]", "[null]", "[{}]"] {
            XCTAssertThrowsError(
                try JSONDecoder().decode([Decimal128].self, from: Data(refused.utf8)), refused
            ) {
                XCTAssertTrue($0 is DecodingError, refused)
            }
        }
        let list = try PropertyListEncoder().encode([1.5])
        XCTAssertEqual(try PropertyListDecoder().decode([Decimal128].self, from: list), ["1.5"])
    }

    func testBitsAreTheStandardEncoding() {
        XCTAssertTrue((0 as Decimal128).bits == (0, 0))
        XCTAssertTrue((1 as Decimal128).bits == (0x3040_0000_0000_0000, 1))
        XCTAssertTrue((-1 as Decimal128).bits == (0xB040_0000_0000_0000, 1))
        XCTAssertTrue(("0.1" as Decimal128).bits == (0x303E_0000_0000_0000, 1))
        XCTAssertTrue(Decimal128.nan.bits == (0x7C00_0000_0000_0000, 0))
        XCTAssertEqual(Decimal128(bits: Decimal128.nan.bits), .nan)
        XCTAssertEqual(MemoryLayout<Decimal128>.size, 16)
    }

    func testForeignBitsBecomeCanonical() {
        // 10, written as ten ones; zeros with an exponent and a sign; an infinity with more bits, and NaNs.
        XCTAssertTrue(Decimal128(bits: (0x3040_0000_0000_0000, 10)).bits == (10 as Decimal128).bits)
        XCTAssertTrue(Decimal128(bits: (0x3040_0000_0000_0000, 0)).bits == (0, 0))
        XCTAssertTrue(Decimal128(bits: (0xB040_0000_0000_0000, 0)).bits == (0, 0))
        XCTAssertEqual(Decimal128(bits: (0x5FFE_0000_0000_0000, 1)), "1E6111")
        XCTAssertEqual(Decimal128(bits: (0x0000_0000_0000_0000, 1)), "1E-6176")
        XCTAssertEqual(Decimal128(bits: (0x7800_0000_0000_0000, 7)), .infinity)
        XCTAssertEqual(Decimal128(bits: (0xF800_0000_0000_0000, 0)), -.infinity)
        XCTAssertTrue(Decimal128(bits: (0xFC00_0000_0000_0000, 7)).bits == Decimal128.nan.bits)
        XCTAssertTrue(Decimal128(bits: (0x7E00_0000_0000_0000, 7)).bits == Decimal128.nan.bits)
        XCTAssertEqual(Decimal128(bits: (0x6C10_0000_0000_0000, 7)), 0)
        XCTAssertEqual(Decimal128(bits: (0x3041_FFFF_FFFF_FFFF, .max)), 0)
    }
}
