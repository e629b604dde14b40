import Kivo

/// One class of a scenario, as the operations address it.
protocol ModelAdapter: Sendable {
    var className: String { get }
    var objectType: Object.Type { get }
    /// The type text of every property.
    var propertyTypes: [String: String] { get }
    /// Creates an object with its plain values.
    func create(_ properties: [String: JSONValue], in realm: Realm) throws
    /// Fills in the links, lists, sets and dicts of the object that `properties` describes.
    func fill(_ properties: [String: JSONValue], in realm: Realm) throws
    func delete(id: Int, in realm: Realm) throws
    func deleteAll(in realm: Realm)
    func apply(_ edit: PropertyEdit, to property: String, ofObject id: Int, in realm: Realm) throws
    /// Observes one object. `visible` are the properties that the scenario's schema knows.
    func observeObject(
        id: Int, keyPaths: [String]?, visible: Set<String>, recorder: ChangeRecorder, in realm: Realm
    ) throws -> NotificationToken
    /// An object with its `visible` properties, for key-value observing; nil if there is none of that id.
    func keyValueSubject(id: Int, visible: Set<String>, in realm: Realm) -> KeyValueSubject?
    /// Observes a query over all objects.
    func observeResults(
        for thing: ObservedThing, recorder: ChangeRecorder, _ context: QueryContext
    ) throws -> NotificationToken
    /// Observes a query over all objects, in sections.
    func observeSections(
        for thing: ObservedThing, recorder: ChangeRecorder, _ context: QueryContext
    ) throws -> NotificationToken
    /// Observes a query over the list in a property of one object.
    func observeResults(
        over list: ListSource, for thing: ObservedThing, recorder: ChangeRecorder, _ context: QueryContext
    ) throws -> NotificationToken
    /// Observes the collection in a property of one object.
    func observeCollection(
        id: Int, property: String, keyPaths: [String]?, recorder: ChangeRecorder, in realm: Realm
    ) throws -> NotificationToken
}

/// The adapter of one model class, made of those of its properties.
struct ClassAdapter<Model: ConformanceModel>: ModelAdapter {
    private let properties: [any PropertyAdapter<Model>]

    init(_ properties: PropertyDeclaration<Model>...) {
        self.properties = properties.map(\.adapter)
    }

    var className: String { Model.typeText }
    var objectType: Object.Type { Model.self }

    var propertyTypes: [String: String] {
        Dictionary(uniqueKeysWithValues: properties.map { ($0.name, $0.typeText) })
    }

    func create(_ values: [String: JSONValue], in realm: Realm) throws {
        let object = Model()
        object.id = try Int.decode(values["id"] ?? .null, in: realm)
        realm.add(object)
        for property in properties where property.isPlain && property.name != "id" {
            if let value = values[property.name] { try property.fill(object, with: value, in: realm) }
        }
    }

    func fill(_ values: [String: JSONValue], in realm: Realm) throws {
        let object = try Model.decode(values["id"] ?? .null, in: realm)
        for property in properties where !property.isPlain {
            if let value = values[property.name] { try property.fill(object, with: value, in: realm) }
        }
    }

    func delete(id: Int, in realm: Realm) throws {
        realm.delete(try Model.decode(.int(id), in: realm))
    }

    func deleteAll(in realm: Realm) {
        realm.delete(realm.objects(Model.self))
    }

    func apply(_ edit: PropertyEdit, to name: String, ofObject id: Int, in realm: Realm) throws {
        try property(name).apply(edit, to: Model.decode(.int(id), in: realm), in: realm)
    }

    func observeObject(
        id: Int, keyPaths: [String]?, visible: Set<String>, recorder: ChangeRecorder, in realm: Realm
    ) throws -> NotificationToken {
        let object = try Model.decode(.int(id), in: realm)
        let shown = properties.filter { $0.isStored && visible.contains($0.name) }
        recorder.readContents = { contents(of: object, properties: shown) }
        recorder.startWithoutInitialCall()
        return object.observe(keyPaths: keyPaths) { (change: ObjectChange<Model>) in
            switch change {
            case .change(let object, let changes):
                let delivered = DeliveredChange.object(changed: changes.map(\.name).sorted())
                recorder.record(delivered, contents: contents(of: object, properties: shown))
            case .deleted:
                recorder.record(.objectDeleted, contents: .null)
            case .error(let error):
                recorder.record(.failure("\(error)"), contents: .null)
            }
        }
    }

    private func contents(of object: Model, properties: [any PropertyAdapter<Model>]) -> JSONValue {
        guard !object.isInvalidated else { return .null }
        let members = properties.map { ($0.name, $0.contents(of: object)) }
        return .object(Dictionary(uniqueKeysWithValues: members))
    }

    func keyValueSubject(id: Int, visible: Set<String>, in realm: Realm) -> KeyValueSubject? {
        Model.find(id, in: realm).map {
            KeyValueSubject($0, properties.filter { $0.isStored && visible.contains($0.name) })
        }
    }

    func observeCollection(
        id: Int, property name: String, keyPaths: [String]?, recorder: ChangeRecorder, in realm: Realm
    ) throws -> NotificationToken {
        let object = try Model.decode(.int(id), in: realm)
        return try property(name).observe(object, keyPaths: keyPaths, recorder: recorder)
    }

    func observeResults(
        for thing: ObservedThing, recorder: ChangeRecorder, _ context: QueryContext
    ) throws -> NotificationToken {
        let all = context.realm.objects(Model.self)
        return try all.results(for: thing, context).observe(for: thing, recorder: recorder)
    }

    func observeSections(
        for thing: ObservedThing, recorder: ChangeRecorder, _ context: QueryContext
    ) throws -> NotificationToken {
        let property = try property(thing.sectionBy ?? "")
        let all = context.realm.objects(Model.self)
        return try all.observeSections(for: thing, recorder: recorder, context) {
            property.contents(of: $0)
        }
    }

    func observeResults(
        over list: ListSource, for thing: ObservedThing, recorder: ChangeRecorder, _ context: QueryContext
    ) throws -> NotificationToken {
        let owner = try Model.decode(.int(list.id), in: context.realm)
        return try property(list.prop).observeResults(owner, for: thing, recorder: recorder, context)
    }

    func property(_ name: String) throws -> any PropertyAdapter<Model> {
        guard let property = properties.first(where: { $0.name == name }) else {
            throw ConformanceError("\(className) has no property \(name)")
        }
        return property
    }
}
