import Kivo

/// The place at which a query reads a property of a class: at the elements themselves, or behind a link.
enum QueryPlace<Model: ConformanceModel> {
    case element(Query<Model>)
    case target(Query<Model?>)

    func member<Value>(_ keyPath: KeyPath<Model, Value>) -> Query<Value> {
        switch self {
        case .element(let query): query[dynamicMember: keyPath]
        case .target(let query): query[dynamicMember: keyPath]
        }
    }
}

/// A scenario's condition as a typed query, wherever its class comes up.
typealias QueryCondition<Model: ConformanceModel> = (QueryPlace<Model>) -> Query<Bool>

/// The context that turns conditions into typed queries.
struct QueryContext {
    let models: ModelSet
    let realm: Realm
}

extension ConformanceValue {
    static func comparison(
        _ sign: Condition.Sign, _ value: JSONValue, _ context: QueryContext
    ) throws -> (Query<Self>) -> Query<Bool> {
        throw ConformanceError("\(typeText) cannot be compared in a condition")
    }
}

extension ConformanceValue where Self: _Persistable & Equatable & SortableType {
    static func comparison(
        _ sign: Condition.Sign, _ value: JSONValue, _ context: QueryContext
    ) throws -> (Query<Self>) -> Query<Bool> {
        let value = try decode(value, in: context.realm)
        return switch sign {
        case .greater: { $0 > value }
        case .greaterOrEqual: { $0 >= value }
        case .equal: { $0 == value }
        case .notEqual: { $0 != value }
        }
    }
}

extension ConformanceElement {
    static func filter(
        _ conditions: [Condition], _ context: QueryContext
    ) throws -> ((Query<Self>) -> Query<Bool>)? {
        guard conditions.isEmpty else { throw ConformanceError("a list<\(typeText)> takes no conditions") }
        return nil
    }
}

extension ConformanceModel {
    static func filter(
        _ conditions: [Condition], _ context: QueryContext
    ) throws -> ((Query<Self>) -> Query<Bool>)? {
        let parts = try conditions.map { condition in
            let path = condition.prop.split(separator: ".").map(String.init)
            return try self.condition(condition, on: path[...], context)
        }
        guard let first = parts.first else { return nil }
        return { query in
            parts.dropFirst().reduce(first(.element(query))) { $0 && $1(.element(query)) }
        }
    }

    /// A condition on what a path of property names leads to.
    static func condition(
        _ condition: Condition, on path: ArraySlice<String>, _ context: QueryContext
    ) throws -> QueryCondition<Self> {
        guard let adapter = try context.models.adapter(typeText) as? ClassAdapter<Self>,
            let name = path.first
        else { throw ConformanceError("\(typeText) cannot answer \(condition.prop)") }
        return try adapter.property(name).condition(condition, behind: path.dropFirst(), context)
    }
}

extension RealmCollection where Element: ConformanceElement {
    /// The query over the collection that `thing` describes.
    func results(for thing: ObservedThing, _ context: QueryContext) throws -> Results<Element> {
        var results = try Element.filter(thing.where ?? [], context).map { self.where($0) }
        for step in thing.ordering ?? [] {
            switch step {
            case .sort(let keys):
                let descriptors = keys.map { SortDescriptor(keyPath: $0.prop, ascending: $0.ascending) }
                results = results?.sorted(by: descriptors) ?? sorted(by: descriptors)
            case .distinct(let names):
                results = results?.distinct(by: names) ?? distinct(by: names)
            }
        }
        // Sorting by nothing is how a list becomes a query in its own order.
        return results ?? self as? Results<Element> ?? sorted(by: [])
    }
}
