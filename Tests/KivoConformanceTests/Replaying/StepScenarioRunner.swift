import Kivo

/// Replays scenarios of several observers, step by step, with what the observers do while being called.
struct StepScenarioRunner {
    /// Replays one scenario on the calling thread, which becomes that of the observing connection.
    func replay(_ scenario: Scenario, familySchema: ConformanceSchema) -> Outcome {
        let schema = scenario.schema ?? familySchema
        guard let models = ModelSet.fitting(schema, among: ConformanceModels.sets) else {
            return .skipped(MissingModels(schema: schema).description)
        }
        if scenario.observers?.contains(where: { ObserverKind(rawValue: $0.thing.kind) == nil }) ?? true {
            return .skipped("an observer of an unknown kind")
        }
        do {
            let performance = try StepPerformance(scenario, schema: schema, models: models)
            let complaint = try performance.run()
            return complaint.map(Outcome.disagrees) ?? .agrees
        } catch {
            return .disagrees("\(error)")
        }
    }
}

/// One scenario being replayed.
private final class StepPerformance {
    private let scenario: Scenario
    private let schema: ConformanceSchema
    private let stage: ScenarioStage
    private var observers: [String: StepObserver] = [:]
    private var recorders: [String: ChangeRecorder] = [:]
    private var tokens: [String: NotificationToken] = [:]
    private var calls: [String: Int] = [:]
    private var events: [StepEvent] = []
    private var failure: (any Error)?

    init(_ scenario: Scenario, schema: ConformanceSchema, models: ModelSet) throws {
        self.schema = schema
        // A filter that lets no modification through becomes the path of a property that is never assigned.
        self.scenario = scenario.playableSteps
        stage = try ScenarioStage(scenario, models: models)
        for observer in self.scenario.observers ?? [] { observers[observer.name] = observer }
    }

    private var realm: Realm { stage.realm }

    /// Replays all steps; returns what is wrong, or nil.
    func run() throws -> String? {
        let expectation = StepExpectation(scenario, schema: schema)
        let comparison = StepComparison(scenario: scenario, things: observers.mapValues(\.thing))
        for observer in scenario.observers ?? [] where observer.late != true { try observe(observer.name) }
        realm.refresh()
        try endStep()
        if let complaint = comparison.disagreement(takeEvents(), expectation.initial) {
            return "at first: \(complaint)"
        }
        for (index, step) in (scenario.steps ?? []).enumerated() {
            try perform(step)
            try endStep()
            let events = takeEvents()
            guard !scenario.has(.changeLostByReference) else { continue }
            if let complaint = comparison.disagreement(events, expectation.events[index]) {
                return "step \(index): \(complaint)"
            }
        }
        return disagreementAtTheEnd()
    }

    private func endStep() throws {
        if let failure { throw failure }
    }

    private func takeEvents() -> [StepEvent] {
        defer { events = [] }
        return events
    }

    private func disagreementAtTheEnd() -> String? {
        for (name, contents) in scenario.final ?? [:] {
            guard let recorder = recorders[name] else { continue }
            let seen = recorder.readContents()
            if seen != contents { return "at the end \(name) sees \(seen), not \(contents)" }
            for delivery in recorder.deliveries {
                guard case .collection(let change) = delivery.change else { continue }
                if let problem = Comparison.addsUp(change, from: delivery.before, to: delivery.contents) {
                    return "\(name): \(problem)"
                }
            }
        }
        return nil
    }

    // MARK: Steps

    private func perform(_ step: Step) throws {
        switch step {
        case .write(let write): try self.write(write)
        case .otherWrite(let ops): try stage.other.commit([ops])
        case .deliver, .refresh: realm.refresh()
        case .observe(let name): try observe(name)
        case .stop(let name): tokens[name]?.invalidate()
        }
    }

    private func observe(_ name: String) throws {
        guard let observer = observers[name], let kind = ObserverKind(rawValue: observer.thing.kind) else {
            throw ConformanceError("there is no observer \(name)")
        }
        let recorder = ChangeRecorder()
        recorders[name] = recorder
        tokens[name] = try kind.register(
            observer.thing, schema: schema, models: stage.models, recorder: recorder, in: realm)
        calls[name] = kind.hasInitialCall ? 0 : 1
        recorder.didRecord = { [unowned self, unowned recorder] delivery in
            called(observer, delivery, recorder)
        }
    }

    private func called(_ observer: StepObserver, _ delivery: Delivery?, _ recorder: ChangeRecorder) {
        let name = observer.name
        if let delivery {
            events.append(.notified(observer: name, delivery, inWrite: realm.isInWriteTransaction))
        } else {
            events.append(.initial(observer: name, contents: recorder.initialContents ?? .null))
        }
        let nth = calls[name, default: 0]
        calls[name] = nth + 1
        do {
            for reaction in observer.onNotify ?? [] where reaction.nth == nth {
                try react(reaction, in: .string(name))
            }
        } catch { failure = error }
        events.append(.plain("callback_returned", ["observer": .string(name)]))
    }

    private func react(_ reaction: Reaction, in observer: JSONValue) throws {
        if let write = reaction.write {
            events.append(.plain("begin_write_called", ["in_callback_of": observer]))
            // Which Kivo does not refuse, but traps on.
            if realm.isInWriteTransaction {
                events.append(.plain("begin_write_failed"))
            } else {
                try self.write(write)
            }
        }
        if let write = reaction.otherWrite {
            guard !realm.isInWriteTransaction else {
                throw ConformanceError("the other connection would wait for ever")
            }
            try stage.other.commit([write.ops])
            events.append(.plain("other_committed", ["in_callback_of": observer]))
        }
        if reaction.refresh == true {
            let returned = realm.refresh()
            events.append(
                .plain("refresh_called", ["in_callback_of": observer, "returned": .bool(returned)]))
        }
        if let name = reaction.stop {
            tokens[name]?.invalidate()
            events.append(.plain("stopped", ["observer": .string(name)]))
        }
    }

    private func write(_ write: ObservingWrite) throws {
        realm.beginWrite()
        events.append(.plain("write_began"))
        for operation in write.ops { try stage.models.perform(operation, in: realm) }
        if write.cancel == true {
            realm.cancelWrite()
            return events.append(.plain("write_cancelled"))
        }
        let suppressed = write.suppress ?? []
        try realm.commitWrite(withoutNotifying: suppressed.compactMap { tokens[$0] })
        events.append(.plain("write_committed"))
        for name in suppressed { recorders[name]?.skip() }
    }
}
