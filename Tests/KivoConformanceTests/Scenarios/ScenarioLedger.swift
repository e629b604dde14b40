/// Carries out a scenario's operations on plain data and keeps book of what they touch, so that which objects count
/// as changed is known independently of any engine.
struct ScenarioLedger {
    struct Reference: Hashable {
        var className: String
        var id: Int
    }

    private let schema: ConformanceSchema
    /// The live objects. No two of a class have the same id, and no object refers to a deleted one, so that ids are enough to
    /// identify objects.
    private var objects: [Reference: [String: JSONValue]] = [:]
    private var created: Set<Reference> = []
    private var touched: [Reference: Set<String>] = [:]
    /// A property of a class through which objects refer to one.
    private struct Referral: Hashable {
        var target: Reference
        var className: String
        var property: String
    }

    /// The referrals that began or ended, and whether these count as changes. They do in Kivo. The recorded engine ignores all that
    /// end, and those that begin if the path continues.
    private var referrals: Set<Referral> = []
    private let countsReferrals: Bool

    init(_ scenario: Scenario, schema: ConformanceSchema, countsReferrals: Bool = false) {
        self.schema = schema
        self.countsReferrals = countsReferrals
        for (className, described) in scenario.initial {
            for properties in described {
                if let id = properties["id"]?.int {
                    objects[Reference(className: className, id: id)] = properties
                }
            }
        }
        for operation in (scenario.transactions ?? []).joined() { perform(operation) }
    }

    // MARK: What counts as changed

    /// Whether an object was created by the transactions.
    func isNew(_ object: Reference) -> Bool {
        created.contains(object)
    }

    /// Whether an object counts as changed for an observer with such key paths. One that is new does not.
    func hasChanged(_ object: Reference, keyPaths: [String]?) -> Bool {
        if created.contains(object) { return false }
        guard let keyPaths else { return leadsToChange(object, hops: 3) }
        return keyPaths.contains { path in
            leadsToChange(object, along: path.split(separator: ".").map(String.init)[...])
        }
    }

    private func leadsToChange(_ object: Reference, hops: Int) -> Bool {
        if touched[object] != nil { return true }
        guard hops > 0 else { return false }
        return schema[object.className, default: [:]].keys.contains { property in
            targets(of: object, property).contains { leadsToChange($0, hops: hops - 1) }
        }
    }

    private func leadsToChange(_ object: Reference, along path: ArraySlice<String>) -> Bool {
        guard let name = path.first else { return false }
        let rest = path.dropFirst()
        if name == "*" {
            // Every property that leads on to the rest of the path; a value is the end of one that is all wildcards.
            return schema[object.className, default: [:]].keys.contains { property in
                let isValue =
                    target(object.className, property) == nil && inverse(object.className, property) == nil
                if rest.isEmpty || isValue {
                    return rest.allSatisfy { $0 == "*" } && leadsToChange(object, along: [property])
                }
                return leadsToChange(object, along: [property] + rest)
            }
        }
        if let (className, property) = inverse(object.className, name) {
            let referral = Referral(target: object, className: className, property: property)
            if countsReferrals, referrals.contains(referral) { return true }
            return origins(of: object, className, property).contains { origin in
                // A reference from an object that was there already only counts if the path ends with it.
                let isNew = rest.isEmpty && touched[origin, default: []].contains(property)
                return isNew || created.contains(origin) || leadsToChange(origin, along: rest)
            }
        }
        if touched[object, default: []].contains(name) { return true }
        guard !rest.isEmpty else { return false }
        return targets(of: object, name).contains {
            created.contains($0) || leadsToChange($0, along: rest)
        }
    }

    /// The class and property that a `backlinks<C.p>` names.
    private func inverse(_ className: String, _ property: String) -> (className: String, property: String)? {
        guard let type = schema[className]?[property], type.hasPrefix("backlinks<") else { return nil }
        let parts = type.dropFirst("backlinks<".count).dropLast().split(separator: ".").map(String.init)
        return (parts[0], parts[1])
    }

    /// The class that a stored property refers to.
    private func target(_ className: String, _ property: String) -> String? {
        guard let type = schema[className]?[property], !type.hasPrefix("backlinks<"),
            let name = type.split(separator: "<").dropFirst().first?.dropLast(), schema[String(name)] != nil
        else { return nil }
        return String(name)
    }

    private func targets(of object: Reference, _ property: String) -> [Reference] {
        guard let target = target(object.className, property) else { return [] }
        let values: [JSONValue] =
            switch objects[object]?[property] {
            case .array(let elements): elements
            case .object(let members): Array(members.values)
            case .some(let value): [value]
            case nil: []
            }
        return values.compactMap(\.int).map { Reference(className: target, id: $0) }
    }

    private func origins(of object: Reference, _ className: String, _ property: String) -> [Reference] {
        objects.keys.filter { $0.className == className && targets(of: $0, property).contains(object) }
    }

    // MARK: Operations

    private mutating func perform(_ operation: Operation) {
        switch operation {
        case .create(let className, let properties):
            guard let id = properties["id"]?.int else { return }
            let object = Reference(className: className, id: id)
            objects[object] = properties
            created.insert(object)
            for property in properties.keys { noteReferrals(object, property, targets(of: object, property)) }
        case .delete(let className, let id):
            delete(Reference(className: className, id: id))
        case .deleteAll(let className):
            for object in objects.keys where object.className == className { delete(object) }
        case .edit(let className, let id, let property, let edit):
            let object = Reference(className: className, id: id)
            if case .listDeleteTargets = edit {
                for target in Set(targets(of: object, property)) { delete(target) }
            } else if let value = edit.result(on: objects[object]?[property]) {
                let old = Set(targets(of: object, property))
                objects[object]?[property] = value
                touched[object, default: []].insert(property)
                noteReferrals(object, property, old.symmetricDifference(targets(of: object, property)))
            }
        }
    }

    private mutating func noteReferrals(
        _ origin: Reference, _ property: String, _ targets: some Sequence<Reference>
    ) {
        for target in targets {
            referrals.insert(Referral(target: target, className: origin.className, property: property))
        }
    }

    private mutating func delete(_ object: Reference) {
        for property in objects[object, default: [:]].keys {
            noteReferrals(object, property, targets(of: object, property))
        }
        objects[object] = nil
        touched[object] = nil
        created.remove(object)
        for (origin, properties) in objects {
            for (property, value) in properties where target(origin.className, property) == object.className {
                guard targets(of: origin, property).contains(object) else { continue }
                objects[origin]?[property] = value.removing(object.id)
                touched[origin, default: []].insert(property)
            }
        }
    }
}

extension PropertyEdit {
    /// Returns the property's value after the edit, or nil if the edit does nothing, which does not count as a change.
    fileprivate func result(on value: JSONValue?) -> JSONValue? {
        var elements = value?.elements ?? []
        var members: [String: JSONValue] = if case .object(let members)? = value { members } else { [:] }
        switch self {
        case .assign(let value): return value
        case .listInsert(let value, let index): elements.insert(value, at: index)
        case .listAppend(let value): elements.append(value)
        case .listRemove(let index): elements.remove(at: index)
        case .listSet(let value, let index): elements[index] = value
        case .listMove(let from, let to):
            if from == to { return nil }
            elements.insert(elements.remove(at: from), at: to)
        case .listSwap(let a, let b):
            if a == b { return nil }
            elements.swapAt(a, b)
        case .listClear, .setClear:
            return elements.isEmpty ? nil : .array([])
        case .listDeleteTargets: return nil
        case .setAdd(let value):
            if elements.contains(value) { return nil }
            elements.append(value)
        case .setRemove(let value):
            guard let index = elements.firstIndex(of: value) else { return nil }
            elements.remove(at: index)
        case .dictionaryPut(let value, let key):
            members[key] = value
            return .object(members)
        case .dictionaryRemove(let key):
            members[key] = nil
            return .object(members)
        case .dictionaryClear:
            return members.isEmpty ? nil : .object([:])
        }
        return .array(elements)
    }
}

extension JSONValue {
    var int: Int? {
        if case .int(let int) = self { int } else { nil }
    }

    /// Returns a property's value after the object with an id, to which it refers, was deleted.
    fileprivate func removing(_ id: Int) -> JSONValue {
        switch self {
        case .array(let elements): .array(elements.filter { $0 != .int(id) })
        case .object(let members): .object(members.mapValues { $0 == .int(id) ? .null : $0 })
        default: .null
        }
    }
}
