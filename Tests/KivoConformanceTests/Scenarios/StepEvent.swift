/// An event in a scenario that follows steps.
enum StepEvent {
    case initial(observer: String, contents: JSONValue)
    case notified(observer: String, Delivery, inWrite: Bool)
    /// Anything else, as the corpus writes it.
    case plain([String: JSONValue])

    static func plain(_ event: String, _ fields: [String: JSONValue] = [:]) -> StepEvent {
        .plain(fields.merging(["event": .string(event)]) { a, _ in a })
    }

    var text: String {
        switch self {
        case .initial(let observer, let contents): "initial \(observer) \(contents)"
        case .notified(let observer, let delivery, let inWrite):
            "notified \(observer) \(Comparison.describe(delivery)) \(delivery.contents)\(inWrite ? " in a write" : "")"
        case .plain(let fields): "\(JSONValue.object(fields))"
        }
    }
}

/// Compares what happened in one step with what was recorded.
struct StepComparison {
    let scenario: Scenario
    let things: [String: ObservedThing]

    /// Returns the complaint, or nil if the events agree.
    func disagreement(_ events: [StepEvent], _ recorded: [JSONValue]) -> String? {
        for (event, expected) in zip(events, recorded) {
            if let complaint = disagreement(event, expected) {
                return "expected \(expected), got \(event.text): \(complaint)"
            }
        }
        if events.count > recorded.count {
            return "got \(events[recorded.count].text), expected nothing more"
        }
        if events.count < recorded.count { return "expected \(recorded[events.count]), got nothing more" }
        return nil
    }

    private func disagreement(_ event: StepEvent, _ expected: JSONValue) -> String? {
        switch event {
        case .plain(let fields):
            var expected = expected.members
            // The words of a refusal are the recording engine's.
            expected?["reason"] = nil
            return expected == fields ? nil : "another event"
        case .initial(let observer, let contents):
            guard expected["event"] == .string("initial"), expected["observer"] == .string(observer) else {
                return "another event"
            }
            return (expected["contents"] ?? .null) == contents ? nil : "other contents"
        case .notified(let observer, let delivery, let inWrite):
            guard expected["event"] == .string("notified"), expected["observer"] == .string(observer),
                let changes = expected["changes"]
            else { return "another event" }
            if expected["in_write"] != .bool(inWrite) { return "not as much in a write" }
            if (expected["contents"] ?? .null) != delivery.contents { return "other contents" }
            return disagreement(delivery, changes, things[observer]!)
        }
    }

    private func disagreement(
        _ delivery: Delivery, _ changes: JSONValue, _ thing: ObservedThing
    ) -> String? {
        let expected = JSONValue.object(
            (changes.members ?? [:]).merging(["delivered": .bool(true)]) { a, _ in a })
        // The contents before are those that this observer saw.
        var scenario = scenario
        scenario.before = delivery.before
        scenario.after = delivery.contents
        if thing.kind == "object" {
            return Comparison.object(delivery, expected: expected, in: scenario)
        }
        if thing.ordering?.isEmpty ?? true {
            return Comparison.collection(delivery, expected: expected, in: scenario)
        }
        return sorted(delivery, expected)
    }

    /// Sorted results: as short a script as the recorded one. What both keep in its place is modified in both or in none.
    private func sorted(_ delivery: Delivery, _ expected: JSONValue) -> String? {
        guard case .collection(let got) = delivery.change else { return "not a change of a collection" }
        if let complaint = Comparison.addsUp(got, from: delivery.before, to: delivery.contents) {
            return complaint
        }
        let recorded = (expected["deletions"]?.ints ?? []).count + (expected["insertions"]?.ints ?? []).count
        if got.deletions.count + got.insertions.count > recorded { return "longer than necessary" }
        let (inserted, modified) = (
            expected["insertions"]?.ints ?? [], expected["modifications"]?.ints ?? []
        )
        for index in (delivery.contents.elements ?? []).indices
        where !inserted.contains(index) && !got.insertions.contains(index)
            && modified.contains(index) != got.currentModifications.contains(index)
        {
            return "\(index) is told wrongly"
        }
        return nil
    }
}
