import Foundation
import RealmSwift
import XCTest

/// Conversions between values and what they are by name, under the names of the established API.
final class BridgingTests: XCTestCase {
    enum Grade: Int, PersistableEnum { case low = 1, high = 5 }

    struct Label: CustomPersistable, Equatable {
        var text: String
        init(persistedValue: String) { text = persistedValue }
        var persistableValue: String { text.uppercased() }
    }

    func testFoundationIsExported() { XCTAssertEqual(Deadline().day.timeIntervalSince1970, 0) }

    func testFromStoredValues() {
        XCTAssertEqual(dynamicBridgeCast(fromObjectiveC: NSNumber(value: 3)) as Int, 3)
        XCTAssertEqual(dynamicBridgeCast(fromObjectiveC: "a" as AnyObject) as String, "a")
        XCTAssertEqual(dynamicBridgeCast(fromObjectiveC: 5) as Grade, .high)
        XCTAssertEqual(dynamicBridgeCast(fromObjectiveC: Grade.low) as Grade, .low)
        XCTAssertEqual(dynamicBridgeCast(fromObjectiveC: "x") as Label, Label(persistedValue: "x"))
        XCTAssertNil(dynamicBridgeCast(fromObjectiveC: NSNull()) as Int?)
        XCTAssertEqual(dynamicBridgeCast(fromObjectiveC: NSNumber(value: 2)) as Int8?, 2)
        let id = ObjectId.generate()
        XCTAssertEqual(dynamicBridgeCast(fromObjectiveC: id as AnyObject) as ObjectId, id)
    }

    func testToStoredValues() {
        XCTAssertEqual(dynamicBridgeCast(fromSwift: Grade.high) as? Int, 5)
        XCTAssertEqual(dynamicBridgeCast(fromSwift: Label(persistedValue: "x")) as? String, "X")
        XCTAssertEqual(dynamicBridgeCast(fromSwift: 1.5) as? Double, 1.5)
        XCTAssertEqual(dynamicBridgeCast(fromSwift: AnyRealmValue.int(4)) as? Int, 4)
        XCTAssertTrue(dynamicBridgeCast(fromSwift: AnyRealmValue.none) is NSNull)
        XCTAssertTrue(dynamicBridgeCast(fromSwift: Int?.none) is NSNull)
    }
}
