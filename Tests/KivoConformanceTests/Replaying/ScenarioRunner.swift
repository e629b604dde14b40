import Foundation
import Kivo

/// The outcome of replaying one scenario.
enum Outcome: Equatable {
    case agrees
    case disagrees(String)
    /// The runner has no means to replay it.
    case skipped(String)
}

/// Replays scenarios by the coalesced procedure: one observer, some commits by another connection, one delivery.
struct ScenarioRunner {
    var modelSets = ConformanceModels.sets
    /// How long to wait for an initial call that needs the run loop, in seconds.
    var patience = 60.0

    /// Replays one scenario on the calling thread, which becomes that of the observing connection.
    func replay(_ scenario: Scenario, familySchema: ConformanceSchema) -> Outcome {
        let scenario = scenario.playable
        guard let thing = scenario.observe else { return .skipped("not a coalesced scenario") }
        guard let kind = ObserverKind(rawValue: thing.kind) else {
            return .skipped("no observer of kind \(thing.kind)")
        }
        if let obstacle = thing.obstacle { return .skipped(obstacle) }
        let schema = scenario.schema ?? familySchema
        guard let models = ModelSet.fitting(schema, among: modelSets) else {
            return .skipped(MissingModels(schema: schema).description)
        }
        do {
            let observation = try observe(scenario, thing, as: kind, schema: schema, models: models)
            let complaint = disagreement(with: observation, kind: kind, in: scenario, schema: schema)
            return complaint.map(Outcome.disagrees) ?? .agrees
        } catch {
            return .disagrees("\(error)")
        }
    }

    /// The deliveries of an observer, and the contents of the observed thing at the beginning and at the end.
    private struct Observation {
        var before: JSONValue
        var deliveries: [Delivery]
        var after: JSONValue
    }

    private func observe(
        _ scenario: Scenario, _ thing: ObservedThing, as kind: ObserverKind, schema: ConformanceSchema,
        models: ModelSet
    ) throws -> Observation {
        let stage = try ScenarioStage(scenario, models: models)
        let realm = stage.realm
        let recorder = ChangeRecorder()
        let token = try kind.register(thing, schema: schema, models: models, recorder: recorder, in: realm)
        defer { token.invalidate() }
        try deliverInitial(kind, recorder, realm)
        guard recorder.deliveries.isEmpty, let before = recorder.initialContents else {
            throw ConformanceError("told of \(recorder.deliveries) before anything changed")
        }

        try stage.other.commit(scenario.transactions ?? [])
        guard recorder.deliveries.isEmpty else {
            throw ConformanceError("told of \(recorder.deliveries) before the refresh")
        }
        realm.refresh()
        // There is nothing left: a second refresh must not call anybody.
        realm.refresh()
        guard recorder.initialCalls == (kind.hasInitialCall ? 1 : 0) else {
            throw ConformanceError("\(recorder.initialCalls) initial calls")
        }
        return Observation(before: before, deliveries: recorder.deliveries, after: recorder.readContents())
    }

    /// Lets the initial call happen, by a refresh or else by the thread's run loop.
    private func deliverInitial(_ kind: ObserverKind, _ recorder: ChangeRecorder, _ realm: Realm) throws {
        realm.refresh()
        guard kind.hasInitialCall else { return }
        let deadline = Date(timeIntervalSinceNow: patience)
        while recorder.initialCalls == 0, Date() < deadline {
            _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
        }
        if recorder.initialCalls == 0 { throw ConformanceError("the initial call did not come") }
    }

    private func disagreement(
        with observation: Observation, kind: ObserverKind, in scenario: Scenario, schema: ConformanceSchema
    ) -> String? {
        // A null in the file decodes to nil.
        let before = scenario.before ?? .null
        let after = scenario.after ?? .null
        guard kind.agree(observation.before, before) else {
            return "before is \(observation.before), not \(before)"
        }
        guard observation.deliveries.count <= 1 else {
            return "\(observation.deliveries.count) calls: \(observation.deliveries)"
        }
        let delivery = observation.deliveries.first
        if let contents = delivery?.contents, !kind.agree(contents, after) {
            return "the callback sees \(contents), not \(after)"
        }
        guard kind.agree(observation.after, after) else {
            return "after is \(observation.after), not \(after)"
        }

        let referrals = ReferralChanges(scenario, schema: schema)
        let complaints = scenario.acceptable.map { expected in
            kind.disagreement(
                of: delivery, with: referrals?.added(to: expected) ?? expected, in: scenario, schema: schema)
        }
        if complaints.isEmpty { return "the scenario expects nothing" }
        return complaints.contains(nil) ? nil : complaints.compactMap { $0 }.joined(separator: "; or: ")
    }
}
