import KivoSourceModel
import XCTest

@testable import Kivo

/// The tools that read sources are built without Kivo, and repeat a part of its table of scalar types.
final class ScalarNameTests: XCTestCase {
    func testTheTablesAgree() throws {
        let scalars = ScalarType.all.filter { $0 != .any }
        XCTAssertEqual(Set(ScalarName.allCases.map(\.rawValue)), Set(scalars.map(\.name)))
        for scalar in scalars {
            let name = try XCTUnwrap(ScalarName(rawValue: scalar.name))
            XCTAssertEqual(name.canBePrimaryKey, scalar.canBePrimaryKey, scalar.name)
            XCTAssertEqual(name.canBeIndexed, scalar.canBeIndexed, scalar.name)
            let zero = try XCTUnwrap(scalar.swiftType).makeDefault()
            XCTAssertEqual(name.isInteger, zero is any BinaryInteger, scalar.name)
            XCTAssertEqual(name.isFloatingPoint, zero is any BinaryFloatingPoint, scalar.name)
            if let literal = name.zero {
                XCTAssertEqual(
                    literal, (zero as? String)?.debugDescription ?? "\(zero)".replacing(".0", with: ""))
            }
        }
    }
}
