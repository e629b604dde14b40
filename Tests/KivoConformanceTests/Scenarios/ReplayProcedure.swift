/// How a scenario is replayed, which its fields decide.
enum ReplayProcedure {
    /// One observer, one delivery for all commits.
    case coalesced
    /// Key-value observers on the properties of chosen objects.
    case keyValue
    /// Several observers, and steps with events of their own.
    case steps

    init(for scenario: Scenario) {
        self = scenario.steps != nil ? .steps : scenario.observeObjects == nil ? .coalesced : .keyValue
    }

    func replay(_ scenario: Scenario, familySchema: ConformanceSchema) -> Outcome {
        switch self {
        case .coalesced: ScenarioRunner().replay(scenario, familySchema: familySchema)
        case .steps: StepScenarioRunner().replay(scenario, familySchema: familySchema)
        case .keyValue: KeyValueScenarioRunner().replay(scenario, familySchema: familySchema)
        }
    }
}
