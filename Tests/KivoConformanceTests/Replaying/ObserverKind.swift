import Kivo

/// The kinds of observed things that the runner can set up and compare.
enum ObserverKind: String {
    case list
    case set
    case dict
    case results
    case backlinks
    case object
    case sectioned

    /// Registers an observer on the calling thread.
    func register(
        _ thing: ObservedThing, schema: ConformanceSchema, models: ModelSet, recorder: ChangeRecorder,
        in realm: Realm
    ) throws -> NotificationToken {
        let adapter = try models.adapter(thing.class)
        func id() throws -> Int {
            guard let id = thing.id else { throw ConformanceError("observing \(self) needs an id") }
            return id
        }
        switch self {
        case .list, .set, .dict, .backlinks:
            guard let property = thing.prop else {
                throw ConformanceError("observing \(self) needs a property")
            }
            return try adapter.observeCollection(
                id: id(), property: property, keyPaths: thing.keypaths, recorder: recorder, in: realm)
        case .results:
            let context = QueryContext(models: models, realm: realm)
            guard let list = thing.list else {
                return try adapter.observeResults(for: thing, recorder: recorder, context)
            }
            let owner = try models.adapter(list.class)
            return try owner.observeResults(over: list, for: thing, recorder: recorder, context)
        case .sectioned:
            let context = QueryContext(models: models, realm: realm)
            return try adapter.observeSections(for: thing, recorder: recorder, context)
        case .object:
            let visible = Set(schema[thing.class, default: [:]].keys)
            return try adapter.observeObject(
                id: id(), keyPaths: thing.keypaths, visible: visible, recorder: recorder, in: realm)
        }
    }

    /// Whether the public API calls the observer once before any change.
    var hasInitialCall: Bool {
        self != .object
    }

    /// Whether `contents` are what the scenario recorded. Backlinks come in an order of the engine's own.
    func agree(_ contents: JSONValue, _ recorded: JSONValue) -> Bool {
        guard self == .backlinks, let ids = contents.ints, let recorded = recorded.ints else {
            return contents == recorded
        }
        return ids.sorted() == recorded.sorted()
    }

    /// Why `delivery` (nil: the observer was not called) is not what `expected` asks for; nil if it is.
    func disagreement(
        of delivery: Delivery?, with expected: JSONValue, in scenario: Scenario, schema: ConformanceSchema
    ) -> String? {
        let thing = scenario.observe
        switch self {
        case .object:
            return Comparison.object(delivery, expected: expected, in: scenario)
        case .sectioned:
            return Comparison.sections(
                delivery, expected: expected, changes: ElementChanges(scenario, schema: schema), in: scenario)
        case .dict:
            return Comparison.map(delivery, expected: expected, in: scenario)
        case .results where thing?.list != nil || thing?.ordering?.isEmpty == false, .backlinks:
            // Merged from one change for each commit, or over a list with duplicates, a recorded script may be longer
            // than necessary.
            return Comparison.equivalent(
                delivery, expected: expected, changes: ElementChanges(scenario, schema: schema),
                isShortest: thing?.list == nil && expected == scenario.expected)
        case .list, .set, .results:
            return Comparison.collection(delivery, expected: expected, in: scenario)
        }
    }
}
