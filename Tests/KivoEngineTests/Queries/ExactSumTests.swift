import TestRandomness
import XCTest

@testable import KivoEngine

/// Sums of doubles that are added and removed, compared with the sum of what is left, computed by another algorithm.
final class ExactSumTests: XCTestCase {
    /// Returns the exact sum of finite values, rounded once: partial sums that do not overlap hold all of its digits.
    static func exactSum(_ values: [Double]) -> Double {
        var partials: [Double] = []
        for value in values {
            var (value, kept) = (value, [Double]())
            for partial in partials {
                let (large, small) = abs(value) < abs(partial) ? (partial, value) : (value, partial)
                let sum = large + small
                let rest = small - (sum - large)
                if rest != 0 { kept.append(rest) }
                value = sum
            }
            partials = kept + [value]
        }
        guard var sum = partials.popLast() else { return 0 }
        while let partial = partials.popLast() {
            let before = sum
            sum += partial
            let rest = partial - (sum - before)
            if rest == 0 { continue }
            // Half-way cases are rounded by what is below.
            if let next = partials.last, (rest < 0) == (next < 0) {
                let other = sum + rest * 2
                if rest * 2 == other - sum { sum = other }
            }
            break
        }
        // There is one zero.
        return sum + 0
    }

    private static func value(_ random: inout TestRandom) -> Double {
        let sign: FloatingPointSign = random.chance(50) ? .plus : .minus
        let bits = random.next() & (1 << 52 - 1)
        switch random.below(8) {
        case 0: return Double(random.below(1_000) - 500)
        case 1: return Double(random.below(1_000)) / 100
        case 2: return Double(sign: sign, exponentBitPattern: 0, significandBitPattern: bits)
        case 3: return Double(sign: sign, exponentBitPattern: 1, significandBitPattern: bits)
        case 4:
            // A half of the last digit of others.
            return Double(sign: sign, exponent: -53 + random.below(3), significand: 1)
        case 5: return Double(sign: sign, exponent: random.below(4), significand: 1)
        default:
            return Double(
                sign: sign, exponentBitPattern: UInt(random.below(1_900)), significandBitPattern: bits)
        }
    }

    func testSumsOfWhatIsLeft() {
        var random = TestRandom()
        for round in TestEffort.rounds(4_000, within: 0.3, atLeast: 200) {
            var (sum, values) = (ExactSum(), [Double]())
            for _ in 0..<random.below(40) {
                if !values.isEmpty, random.chance(40) {
                    sum.add(values.remove(at: random.below(values.count)), sign: -1)
                } else {
                    values.append(ExactSumTests.value(&random))
                    sum.add(values.last!)
                }
                XCTAssertEqual(sum.value, ExactSumTests.exactSum(values), "round \(round): \(values)")
            }
            for value in values.shuffled(using: &random) { sum.add(value, sign: -1) }
            XCTAssertEqual(sum.value, 0)
        }
    }

    func testTenthsAndLargeValues() {
        var sum = ExactSum()
        for _ in 0..<10 { sum.add(0.1) }
        XCTAssertEqual(sum.value, 1)
        sum.add(1e300)
        sum.add(1)
        sum.add(-1e300)
        XCTAssertEqual(sum.value, 2)
        var large = ExactSum()
        for _ in 0..<4 { large.add(.greatestFiniteMagnitude) }
        XCTAssertEqual(large.value, .infinity)
        for _ in 0..<3 { large.add(-.greatestFiniteMagnitude) }
        XCTAssertEqual(large.value, .greatestFiniteMagnitude)
    }

    func testInfinitiesCanBeRemoved() {
        var sum = ExactSum()
        sum.add(2.5)
        sum.add(.infinity)
        XCTAssertEqual(sum.value, .infinity)
        sum.add(-.infinity)
        XCTAssert(sum.value.isNaN)
        sum.add(.infinity, sign: -1)
        XCTAssertEqual(sum.value, -.infinity)
        sum.add(-.infinity, sign: -1)
        XCTAssertEqual(sum.value, 2.5)
    }
}
