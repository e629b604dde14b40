import KivoEngine

/// What Kivo reports to observers of key paths over backlinks beyond what was recorded: referrals that began or ended.
struct ReferralChanges {
    private let scenario: Scenario
    private let thing: ObservedThing
    private let changes: ElementChanges
    private let ledger: ScenarioLedger
    /// The properties of the observed class.
    private let properties: [String]

    /// Fails if no path leads over backlinks.
    init?(_ scenario: Scenario, schema: ConformanceSchema) {
        let inverses = schema.values.flatMap { $0.filter { $0.value.hasPrefix("backlinks<") }.keys } + ["*"]
        guard let thing = scenario.observe, let paths = thing.keypaths,
            paths.contains(where: { $0.split(separator: ".").contains { inverses.contains(String($0)) } })
        else { return nil }
        self.scenario = scenario
        self.thing = thing
        properties = schema[thing.class, default: [:]].keys.sorted()
        changes = ElementChanges(scenario, schema: schema, countsReferrals: true)
        ledger = ScenarioLedger(scenario, schema: schema, countsReferrals: true)
    }

    /// Returns an expectation with the changes that Kivo reports in addition.
    func added(to expected: JSONValue) -> JSONValue {
        guard case .object(var members) = expected, expected["root_deleted"] != .bool(true),
            expected["deleted"] != .bool(true)
        else { return expected }
        switch thing.kind {
        case "object":
            guard let id = thing.id else { return expected }
            let object = ScenarioLedger.Reference(className: thing.class, id: id)
            var names = expected["changed"]?.strings ?? []
            for path in thing.keypaths ?? [] where ledger.hasChanged(object, keyPaths: [path]) {
                let (first, rest) = (path.prefix { $0 != "." }, path.drop { $0 != "." })
                for name in first == "*" ? properties : [String(first)]
                where !names.contains(name) && ledger.hasChanged(object, keyPaths: [name + rest]) {
                    names.append(name)
                }
            }
            guard !names.isEmpty else { return expected }
            members["changed"] = JSONValue(names)
            members["deleted"] = .bool(false)
        case "dict":
            let inserted = Set(expected["insertions"]?.strings ?? [])
            let modified = Set(expected["modifications"]?.strings ?? [])
            let keys = (scenario.after?.members ?? [:]).filter { key, value in
                modified.contains(key) || !inserted.contains(key) && changes.hasChanged(value)
            }.keys
            guard !keys.isEmpty else { return expected }
            members["modifications"] = JSONValue(Comparison.sorted(Array(keys)))
        default:
            let inserted = Set(expected["insertions"]?.ints ?? [])
            let modified = Set(expected["modifications"]?.ints ?? [])
            let elements = scenario.after?.elements ?? []
            let positions = elements.indices.filter {
                modified.contains($0) || !inserted.contains($0) && changes.hasChanged(elements[$0])
            }
            guard !positions.isEmpty else { return expected }
            members["modifications"] = JSONValue(positions)
            members["modifications_old"] = JSONValue(
                RetainedPositions.positions(
                    positions, without: inserted.sorted(), with: expected["deletions"]?.ints ?? []))
        }
        members["delivered"] = .bool(true)
        return .object(members)
    }
}
