/// The expected events of a scenario that follows steps, derived from the recorded ones.
struct StepExpectation {
    private(set) var initial: [JSONValue] = []
    private(set) var events: [[JSONValue]] = []

    init(_ scenario: Scenario, schema: ConformanceSchema) {
        let filters = SharedFilters(scenario, schema: schema)
        let objects = Set((scenario.observers ?? []).filter { $0.thing.kind == "object" }.map(\.name))
        let silenced = scenario.silencedByACancelledWrite
        func adapt(_ recorded: [JSONValue]) -> [JSONValue] {
            var adapted: [JSONValue] = []
            // How many calls of an observer are under way, and which of them do not happen here.
            var dropped: [String: [Bool]] = [:]
            for event in recorded {
                guard case .string(let name)? = event["observer"] else {
                    adapted.append(event)
                    continue
                }
                switch event["event"] {
                case .string("initial") where objects.contains(name):
                    // The public API has no initial calls of objects.
                    dropped[name, default: []].append(true)
                case .string("initial"), .string("notified"):
                    let event = event["event"] == .string("notified") ? filters.adapt(event, name) : event
                    dropped[name, default: []].append(event == nil)
                    if let event { adapted.append(event) }
                case .string("callback_returned"):
                    if dropped[name]?.popLast() != true { adapted.append(event) }
                default: adapted.append(event)
                }
            }
            return adapted
        }
        initial = adapt(scenario.expectedInitialEvents ?? [])
        events = (scenario.expectedEvents ?? []).map { adapt($0) }
        // A request to skip an observer belongs to a commit here: a cancelled write leaves nothing pending.
        if let (name, like) = silenced {
            events = events.map { step in
                let calls = step.filter { $0["observer"] == .string(like) }
                let renamed = calls.map { event -> JSONValue in
                    guard case .object(var members) = event else { return event }
                    members["observer"] = .string(name)
                    return .object(members)
                }
                guard let place = step.firstIndex(where: { $0["observer"] == .string(like) }) else {
                    return step
                }
                return Array(step[..<place]) + renamed + Array(step[place...])
            }
        }
    }
}

extension Scenario {
    /// The scenario as the public API can play it, see ``playable``.
    var playableSteps: Scenario {
        let isAssigned = operations.contains { operation in
            if case .edit(_, _, "id", _) = operation { true } else { false }
        }
        var scenario = self
        scenario.observers = observers?.map { observer in
            guard observer.thing.keypaths?.isEmpty == true, !isAssigned else { return observer }
            var observer = observer
            observer.thing.keypaths = ["id"]
            return observer
        }
        return scenario
    }

    /// The operations of the steps.
    var operations: [Operation] {
        (steps ?? []).flatMap { step -> [Operation] in
            switch step {
            case .write(let write): write.ops
            case .otherWrite(let ops): ops
            case .deliver, .refresh, .observe, .stop: []
            }
        }
    }

    /// An observer that the recording engine did not notify of a commit, because a write that was then cancelled had asked for
    /// that. Also an observer of the same collection that was notified.
    fileprivate var silencedByACancelledWrite: (name: String, like: String)? {
        for case .write(let write) in steps ?? [] where write.cancel == true {
            guard let name = write.suppress?.first,
                let like = observers?.first(where: { $0.sameCollectionAs == name })?.name
            else { continue }
            return (name, like)
        }
        return nil
    }
}

/// The recording engine gives observers of one instance the union of their filters. Kivo keeps them apart: an observer with a
/// filter is notified only of what this filter lets through, and not at all if that is nothing.
private struct SharedFilters {
    private let scenario: Scenario
    private let schema: ConformanceSchema
    private var things: [String: ObservedThing] = [:]
    private let ledger: ScenarioLedger

    init(_ scenario: Scenario, schema: ConformanceSchema) {
        var played = scenario
        played.transactions = [scenario.operations]
        self.scenario = played
        self.schema = schema
        ledger = ScenarioLedger(played, schema: schema)
        for observer in scenario.observers ?? [] { things[observer.name] = observer.thing }
    }

    /// Returns the event that replaces a recorded call, or nil if the observer is not notified.
    func adapt(_ event: JSONValue, _ name: String) -> JSONValue? {
        guard let thing = things[name], let keyPaths = thing.keypaths, !keyPaths.isEmpty,
            case .object(var members) = event, case .object(var changes)? = members["changes"]
        else { return event }
        if thing.kind == "object" {
            if changes["deleted"] == .bool(true) { return event }
            let object = ScenarioLedger.Reference(className: thing.class, id: thing.id ?? 0)
            let paths = keyPaths.filter { ledger.hasChanged(object, keyPaths: [$0]) }
            let names = Set(paths.compactMap { $0.split(separator: ".").first.map(String.init) })
            changes["changed"] = JSONValue(names.sorted())
            if names.isEmpty { return nil }
        } else {
            var played = scenario
            played.observe = thing
            let elements = ElementChanges(played, schema: schema)
            let contents = event["contents"]?.elements ?? []
            let kept = zip(changes["modifications_old"]?.ints ?? [], changes["modifications"]?.ints ?? [])
                .filter { elements.hasChanged(contents[$1]) }
            changes["modifications_old"] = JSONValue(kept.map { $0.0 })
            changes["modifications"] = JSONValue(kept.map { $0.1 })
            let isEmpty = ["deletions", "insertions", "modifications"].allSatisfy {
                changes[$0]?.ints?.isEmpty ?? true
            }
            if isEmpty, changes["cleared"] != .bool(true), changes["root_deleted"] != .bool(true) {
                return nil
            }
        }
        members["changes"] = .object(changes)
        return .object(members)
    }
}
