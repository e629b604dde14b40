import TestRandomness
import XCTest

/// Tests of the comparison of key-value notifications: a runner that agrees with everything proves nothing.
final class KeyValueComparisonTests: XCTestCase {
    func testAnythingElseToldIsFound() throws {
        try forEachObject { name, story, expected in
            XCTAssertEqual(KeyValueComparison.complaints(about: story, expected: expected), [], name)
            for (what, wrong) in mutations(of: story) {
                let complaints = KeyValueComparison.complaints(about: wrong, expected: expected)
                XCTAssertEqual(complaints.count, 1, "\(name): \(what)")
            }
        }
    }

    func testAnythingElseExpectedIsFound() throws {
        try forEachObject { name, story, expected in
            for (what, wrong) in try mutations(ofExpected: expected) {
                XCTAssertNotEqual(
                    KeyValueComparison.complaints(about: story, expected: wrong), [], "\(name): \(what)")
            }
        }
    }

    func testExpectationsAboutOtherObjectsAreFound() throws {
        let family = try BuiltInFamilies.load("kvo")
        var scenario = try XCTUnwrap(family.scenarios.first)
        XCTAssertEqual(KeyValueScenarioRunner().replay(scenario, familySchema: family.schema), .agrees)
        for wrong in [
            JSONValue.array([]), .null, .array([.object(["class": .string("Origin"), "id": .int(0)])]),
        ] {
            scenario.expected = wrong
            guard case .disagrees = KeyValueScenarioRunner().replay(scenario, familySchema: family.schema)
            else {
                return XCTFail("agrees with \(wrong)")
            }
        }
    }

    private func forEachObject(_ body: (String, ObjectStory, JSONValue) throws -> Void) throws {
        let family = try BuiltInFamilies.load("kvo")
        for scenario in TestEffort.cases(family.scenarios, within: 0.3) {
            let expected = try XCTUnwrap(scenario.expected?.elements, scenario.name)
            for stories in try KeyValueScenarioRunner().stories(of: scenario, familySchema: family.schema) {
                XCTAssertEqual(stories.count, expected.count, scenario.name)
                for (story, expected) in zip(stories, expected) { try body(scenario.name, story, expected) }
            }
        }
    }

    /// Stories that differ from a right one in a single respect of a single property.
    private func mutations(of story: ObjectStory) -> [(String, ObjectStory)] {
        story.properties.indices.flatMap { index -> [(String, ObjectStory)] in
            let property = story.properties[index]
            return callMutations(of: property.calls).map { what, calls in
                var wrong = story
                wrong.properties[index].calls = calls
                return ("\(property.name) \(what)", wrong)
            }
        }
    }

    private func callMutations(of calls: [KeyValueCall]) -> [(String, [KeyValueCall])] {
        guard let call = calls.first else { return [("told for nothing", [KeyValueCall(kind: .setting)])] }
        func with(_ change: (inout KeyValueCall) -> Void) -> [KeyValueCall] {
            var wrong = call
            change(&wrong)
            return [wrong]
        }
        return [
            ("not told", []),
            ("told twice", [call, call]),
            ("of no kind", with { $0.kind = nil }),
            ("of another kind", with { $0.kind = $0.kind == .removal ? .insertion : .removal }),
            ("with other indexes", with { $0.indexes = ($0.indexes ?? []) + [1_000] }),
            ("with or without old", with { $0.old = $0.old == nil ? .null : nil }),
            ("with another old", with { $0.old = .string("wrong") }),
            ("with or without new", with { $0.new = $0.new == nil ? .null : nil }),
            ("with another new", with { $0.new = .string("wrong") }),
            ("too early", with { $0.contents = .string("wrong") }),
            ("with an oddity", with { $0.oddities = ["another object"] }),
        ]
    }

    /// Expectations that differ from the recorded one in a single respect.
    private func mutations(ofExpected expected: JSONValue) throws -> [(String, JSONValue)] {
        guard case .object(var members) = expected, case .object(let changes)? = members["changes"] else {
            throw ConformanceError("\(expected) is no expectation")
        }
        var mutated: [(String, JSONValue)] = [("nothing", .null)]
        func add(_ what: String, _ wrong: [String: JSONValue]) {
            members["changes"] = .object(wrong)
            mutated.append((what, .object(members)))
        }
        add("an unknown property", changes.merging(["zzz": .object(["kind": .string("Set")])]) { $1 })
        if changes["id"] == nil {
            add("a change of id", changes.merging(["id": .object(["kind": .string("Set")])]) { $1 })
        }
        for (name, change) in changes {
            add("no \(name)", changes.filter { $0.key != name })
            let indexes = change["indexes"]?.ints
            let other: JSONValue = .object([
                "kind": change["kind"] ?? .null, "indexes": JSONValue((indexes ?? []).map { $0 + 1 }),
            ])
            add("other indexes of \(name)", changes.merging([name: other]) { $1 })
            let wholesale = indexes == nil ? "Insert" : "SetAll"
            add(
                "\(name) as \(wholesale)",
                changes.merging([name: .object(["kind": .string(wholesale)])]) { $1 })
        }
        members["changes"] = .object(changes)
        members["invalidated"] = .bool(expected["invalidated"] == .bool(false))
        mutated.append(("invalidation", .object(members)))
        return mutated
    }

    func testContentsThatChangeUntoldAreFound() {
        var story = PropertyStory(name: "a", before: .int(1), after: .int(1), calls: [])
        XCTAssertNil(KeyValueComparison.complaint(about: story, expected: nil))
        story.after = .int(2)
        XCTAssertNotNil(KeyValueComparison.complaint(about: story, expected: nil))
        story.after = nil
        XCTAssertNil(KeyValueComparison.complaint(about: story, expected: nil), "the object is gone")
    }
}
