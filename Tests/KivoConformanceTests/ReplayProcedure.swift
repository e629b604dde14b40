/// How a scenario is replayed. Its fields tell which procedure it is made for.
enum ReplayProcedure {
    /// One observer, one delivery for all commits.
    case coalesced
    /// Key-value observers on the properties of chosen objects.
    case keyValue

    init(for scenario: Scenario) {
        self = scenario.observeObjects == nil ? .coalesced : .keyValue
    }

    func replay(_ scenario: Scenario, familySchema: ConformanceSchema) -> Outcome {
        switch self {
        case .coalesced: ScenarioRunner().replay(scenario, familySchema: familySchema)
        case .keyValue: KeyValueScenarioRunner().replay(scenario, familySchema: familySchema)
        }
    }
}
