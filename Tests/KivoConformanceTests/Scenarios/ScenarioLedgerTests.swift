import XCTest

/// The ledger says which elements changed where a recorded delivery only says that they moved. Where the delivery
/// says both, they have to agree.
final class ScenarioLedgerTests: XCTestCase {
    func testTheLedgerAgreesWithWhatWasRecorded() throws {
        for name in ["results", "keypath", "depth", "backlinks"] {
            let family = try BuiltInFamilies.load(name)
            var (changed, unchanged) = (0, 0)
            for scenario in family.scenarios {
                guard let thing = scenario.observe, ["results", "backlinks"].contains(thing.kind),
                    thing.obstacle == nil, let expected = scenario.expected
                else { continue }
                let changes = ElementChanges(scenario, schema: scenario.schema ?? family.schema)
                guard changes.elementClass != nil else { continue }
                for (element, isModified) in changes.recorded(expected) {
                    XCTAssertEqual(
                        changes.hasChanged(element), isModified, "\(scenario.name): element \(element)")
                    if isModified { changed += 1 } else { unchanged += 1 }
                }
            }
            XCTAssertGreaterThan(changed, 0, name)
            XCTAssertGreaterThan(unchanged, 0, name)
        }
    }

    func testTheLengthOfALongestCommonSubsequence() {
        func common(_ a: [Int], _ b: [Int]) -> Int {
            Comparison.commonCount(a.map(JSONValue.int), b.map(JSONValue.int))
        }
        XCTAssertEqual(common([], [1]), 0)
        XCTAssertEqual(common([1, 2, 3], [1, 2, 3]), 3)
        XCTAssertEqual(common([1, 2, 3, 4], [4, 1, 2]), 2)
        XCTAssertEqual(common([1, 1, 2, 1], [2, 1, 1, 1]), 3)
    }
}
