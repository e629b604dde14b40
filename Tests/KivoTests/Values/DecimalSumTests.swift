import TestRandomness
import XCTest

@testable import Kivo

/// Sums of decimals that are added and removed, compared with the sum of what is left.
final class DecimalSumTests: XCTestCase {
    func testSumsOfWhatIsLeft() {
        var random = RandomSource()
        for _ in TestEffort.rounds(400, within: 0.2, atLeast: 40) {
            var (sum, values) = (DecimalSum(), [Decimal128]())
            for _ in 0..<40 {
                if !values.isEmpty, random.chance(40) {
                    sum.add(values.remove(at: random.below(values.count)), sign: -1)
                } else {
                    // All sums have at most 34 digits, so that additions one by one are exact.
                    let digits = Int64(random.below(2_000_000_000)) - 1_000_000_000
                    let value = Decimal128(digits) * (try! Decimal128(string: "1E\(random.below(20) - 10)"))
                    values.append(value)
                    sum.add(value)
                }
                XCTAssertEqual(sum.value, values.reduce(Decimal128(0), +))
            }
            for value in values { sum.add(value, sign: -1) }
            XCTAssertEqual(sum.value, 0)
        }
    }

    func testLargeCoefficientsDoNotOverflow() throws {
        var sum = DecimalSum()
        let large = Decimal128.max
        for _ in 0..<5_000 { sum.add(large) }
        XCTAssertEqual(sum.value, .infinity)
        for _ in 0..<4_999 { sum.add(large, sign: -1) }
        XCTAssertEqual(sum.value, large)
        let nines = try Decimal128(string: String(repeating: "9", count: 34))
        var other = DecimalSum()
        for _ in 0..<5_000 { other.add(nines) }
        XCTAssertEqual(other.value, nines * 5_000)
        for _ in 0..<10_000 { other.add(-nines) }
        XCTAssertEqual(other.value, nines * -5_000)
    }

    func testInfinitiesAndNaNCanBeRemoved() {
        var sum = DecimalSum()
        sum.add(1.5)
        sum.add(.infinity)
        XCTAssertEqual(sum.value, .infinity)
        sum.add(-.infinity)
        XCTAssert(sum.value.isNaN)
        sum.add(.infinity, sign: -1)
        XCTAssertEqual(sum.value, -.infinity)
        sum.add(-.infinity, sign: -1)
        sum.add(.nan)
        XCTAssert(sum.value.isNaN)
        sum.add(.nan, sign: -1)
        XCTAssertEqual(sum.value, 1.5)
    }
}
