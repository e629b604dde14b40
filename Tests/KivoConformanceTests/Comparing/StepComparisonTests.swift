import TestRandomness
import XCTest

/// The comparison of steps itself: a runner that agrees with everything proves nothing.
final class StepComparisonTests: XCTestCase {
    func testAnythingElseThanWhatWasRecordedIsFound() throws {
        for name in BuiltInFamilies.steps {
            let family = try BuiltInFamilies.load(name)
            var tried = 0
            for scenario in TestEffort.cases(
                family.scenarios.prefix(40).filter({ $0.flags == nil }), atLeast: 8)
            {
                for wrong in mutations(of: scenario) {
                    tried += 1
                    let outcome = StepScenarioRunner().replay(wrong, familySchema: family.schema)
                    XCTAssertNotEqual(outcome, .agrees, scenario.name)
                }
            }
            XCTAssertGreaterThan(tried, 10, name)
        }
    }

    /// Scenarios that expect something else in the last call of an observer without a filter.
    private func mutations(of scenario: Scenario) -> [Scenario] {
        let unfiltered = Set((scenario.observers ?? []).filter { $0.thing.keypaths == nil }.map(\.name))
        guard let steps = scenario.expectedEvents else { return [] }
        for (step, events) in steps.enumerated().reversed() {
            for (index, event) in events.enumerated().reversed() {
                guard event["event"] == .string("notified"), case .string(let name)? = event["observer"],
                    unfiltered.contains(name), case .object(let members) = event
                else { continue }
                func replacing(_ field: String, _ value: JSONValue) -> Scenario {
                    var (scenario, members) = (scenario, members)
                    members[field] = value
                    scenario.expectedEvents?[step][index] = .object(members)
                    return scenario
                }
                var without = scenario
                without.expectedEvents?[step].remove(at: index)
                var changes = members["changes"]?.members ?? [:]
                if changes["changed"] != nil {
                    changes["changed"] = JSONValue(["nothing of the kind"])
                } else {
                    changes["insertions"] = JSONValue((changes["insertions"]?.ints ?? []) + [1_000])
                    changes["deletions"] = JSONValue([Int]())
                    changes["root_deleted"] = .bool(false)
                }
                let sorted = scenario.observers?.contains { $0.thing.ordering != nil } ?? false
                return [without, replacing("contents", .string("else")), replacing("in_write", .null)]
                    + (sorted ? [] : [replacing("changes", .object(changes))])
            }
        }
        return []
    }
}
