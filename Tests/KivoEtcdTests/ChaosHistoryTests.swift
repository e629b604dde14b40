import XCTest

/// The checker finds what it is there for.
final class ChaosHistoryTests: XCTestCase {
    private let found = [("a", 1), ("b", 2), ("c", 3)]

    private func violations(_ lines: [String], _ found: [(name: String, position: Int)]? = nil) -> Int {
        ChaosHistory([[lines]], found ?? self.found).violations.count
    }

    func testAHistoryThatIsRight() {
        let lines = [
            "R 0", "S a 10", "A a 1 20", "S b 30", "A b 2 40", "R 2", "S x 50", "F x", "S c 60", "U c",
        ]
        XCTAssertEqual(violations(lines), 0)
    }

    func testViolations() {
        XCTAssertEqual(violations(["S d 1", "A d 4 2"]), 1, "lost")
        XCTAssertEqual(violations(["S a 1", "A a 2 2"]), 1, "at another position")
        XCTAssertEqual(violations(["S a 1", "F a"]), 1, "failed and there")
        XCTAssertEqual(violations(["R 2", "R 1"]), 1, "reads that go back")
        XCTAssertEqual(violations(["R 4"]), 1, "more than there is")
        XCTAssertEqual(violations(["S b 1", "A b 2 2", "S a 3", "A a 1 4"]), 1, "not linearizable")
        XCTAssertEqual(violations(["X 1 2"]), 1, "listeners")
        XCTAssertEqual(violations([], [("a", 1), ("a", 2)]), 1, "twice")
        XCTAssertEqual(violations([], [("a", 1), ("b", 3)]), 1, "a gap")
    }
}
