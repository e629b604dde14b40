import Foundation

/// The outcome of a case in one scenario.
enum KeyValueCaseOutcome: Codable, Equatable, Sendable {
    case agrees
    case disagrees(String)
    case leftOut(String)
}

/// Runs cases in this process.
enum KeyValueCaseRun {
    /// Why a pair is left out, or the objects that it needs.
    static func prepare(_ pair: KeyValueCasePair) throws -> (KeyValueCaseScenario, KeyValueCaseCast) {
        guard let scenario = KeyValueCaseScenario(rawValue: pair.scenarioName) else {
            throw KeyValueCaseError("the scenario '\(pair.scenarioName)'")
        }
        if let reason = KeyValueCaseExclusions.reason(pair.test, scenario) { throw KeyValueCaseError(reason) }
        for stage in KeyValueCaseStage.all(pair.kind) {
            if let cast = KeyValueCaseCast(stage, pair.test, scenario) { return (scenario, cast) }
        }
        let usage = KeyValueCaseUsage(pair.test)
        let names = usage.startNames.map { "\($0): \(usage.keys[$0]!.sorted().joined(separator: ", "))" }
        throw KeyValueCaseError("no model with the names and keys (\(names.joined(separator: "; ")))")
    }

    /// Runs all steps but those that have to fail, and compares.
    static func run(_ pair: KeyValueCasePair) -> KeyValueCaseOutcome {
        do {
            let (scenario, cast) = try prepare(pair)
            let world = try KeyValueCaseWorld(pair.test, scenario, cast)
            defer { world.close() }
            for (index, step) in pair.test.steps.enumerated() where step.raises == nil {
                world.step = index
                try world.perform(step)
            }
            world.isRecording = false
            try world.forgetDeclarations()
            let comparison = KeyValueCaseComparison(
                expected: pair.test.expect, isUnordered: pair.test.unordered ?? false)
            let ignored = world.ignoredSteps.union(stepsWithoutAssertion(pair.test))
            let complaint = comparison.complaint(world.records, ignoring: ignored)
            let complaints = [complaint, cast.stage.complaint()].compactMap { $0 } + world.complaints
            return complaints.isEmpty ? .agrees : .disagrees(complaints.joined(separator: "; "))
        } catch let error as KeyValueCaseError {
            return .leftOut(error.description)
        } catch {
            return .disagrees("\(error)")
        }
    }

    /// The steps of a case that lists no notification at all, whose notifications are not what it is about: all, if its note says
    /// so; the registrations of one that takes observers away, for what they send at once.
    private static func stepsWithoutAssertion(_ test: KeyValueCase) -> [Int] {
        guard test.expect.isEmpty else { return [] }
        if test.note?.contains("Notifications are not asserted") == true { return Array(test.steps.indices) }
        guard test.steps.contains(where: { $0.action == "unobserve" }) else { return [] }
        return test.steps.indices.filter { index in
            test.steps[index]["options"]?.elements?.contains(.string("initial")) == true
        }
    }

    /// Runs a case up to a step that has to end the process. Returns only if that does not happen.
    static func fail(_ pair: KeyValueCasePair, at failing: Int, reached: () -> Void) throws {
        let (scenario, cast) = try prepare(pair)
        let world = try KeyValueCaseWorld(pair.test, scenario, cast)
        for index in 0..<failing where pair.test.steps[index].raises == nil {
            world.step = index
            try world.perform(pair.test.steps[index])
        }
        reached()
        world.step = failing
        let step = pair.test.steps[failing]
        if step.raises == "notInWrite" {
            try world.performOutsideOfAWrite(step)
        } else {
            try world.perform(step)
        }
    }
}
