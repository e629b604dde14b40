import Foundation
import XCTest

/// Deliveries that differ from the recorded one and are just as right, and some that are not.
final class EquivalenceTests: XCTestCase {
    /// Item 0 moves behind item 1 because its value grows. The recorded script moves item 0; moving item 1 instead
    /// leaves item 0 where it is, and it changed.
    private let text = """
        {"name": "sorted", "initial": {"Item": [{"id": 0, "value": 1}, {"id": 1, "value": 2}]},
         "observe": {"kind": "results", "class": "Item",
                     "ordering": [{"sort": [{"prop": "value", "ascending": true}]}]},
         "transactions": [[{"op": "set", "class": "Item", "id": 0, "prop": "value", "value": 3}]],
         "before": [0, 1], "after": [1, 0],
         "expected": {"delivered": true, "deletions": [0], "insertions": [1], "modifications": []}}
        """

    private func complaint(
        _ deletions: [Int], _ insertions: [Int], _ modifications: [Int], _ currentModifications: [Int]
    ) throws -> String? {
        let scenario = try JSONDecoder().decode(Scenario.self, from: Data(text.utf8))
        let change = CollectionDelivery(
            deletions: deletions, insertions: insertions, modifications: modifications,
            currentModifications: currentModifications)
        let delivery = Delivery(
            change: .collection(change), before: try XCTUnwrap(scenario.before),
            contents: try XCTUnwrap(scenario.after))
        return ObserverKind.results.disagreement(
            of: delivery, with: try XCTUnwrap(scenario.expected), in: scenario,
            schema: ["Item": ["id": "int", "value": "int"]])
    }

    func testAnotherScriptOfTheSameLengthAgrees() throws {
        XCTAssertNil(try complaint([0], [1], [], []))
        XCTAssertNil(try complaint([1], [0], [0], [1]))
    }

    func testWhatIsNotAsGoodIsFound() throws {
        XCTAssertNotNil(try complaint([1], [0], [], []), "item 0 changed and is not named")
        XCTAssertNotNil(try complaint([0], [1], [1], [0]), "item 1 did not change")
        XCTAssertNotNil(try complaint([0], [1], [0], [1]), "item 0 is named twice")
        XCTAssertNotNil(try complaint([1], [0], [1], [1]), "item 1 is deleted and modified")
        XCTAssertNotNil(try complaint([1], [0], [0], [0]), "item 0 is at 1 afterwards")
        XCTAssertNotNil(try complaint([0, 1], [0, 1], [], []), "longer than necessary")
        XCTAssertNotNil(try complaint([], [], [1], [1]), "leads elsewhere")
    }

    func testConditionsAndOrderingsAreRead() throws {
        let text = """
            {"kind": "results", "class": "Item", "keypaths": ["*"],
             "where": [{"prop": "link.value", "cmp": ">=", "value": 4}],
             "ordering": [{"sort": [{"prop": "value", "ascending": false}]}, {"distinct": ["name"]}],
             "list": {"class": "Owner", "id": 1, "prop": "list"}}
            """
        var thing = try JSONDecoder().decode(ObservedThing.self, from: Data(text.utf8))
        XCTAssertEqual(thing.where?.first?.cmp, .greaterOrEqual)
        XCTAssertEqual(thing.ordering?.count, 2)
        guard case .distinct(["name"])? = thing.ordering?.last else {
            return XCTFail("\(thing.ordering ?? [])")
        }
        XCTAssertNil(thing.obstacle)
        thing.keypaths = ["link.*", "*.a"]
        XCTAssertNil(thing.obstacle)
        thing.keypaths = []
        XCTAssertNotNil(thing.obstacle, "no filter")
    }
}
