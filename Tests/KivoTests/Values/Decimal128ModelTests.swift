import Foundation
import TestRandomness
import XCTest

@testable import Kivo

/// Compares arithmetic, order, text and storage with the way it is done on paper, digit by digit.
final class Decimal128ModelTests: XCTestCase {
    func testRandomNumbers() throws {
        var random = RandomSource()
        for _ in TestEffort.rounds(1_000) {
            let (left, right) = (PaperNumber.random(using: &random), PaperNumber.random(using: &random))
            let (lhs, rhs) = (try left.rounded(), try right.rounded())
            let note = "\(lhs) and \(rhs)"
            XCTAssertEqual(lhs + rhs, try left.plus(right).rounded(), note)
            XCTAssertEqual(lhs - rhs, try left.plus(right.negated()).rounded(), note)
            XCTAssertEqual(lhs * rhs, try left.times(right).rounded(), note)
            if !rhs.isZero {
                XCTAssertEqual(lhs / rhs, try left.divided(by: right).rounded(), note)
            }
            let difference = left.plus(right.negated())
            XCTAssertEqual(lhs < rhs, difference.isNegative && !difference.isZero, note)
            XCTAssertEqual(lhs == rhs, difference.isZero, note)

            XCTAssertTrue(Decimal128(bits: lhs.bits).bits == lhs.bits, note)
            XCTAssertEqual(try Decimal128(string: lhs.description), lhs, note)
            if lhs.exponent >= -127, lhs.exponent <= 127 {
                XCTAssertEqual(Decimal128(lhs.decimalValue), lhs, note)
            }
            XCTAssertEqual(try Decimal128(string: lhs.description).description, lhs.description, note)
            XCTAssertEqual(Set([lhs, Decimal128(bits: lhs.bits)]).count, 1, note)
            let words = (random.next(), random.next())
            let restored = Decimal128(bits: words)
            XCTAssertTrue(Decimal128(bits: restored.bits).bits == restored.bits, "\(words)")
        }
    }
}

/// A decimal number with any number of digits, most significant first.
private struct PaperNumber {
    var isNegative: Bool
    var digits: [Int]
    var exponent: Int

    var isZero: Bool { digits.allSatisfy { $0 == 0 } }

    func negated() -> PaperNumber {
        PaperNumber(isNegative: !isNegative, digits: digits, exponent: exponent)
    }

    /// A number within 34 digits, often close to where something carries, cancels or ends.
    static func random(using random: inout RandomSource) -> PaperNumber {
        let count = Int.random(in: 1...34, using: &random)
        let digits: [Int]
        switch Int.random(in: 0..<5, using: &random) {
        case 0: digits = Array(repeating: 9, count: count)
        case 1: digits = [1] + Array(repeating: 0, count: count - 1)
        case 2: digits = (0..<count).map { _ in [0, 4, 5, 9].randomElement(using: &random) ?? 0 }
        default: digits = (0..<count).map { _ in Int.random(in: 0...9, using: &random) }
        }
        let range = [-2...2, -40...40, -127...127, -700...700, 6100...6111, -6176 ... -6150, -3100 ... -3050]
            .randomElement(using: &random)
        return PaperNumber(
            isNegative: Bool.random(using: &random), digits: digits,
            exponent: Int.random(in: range ?? 0...0, using: &random))
    }

    func plus(_ other: PaperNumber) -> PaperNumber {
        let lowest = min(exponent, other.exponent)
        var left = digits + Array(repeating: 0, count: exponent - lowest)
        var right = other.digits + Array(repeating: 0, count: other.exponent - lowest)
        let count = max(left.count, right.count) + 1
        left = Array(repeating: 0, count: count - left.count) + left
        right = Array(repeating: 0, count: count - right.count) + right
        let swaps = left.lexicographicallyPrecedes(right)
        let (large, small) = swaps ? (right, left) : (left, right)
        let sign = isNegative == other.isNegative ? 1 : -1
        var result = Array(repeating: 0, count: count)
        var carry = 0
        for position in (0..<count).reversed() {
            let sum = large[position] + sign * small[position] + carry + 10
            result[position] = sum % 10
            carry = sum / 10 - 1
        }
        return PaperNumber(
            isNegative: swaps ? other.isNegative : isNegative, digits: result, exponent: lowest)
    }

    func times(_ other: PaperNumber) -> PaperNumber {
        var result = Array(repeating: 0, count: digits.count + other.digits.count)
        for left in digits.indices.reversed() {
            for right in other.digits.indices.reversed() {
                let sum = result[left + right + 1] + digits[left] * other.digits[right]
                result[left + right + 1] = sum % 10
                result[left + right] += sum / 10
            }
        }
        return PaperNumber(
            isNegative: isNegative != other.isNegative, digits: result, exponent: exponent + other.exponent)
    }

    /// Long division to 80 places, and one more digit if there is a rest.
    func divided(by other: PaperNumber) -> PaperNumber {
        let divisor = PaperNumber(isNegative: true, digits: other.digits, exponent: 0)
        var rest = PaperNumber(isNegative: false, digits: [], exponent: 0)
        var quotient: [Int] = []
        for digit in digits + Array(repeating: 0, count: 80) {
            rest.digits = Array(rest.digits.drop { $0 == 0 }) + [digit]
            var times = 0
            while true {
                let next = rest.plus(divisor)
                if next.isNegative && !next.isZero { break }
                rest = PaperNumber(isNegative: false, digits: next.digits, exponent: 0)
                times += 1
            }
            quotient.append(times)
        }
        quotient.append(rest.isZero ? 0 : 1)
        return PaperNumber(
            isNegative: isNegative != other.isNegative, digits: quotient,
            exponent: exponent - other.exponent - 81)
    }

    /// The value after rounding to 34 digits and 6176 decimal places, half to even; an infinity if it is too large.
    func rounded() throws -> Decimal128 {
        var kept = Array(digits.drop { $0 == 0 })
        var power = exponent
        let excess = max(kept.count - 34, -6176 - power)
        if excess > 0 {
            kept = Array(repeating: 0, count: max(0, excess + 1 - kept.count)) + kept
            let dropped = kept.suffix(excess)
            kept.removeLast(excess)
            power += excess
            let half = [5] + Array(repeating: 0, count: excess - 1)
            let isOdd = (kept.last ?? 0) % 2 == 1
            if half.lexicographicallyPrecedes(dropped) || (Array(dropped) == half && isOdd) {
                let sum = PaperNumber(isNegative: false, digits: kept, exponent: 0)
                    .plus(PaperNumber(isNegative: false, digits: [1], exponent: 0))
                kept = sum.digits
            }
        }
        let text = (isNegative ? "-" : "") + kept.map(String.init).joined() + "E\(power)"
        return kept.isEmpty ? 0 : (try? Decimal128(string: text)) ?? .nan
    }
}
