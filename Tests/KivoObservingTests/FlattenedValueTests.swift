import Foundation
import KivoObserving
import XCTest

/// Optionals around values of any type, which `Any` hides.
final class FlattenedValueTests: XCTestCase {
    private final class Node {}
    private enum Choice { case first, second(Int) }

    func testOptionalsAreUnwrapped() {
        XCTAssertNil(flatten(nil))
        XCTAssertNil(flatten(Int?.none as Any))
        XCTAssertNil(flatten(Int???.none as Any))
        XCTAssertNil(flatten(Int???.some(.some(.none)) as Any))
        XCTAssertNil(flatten(Node?.none as Any))
        XCTAssertNil(flatten([Int]?.none as Any))
        XCTAssertNil(flatten((any Error)?.none as Any))
        XCTAssertNil(flatten(Any?.some(Int?.none as Any) as Any))
        XCTAssertEqual(flatten(Int???.some(7) as Any) as? Int, 7)
        XCTAssertEqual(flatten(Any?.some(Int?.some(7) as Any) as Any) as? Int, 7)
        XCTAssertEqual(flatten([Int]??.some([1, 2]) as Any) as? [Int], [1, 2])
        XCTAssertEqual(flatten(Int?.some(0) as Any) as? Int, 0)
    }

    /// Values of all kinds of types stay the same.
    func testOtherValuesStay() throws {
        let node = Node()
        XCTAssertTrue(flatten(node) as AnyObject === node)
        XCTAssertTrue(flatten(Node?.some(node) as Any) as AnyObject === node)
        let number = NSNumber(value: 3)
        XCTAssertTrue(flatten(number) as AnyObject === number)
        let values: [Any] = [
            1, "two", 3.0, Data(), [Int?.none], ["a": 1], Set([1]), Choice.second(2), Choice.first, (1, 2),
        ]
        for value in values {
            let flat = try XCTUnwrap(flatten(value))
            XCTAssertTrue(type(of: flat) == type(of: value), "\(value)")
        }
        let function: () -> Int = { 5 }
        XCTAssertEqual((flatten(function) as? () -> Int)?(), 5)
        XCTAssertTrue(flatten(Int.self) as? Any.Type == Int.self)
        XCTAssertTrue(flatten(Int?.self) as? Any.Type == Int?.self)
        XCTAssertTrue(flatten(Node.self) as? Any.Type == Node.self)
        XCTAssertNotNil(flatten(CocoaError(.fileNoSuchFile)))
    }
}
