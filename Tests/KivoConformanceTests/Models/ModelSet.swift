import Kivo

/// The Swift classes that represent one schema of the corpus.
///
/// Scenarios bring their schema as data, models are compiled: a scenario can run if some set has all its classes with
/// all their properties, of the same types. What a set has beyond that stays at its defaults and is not shown.
struct ModelSet: Sendable {
    private let adapters: [String: any ModelAdapter]

    init(_ adapters: any ModelAdapter...) {
        self.adapters = Dictionary(uniqueKeysWithValues: adapters.map { ($0.className, $0) })
    }

    var objectTypes: [ObjectBase.Type] {
        adapters.values.map(\.objectType)
    }

    private var schema: ConformanceSchema {
        adapters.mapValues(\.propertyTypes)
    }

    /// The set that fits `schema` best: exactly, or else one that has more than is asked for.
    static func fitting(_ schema: ConformanceSchema, among sets: [ModelSet]) -> ModelSet? {
        sets.first { $0.schema == schema } ?? sets.first { $0.covers(schema) }
    }

    private func covers(_ wanted: ConformanceSchema) -> Bool {
        wanted.allSatisfy { className, properties in
            guard let own = adapters[className]?.propertyTypes else { return false }
            return properties.allSatisfy { own[$0.key] == $0.value }
        }
    }

    func adapter(_ className: String) throws -> any ModelAdapter {
        guard let adapter = adapters[className] else {
            throw ConformanceError("there is no class \(className)")
        }
        return adapter
    }

    /// Builds a start state inside a write transaction.
    ///
    /// The order of the classes is lost in decoding, and makes no difference: creation order counts within a class.
    func build(_ initial: [String: [[String: JSONValue]]], in realm: Realm) throws {
        let classes = try initial.sorted { $0.key < $1.key }.map { (try adapter($0.key), $0.value) }
        for (adapter, objects) in classes {
            for object in objects { try adapter.create(object, in: realm) }
        }
        for (adapter, objects) in classes {
            for object in objects { try adapter.fill(object, in: realm) }
        }
    }

    /// Carries out one operation inside a write transaction.
    func perform(_ operation: Operation, in realm: Realm) throws {
        switch operation {
        case .create(let className, let properties):
            let adapter = try adapter(className)
            try adapter.create(properties, in: realm)
            try adapter.fill(properties, in: realm)
        case .delete(let className, let id):
            try adapter(className).delete(id: id, in: realm)
        case .deleteAll(let className):
            try adapter(className).deleteAll(in: realm)
        case .edit(let className, let id, let property, let edit):
            try adapter(className).apply(edit, to: property, ofObject: id, in: realm)
        }
    }
}

/// There are no Swift classes for a schema.
struct MissingModels: Error, CustomStringConvertible {
    let schema: ConformanceSchema

    var description: String {
        let classes = schema.sorted { $0.key < $1.key }.map { className, properties in
            let members = properties.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
            return "\(className){\(members.joined(separator: ", "))}"
        }
        return "no models for \(classes.joined(separator: " "))"
    }
}
