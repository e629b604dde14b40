import Foundation
import Kivo

/// A to-one link.
struct LinkProperty<Model: ConformanceModel, Target: ConformanceModel>: PropertyAdapter {
    let name: String
    let keyPath: SendableWritableKeyPath<Model, Target?>

    var typeText: String { "link<\(Target.typeText)>" }

    func value(of object: Model) -> Any {
        object[keyPath: keyPath] as Any
    }

    func json(ofValue value: Any) -> JSONValue? {
        value is NSNull ? .null : (value as? Target?)?.json
    }

    func fill(_ object: Model, with json: JSONValue, in realm: Realm) throws {
        object[keyPath: keyPath] = try Target?.decode(json, in: realm)
    }

    func apply(_ edit: PropertyEdit, to object: Model, in realm: Realm) throws {
        guard case .assign(let value) = edit else { throw unsupported(edit) }
        try fill(object, with: value, in: realm)
    }

    func condition(
        _ condition: Condition, behind path: ArraySlice<String>, _ context: QueryContext
    ) throws -> QueryCondition<Model> {
        let onTarget = try Target.condition(condition, on: path, context)
        return { onTarget(.target($0.member(keyPath))) }
    }
}
