import Kivo

/// A list of ints, strings or objects.
struct ListProperty<Model: ConformanceModel, Element: ConformanceElement>: PropertyAdapter {
    let name: String
    let keyPath: SendableKeyPath<Model, List<Element>>

    var typeText: String { "list<\(Element.typeText)>" }

    func contents(of object: Model) -> JSONValue {
        object[keyPath: keyPath].contentsOrNull
    }

    func value(of object: Model) -> Any {
        Array(object[keyPath: keyPath])
    }

    func json(ofValue value: Any) -> JSONValue? {
        (value as? [Element]).map { .array($0.map(\.json)) }
    }

    func fill(_ object: Model, with json: JSONValue, in realm: Realm) throws {
        guard let elements = json.elements else { throw ConformanceError("\(json) is no list") }
        let list = object[keyPath: keyPath]
        for element in elements { list.append(try Element.decode(element, in: realm)) }
    }

    func apply(_ edit: PropertyEdit, to object: Model, in realm: Realm) throws {
        let list = object[keyPath: keyPath]
        switch edit {
        case .listInsert(let value, let index): list.insert(try Element.decode(value, in: realm), at: index)
        case .listAppend(let value): list.append(try Element.decode(value, in: realm))
        case .listRemove(let index): list.remove(at: index)
        case .listSet(let value, let index): list[index] = try Element.decode(value, in: realm)
        case .listMove(let from, let to): list.move(from: from, to: to)
        case .listSwap(let a, let b): list.swapAt(a, b)
        case .listClear: list.removeAll()
        case .listDeleteTargets: try Element.deleteTargets(of: list, in: realm)
        default: throw unsupported(edit)
        }
    }

    func observe(_ object: Model, keyPaths: [String]?, recorder: ChangeRecorder) -> NotificationToken {
        object[keyPath: keyPath].observe(keyPaths: keyPaths, recorder: recorder) { $0.contentsOrNull }
    }

    func observeResults(
        _ object: Model, for thing: ObservedThing, recorder: ChangeRecorder, _ context: QueryContext
    ) throws -> NotificationToken {
        try object[keyPath: keyPath].results(for: thing, context).observe(for: thing, recorder: recorder)
    }
}

/// A set of ints, strings or objects.
struct SetProperty<Model: ConformanceModel, Element: ConformanceElement>: PropertyAdapter {
    let name: String
    let keyPath: SendableKeyPath<Model, MutableSet<Element>>
    /// Brings elements that come in no order into that of the set.
    let sort: @Sendable ([Element]) -> [Element]

    var typeText: String { "set<\(Element.typeText)>" }

    func contents(of object: Model) -> JSONValue {
        object[keyPath: keyPath].contentsOrNull
    }

    func value(of object: Model) -> Any {
        Array(object[keyPath: keyPath])
    }

    func json(ofValue value: Any) -> JSONValue? {
        (value as? [Element]).map { .array(sort($0).map(\.json)) }
    }

    func fill(_ object: Model, with json: JSONValue, in realm: Realm) throws {
        guard let elements = json.elements else { throw ConformanceError("\(json) is no set") }
        let set = object[keyPath: keyPath]
        for element in elements { set.insert(try Element.decode(element, in: realm)) }
    }

    func apply(_ edit: PropertyEdit, to object: Model, in realm: Realm) throws {
        let set = object[keyPath: keyPath]
        switch edit {
        case .setAdd(let value): set.insert(try Element.decode(value, in: realm))
        case .setRemove(let value): set.remove(try Element.decode(value, in: realm))
        case .setClear: set.removeAll()
        default: throw unsupported(edit)
        }
    }

    func observe(_ object: Model, keyPaths: [String]?, recorder: ChangeRecorder) -> NotificationToken {
        object[keyPath: keyPath].observe(keyPaths: keyPaths, recorder: recorder) { $0.contentsOrNull }
    }
}

/// A map from strings to ints or to optional objects.
struct MapProperty<Model: ConformanceModel, Value: ConformanceValue & RealmCollectionValue>: PropertyAdapter {
    let name: String
    let typeText: String
    let keyPath: SendableKeyPath<Model, Map<String, Value>>

    func value(of object: Model) -> Any {
        entries(of: object[keyPath: keyPath])
    }

    private func entries(of map: Map<String, Value>) -> [String: Value] {
        var entries: [String: Value] = [:]
        for key in map.keys { entries[key] = map[key] }
        return entries
    }

    func json(ofValue value: Any) -> JSONValue? {
        (value as? [String: Value]).map { .object($0.mapValues(\.json)) }
    }

    func fill(_ object: Model, with json: JSONValue, in realm: Realm) throws {
        guard case .object(let members) = json else { throw ConformanceError("\(json) is no dict") }
        let map = object[keyPath: keyPath]
        for (key, value) in members.sorted(by: { $0.key < $1.key }) {
            map.updateValue(try Value.decode(value, in: realm), forKey: key)
        }
    }

    func apply(_ edit: PropertyEdit, to object: Model, in realm: Realm) throws {
        let map = object[keyPath: keyPath]
        switch edit {
        case .dictionaryPut(let value, let key):
            map.updateValue(try Value.decode(value, in: realm), forKey: key)
        case .dictionaryRemove(let key): map.removeObject(for: key)
        case .dictionaryClear: map.removeAll()
        default: throw unsupported(edit)
        }
    }

    func observe(_ object: Model, keyPaths: [String]?, recorder: ChangeRecorder) -> NotificationToken {
        object[keyPath: keyPath].observe(keyPaths: keyPaths, recorder: recorder) {
            $0.isInvalidated ? .null : .object(entries(of: $0).mapValues(\.json))
        }
    }
}
