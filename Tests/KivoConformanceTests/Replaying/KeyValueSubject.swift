import Kivo

/// An object to observe by key-value observing, with those of its properties that a scenario knows.
struct KeyValueSubject {
    let object: Object
    let className: String
    let id: Int
    /// The stored properties, and `isInvalidated`.
    let properties: [Property]

    struct Property {
        let name: String
        /// The value now, nil if it cannot be read because the object is gone.
        let value: () -> Any?
        /// Converts such a value, or the value that an observer received in its place, to the form in a scenario; returns nil
        /// if it has another type.
        let json: (Any) -> JSONValue?

        var contents: JSONValue? { value().flatMap(json) }
    }

    init<Model: ConformanceModel>(_ object: Model, _ adapters: [any PropertyAdapter<Model>]) {
        self.object = object
        className = Model.typeText
        id = object.id
        let stored = adapters.map { Self.stored($0, of: object) }
        let isInvalidated = Property(
            name: Self.invalidation, value: { object.isInvalidated }, json: { ($0 as? Bool)?.json })
        properties = stored + [isInvalidated]
    }

    static let invalidation = "isInvalidated"

    private static func stored<Model>(_ adapter: some PropertyAdapter<Model>, of object: Model) -> Property {
        Property(
            name: adapter.name,
            value: { object.isInvalidated ? nil : adapter.value(of: object) },
            json: { adapter.json(ofValue: $0) })
    }

    /// The properties that can be observed now: a deleted object has none any more.
    var observableProperties: [Property] {
        object.isInvalidated ? properties.filter { $0.name == Self.invalidation } : properties
    }
}
