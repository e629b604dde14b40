/// The uses of objects in a case: their names, the keys that are used of each, and the purposes.
struct KeyValueCaseUsage {
    /// The keys that are used of each name.
    private(set) var keys: [String: Set<String>] = [:]
    /// Names that only occur as values, with the name and key that they are a value of.
    private(set) var values: [String: (owner: String, key: String)] = [:]
    /// Names whose object comes from a step of the case, with its class.
    private(set) var created: [String: String] = [:]
    /// The classes that are named, with the keys that are used of each.
    private(set) var types: [String: Set<String>] = [:]

    init(_ test: KeyValueCase) {
        for step in test.allSteps { add(step) }
        for name in keys.keys { values[name] = nil }
        for name in created.keys { values[name] = nil }
    }

    /// The names of objects that are there before the first step.
    var startNames: [String] { keys.keys.filter { created[$0] == nil }.sorted() }

    private mutating func add(_ step: KeyValueCaseStep) {
        if step.action == "create" { addCreation(step) }
        if let type = step.string("type") {
            let used = Self.members(step["values"]).union([step.key].compactMap { $0 })
            types[type, default: []].formUnion(used)
        }
        if let object = step.object { add(path: object, step) }
        for path in [step.string("a")].compactMap({ $0 }) { add(path: path, KeyValueCaseStep(fields: [:])) }
        if let elements = step["array"]?.elements {
            for case .string(let reference) in elements {
                add(path: Self.path(reference) ?? reference, step)
            }
        }
        if step.action == "create" || step.action == "addOrUpdate", step.object == nil {
            for (key, value) in Self.entries(step["values"]) {
                addValues(of: value, owner: step.string("name") ?? "", key: key)
            }
        }
    }

    private mutating func addCreation(_ step: KeyValueCaseStep) {
        guard let name = step.string("name"), let type = step.string("type") else { return }
        if keys[name] == nil { created[name] = type }
    }

    /// Adds what a step uses of the object that a path leads to.
    private mutating func add(path: String, _ step: KeyValueCaseStep) {
        var parts = path.split(separator: ".").map(String.init)
        guard let name = parts.first.map(Self.bare) else { return }
        parts.removeFirst()
        var used: Set<String> = []
        if let part = parts.first {
            used.insert(Self.bare(part))
        } else {
            if let key = step.key, step.action != "dictSet", step.action != "dictRemove" {
                used.insert(String(key.prefix { $0 != "." }))
            }
            used.formUnion(step.action == "setMany" ? Self.members(step["values"]) : [])
        }
        if created[name] == nil { keys[name, default: []].formUnion(used) }
        // A twin is what it is the twin of.
        guard let key = used.first ?? step.key else { return }
        for value in [step["value"]].compactMap({ $0 }) + step.values {
            addValues(of: value, owner: name, key: key)
        }
    }

    private mutating func addValues(of value: JSONValue, owner: String, key: String) {
        switch value {
        case .string(let reference):
            guard let path = Self.path(reference), let name = path.split(separator: ".").first else { return }
            let bare = Self.bare(String(name))
            if values[bare] == nil { values[bare] = (owner, key) }
        case .array(let elements): for element in elements { addValues(of: element, owner: owner, key: key) }
        case .object(let members):
            for member in members.values { addValues(of: member, owner: owner, key: key) }
        default: break
        }
    }

    /// Returns the path in a reference such as `<obj.ints>`.
    private static func path(_ reference: String) -> String? {
        guard reference.hasPrefix("<"), reference.hasSuffix(">") else { return nil }
        return String(reference.dropFirst().dropLast())
    }

    private static func bare(_ part: String) -> String { String(part.prefix { $0 != "[" }) }

    private static func entries(_ value: JSONValue?) -> [String: JSONValue] {
        if case .object(let members) = value { members } else { [:] }
    }

    private static func members(_ value: JSONValue?) -> Set<String> { Set(entries(value).keys) }
}
