import Foundation
import Kivo

/// A model of the cases: an object whose properties are known by name, with their Swift setters.
protocol KeyValueCaseModel: KeyValueObservable, KeyValueCaseObservable, KeyValueCaseValue {
    init()
    static var caseProperties: [KeyValueCaseProperty] { get }
}

extension KeyValueCaseModel {
    static func make(_ value: JSONValue, _ side: KeyValueCaseSide) throws -> Self {
        guard let path = side.path(value) else { throw misfit(value) }
        return try side.object(path, Self.self)
    }

    static var objectClass: (any KeyValueCaseModel.Type)? { self }

    static func caseProperty(_ name: String) -> KeyValueCaseProperty? {
        caseProperties.first { $0.name == name }
    }
}

/// A model that counts by hand.
protocol KeyValueCaseCounter: KeyValueCaseModel {
    func bumpManualCount()
}

/// A model that can be in a realm, found there by its key.
protocol KeyValueCaseRow: Object, KeyValueCaseModel {
    var pk: Int { get set }
}

extension KeyValueCaseRow {
    static func find(_ pk: Int, in realm: Realm) -> (any KeyValueCaseRow)? {
        realm.object(ofType: self, forPrimaryKey: pk)
    }

    static func deleteAll(in realm: Realm) { realm.delete(realm.objects(self)) }
}

/// A typed change, its values as plain data.
struct KeyValueCaseTypedChange {
    var kind: NSKeyValueChange
    /// Nil if not delivered; delivered and nil is `.some(nil)`.
    var old: Any??
    var new: Any??
    var indexes: IndexSet?
    var isPrior: Bool
}

/// One property of a model: what cases do with it through its Swift declaration.
struct KeyValueCaseProperty {
    let name: String
    let objectClass: (any KeyValueCaseModel.Type)?
    let get: (any KeyValueCaseModel) -> Any?
    let make: (JSONValue, KeyValueCaseSide) throws -> Any?
    /// Calls the Swift setter with a value of a case; nil for what has no setter.
    let assign: ((any KeyValueCaseModel, JSONValue, KeyValueCaseSide) throws -> Void)?
    /// Calls the Swift setter with a value of the property's type.
    let store: ((any KeyValueCaseModel, Any) throws -> Void)?
    let observe:
        (
            any KeyValueCaseModel, NSKeyValueObservingOptions,
            @escaping (any KeyValueCaseModel, KeyValueCaseTypedChange) -> Void
        )
            -> KeyValueObservation
    /// The brackets by typed key path.
    let bracket: (any KeyValueCaseModel, KeyValueCaseBracket) -> Void
}

/// Half of a hand-written notification.
enum KeyValueCaseBracket {
    case willChange
    case didChange
    case willChangeElements(NSKeyValueChange, IndexSet)
    case didChangeElements(NSKeyValueChange, IndexSet)
}

extension KeyValueCaseProperty {
    /// A property with a setter.
    init<Model: KeyValueCaseModel, Value: KeyValueCaseValue>(
        _ name: String, _ keyPath: ReferenceWritableKeyPath<Model, Value>
    ) {
        self.init(
            name, keyPath,
            assign: { object, value, side in
                let value = try Value.make(value, side)
                (object as! Model)[keyPath: keyPath] = value
            },
            store: { object, value in
                guard let value = value as? Value else { throw KeyValueCaseError("a misfit for '\(name)'") }
                (object as! Model)[keyPath: keyPath] = value
            })
    }

    /// A property that the class keeps in storage of its own: its setter announces, what is stored by other methods is
    /// announced by these.
    init<Model: KeyValueCaseModel, Value: KeyValueCaseValue>(
        _ name: String, announcing keyPath: ReferenceWritableKeyPath<Model, Value>
    ) {
        let plain = KeyValueCaseProperty(name, keyPath)
        self.init(
            name, keyPath,
            assign: { object, value, side in
                object.willChangeValue(forKey: name)
                try plain.assign?(object, value, side)
                object.didChangeValue(forKey: name)
            }, store: plain.store)
    }

    /// A property without a setter.
    init<Model: KeyValueCaseModel, Value: KeyValueCaseValue>(
        _ name: String, reading keyPath: KeyPath<Model, Value>
    ) {
        self.init(name, keyPath, assign: nil, store: nil)
    }

    private init<Model: KeyValueCaseModel, Value: KeyValueCaseValue>(
        _ name: String, _ keyPath: KeyPath<Model, Value>,
        assign: ((any KeyValueCaseModel, JSONValue, KeyValueCaseSide) throws -> Void)?,
        store: ((any KeyValueCaseModel, Any) throws -> Void)?
    ) {
        self.name = name
        self.assign = assign
        self.store = store
        objectClass = Value.objectClass
        get = { flattened(($0 as! Model)[keyPath: keyPath]) }
        make = { try Value.make($0, $1) }
        observe = { object, options, handler in
            (object as! Model).observe(keyPath, options: options) { object, change in
                handler(
                    object,
                    KeyValueCaseTypedChange(
                        kind: change.kind, old: change.oldValue.map { flattened($0) },
                        new: change.newValue.map { flattened($0) }, indexes: change.indexes,
                        isPrior: change.isPrior))
            }
        }
        bracket = { object, bracket in
            let model = object as! Model
            switch bracket {
            case .willChange: model.willChangeValue(for: keyPath)
            case .didChange: model.didChangeValue(for: keyPath)
            case .willChangeElements(let kind, let indexes):
                model.willChange(kind, valuesAt: indexes, for: keyPath)
            case .didChangeElements(let kind, let indexes):
                model.didChange(kind, valuesAt: indexes, for: keyPath)
            }
        }
    }
}
