import Kivo

/// Replays scenarios that say what became of the properties of chosen objects: by commits of another
/// connection, or by taking a write transaction back.
///
/// Each property has a key-value observer of its own, and so has `isInvalidated`.
struct KeyValueScenarioRunner {
    var modelSets = ConformanceModels.sets

    /// Replays one scenario on the calling thread, which becomes that of the observing connection.
    func replay(_ scenario: Scenario, familySchema: ConformanceSchema) -> Outcome {
        do {
            let expected = try expectations(of: scenario)
            let runs = try stories(of: scenario, familySchema: familySchema)
            let complaints = runs.flatMap { zip($0, expected).flatMap(KeyValueComparison.complaints) }
            return complaints.isEmpty ? .agrees : .disagrees(complaints.joined(separator: "; "))
        } catch let missing as MissingModels {
            return .skipped(missing.description)
        } catch {
            return .disagrees("\(error)")
        }
    }

    /// Returns the stories of the observed objects, in order; once for each way to replay the scenario.
    func stories(of scenario: Scenario, familySchema: ConformanceSchema) throws -> [[ObjectStory]] {
        let schema = scenario.schema ?? familySchema
        guard let models = ModelSet.fitting(schema, among: modelSets) else {
            throw MissingModels(schema: schema)
        }
        func play() throws -> KeyValuePlay {
            KeyValuePlay(scenario, schema, try ScenarioStage(scenario, models: models))
        }
        guard scenario.rollback == true else { return [try play().refresh()] }
        return [
            try play().takeBack(observedFrom: .afterTheOperations),
            try play().takeBack(observedFrom: .beforeTheOperations),
        ]
    }

    private func expectations(of scenario: Scenario) throws -> [JSONValue] {
        let chosen = scenario.observeObjects ?? []
        let expected = scenario.expected?.elements ?? []
        let isInOrder =
            expected.count == chosen.count
            && zip(expected, chosen).allSatisfy {
                $0["class"] == .string($1.class) && $0["id"] == .int($1.id)
            }
        guard isInOrder else { throw ConformanceError("what is expected is not about what is observed") }
        return expected
    }
}
