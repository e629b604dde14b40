import Kivo

/// The kinds of observed things that the runner can set up and compare.
enum ObserverKind: String {
    case list
    case object

    /// Registers an observer on the calling thread.
    func register(
        _ thing: ObservedThing, schema: ConformanceSchema, models: ModelSet, recorder: ChangeRecorder,
        in realm: Realm
    ) throws -> NotificationToken {
        let adapter = try models.adapter(thing.class)
        guard let id = thing.id else { throw ConformanceError("observing \(self) needs an id") }
        switch self {
        case .list:
            guard let property = thing.prop else {
                throw ConformanceError("observing \(self) needs a property")
            }
            return try adapter.observeCollection(
                id: id, property: property, keyPaths: thing.keypaths, recorder: recorder, in: realm)
        case .object:
            let visible = Set(schema[thing.class, default: [:]].keys)
            return try adapter.observeObject(
                id: id, keyPaths: thing.keypaths, visible: visible, recorder: recorder, in: realm)
        }
    }

    /// Whether the public API calls the observer once before any change.
    var hasInitialCall: Bool {
        self == .list
    }

    /// Why `delivery` (nil: the observer was not called) is not what `expected` asks for; nil if it is.
    func disagreement(of delivery: Delivery?, with expected: JSONValue, in scenario: Scenario) -> String? {
        switch self {
        case .list: Comparison.list(delivery, expected: expected, in: scenario)
        case .object: Comparison.object(delivery, expected: expected, in: scenario)
        }
    }
}
