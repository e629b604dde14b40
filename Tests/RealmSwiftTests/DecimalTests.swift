import RealmSwift
import XCTest

/// Decimal numbers of texts: realm-swift 20 declares no error, and makes NaN of what is not a number.
final class DecimalTests: XCTestCase {
    func testTexts() {
        let price: Decimal128 = Decimal128(string: "1.5")
        XCTAssertEqual(price, 1.5)
        XCTAssertTrue(Decimal128(string: "one").isNaN)
        XCTAssertTrue(Decimal128(string: "").isNaN)
        let make: (String) -> Decimal128 = Decimal128.init(string:)
        XCTAssertEqual(["1", "-2E3"].map(make), [1, -2000])
    }
}
