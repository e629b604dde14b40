import Kivo
import XCTest

/// What is assumed of the toolchain holds for this one, in debug and in release builds.
final class ToolchainAssumptionTests: XCTestCase {
    func testAllAssumptionsHoldHere() {
        for assumption in ToolchainAssumption.all {
            let state = assumption.holds.map { $0 ? "holds" : "does not hold" } ?? "is not made here"
            print("\(assumption.name): \(state)")
            XCTAssertNotEqual(assumption.holds, false, assumption.name)
        }
    }
}
