import Foundation
import Kivo

/// One property of one model class, as scenarios address it: by name, with values as JSON.
protocol PropertyAdapter<Model>: Sendable {
    associatedtype Model: ConformanceModel

    var name: String { get }
    /// The property's type text in a schema.
    var typeText: String { get }
    /// Whether the property is assigned as soon as its object is created. The others refer to objects or hold
    /// elements, and are filled in when all objects exist.
    var isPlain: Bool { get }
    /// Whether the property is stored, and not computed from others.
    var isStored: Bool { get }
    func contents(of object: Model) -> JSONValue
    /// The property's value, a collection as an array or a dictionary of its own.
    func value(of object: Model) -> Any
    /// Converts such a value, or the value that a key-value observer received in its place, to the form in a scenario; returns
    /// nil if it has another type.
    func json(ofValue value: Any) -> JSONValue?
    /// Gives the property of a new object its start value.
    func fill(_ object: Model, with json: JSONValue, in realm: Realm) throws
    func apply(_ edit: PropertyEdit, to object: Model, in realm: Realm) throws
    /// Registers an observer on the collection that the property holds.
    func observe(_ object: Model, keyPaths: [String]?, recorder: ChangeRecorder) throws -> NotificationToken
    /// Registers an observer on a query over the list that the property holds.
    func observeResults(
        _ object: Model, for thing: ObservedThing, recorder: ChangeRecorder, _ context: QueryContext
    ) throws -> NotificationToken
    /// A condition on the property, or on what `path` leads to behind it.
    func condition(
        _ condition: Condition, behind path: ArraySlice<String>, _ context: QueryContext
    ) throws -> QueryCondition<Model>
}

extension PropertyAdapter {
    var isPlain: Bool { false }
    var isStored: Bool { true }

    func contents(of object: Model) -> JSONValue {
        json(ofValue: value(of: object)) ?? .null
    }

    func observe(_ object: Model, keyPaths: [String]?, recorder: ChangeRecorder) throws -> NotificationToken {
        throw ConformanceError("\(Model.typeText).\(name): \(typeText) cannot be observed")
    }

    func observeResults(
        _ object: Model, for thing: ObservedThing, recorder: ChangeRecorder, _ context: QueryContext
    ) throws -> NotificationToken {
        throw ConformanceError("\(Model.typeText).\(name): there are no queries over \(typeText)")
    }

    func condition(
        _ condition: Condition, behind path: ArraySlice<String>, _ context: QueryContext
    ) throws -> QueryCondition<Model> {
        throw ConformanceError("\(Model.typeText).\(name): \(typeText) takes no condition")
    }

    func unsupported(_ edit: PropertyEdit) -> ConformanceError {
        ConformanceError("\(Model.typeText).\(name): \(typeText) does not take \(edit)")
    }
}

/// A typed key path that can go to the thread of the second connection.
typealias SendableKeyPath<Model, Value> = KeyPath<Model, Value> & Sendable
typealias SendableWritableKeyPath<Model, Value> = ReferenceWritableKeyPath<Model, Value> & Sendable

/// A plain value.
struct ValueProperty<Model: ConformanceModel, Value: ConformanceValue>: PropertyAdapter {
    let name: String
    let typeText: String
    let keyPath: SendableWritableKeyPath<Model, Value>

    var isPlain: Bool { true }

    func value(of object: Model) -> Any {
        object[keyPath: keyPath]
    }

    func json(ofValue value: Any) -> JSONValue? {
        value is NSNull ? .null : (value as? Value)?.json
    }

    func fill(_ object: Model, with json: JSONValue, in realm: Realm) throws {
        object[keyPath: keyPath] = try Value.decode(json, in: realm)
    }

    func apply(_ edit: PropertyEdit, to object: Model, in realm: Realm) throws {
        guard case .assign(let value) = edit else { throw unsupported(edit) }
        try fill(object, with: value, in: realm)
    }

    func condition(
        _ condition: Condition, behind path: ArraySlice<String>, _ context: QueryContext
    ) throws -> QueryCondition<Model> {
        guard path.isEmpty else { throw ConformanceError("\(condition.prop): \(name) leads nowhere") }
        let compare = try Value.comparison(condition.cmp, condition.value, context)
        return { compare($0.member(keyPath)) }
    }
}
