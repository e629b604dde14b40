import TestRandomness

/// The outcome of one family: a line for the log, and what to fail with.
struct FamilyReport {
    let family: String
    private(set) var total = 0
    private(set) var agreed = 0
    /// How many scenarios were skipped for each reason.
    private(set) var skipped: [String: Int] = [:]
    /// The complaints, by scenario name.
    private(set) var disagreements: [(name: String, complaint: String)] = []

    /// Replays scenarios of a family, each by the procedure that it is made for.
    ///
    /// - Parameter scenarios: The scenarios to replay, or nil for all.
    init(
        replaying family: ConformanceFamily, _ scenarios: TestEffort.Trials<[Scenario]>? = nil, trace: Bool
    ) {
        self.family = family.family
        for scenario in scenarios.map(AnySequence.init) ?? AnySequence(family.scenarios) {
            total += 1
            if trace { print("  \(scenario.name)") }
            switch ReplayProcedure(for: scenario).replay(scenario, familySchema: family.schema) {
            case .agrees: agreed += 1
            case .disagrees(let complaint): disagreements.append((scenario.name, complaint))
            case .skipped(let reason): skipped[reason, default: 0] += 1
            }
        }
    }

    var summary: String {
        let count = skipped.values.reduce(0, +)
        let reasons = skipped.sorted { $0.key < $1.key }
        if total > 0, count == total {
            return "\(family): skipped (\(reasons.map(\.key).joined(separator: "; ")))"
        }
        let line = "\(family): \(agreed) of \(total) scenarios agree"
        guard count > 0 else { return line }
        return
            "\(line), \(count) skipped: \(reasons.map { "\($0.key) (\($0.value))" }.joined(separator: "; "))"
    }

    /// The first disagreements, a line each.
    func details(limit: Int) -> [String] {
        var lines = disagreements.prefix(limit).map { "  \($0.name): \($0.complaint)" }
        if disagreements.count > limit { lines.append("  … and \(disagreements.count - limit) more") }
        return lines
    }
}
