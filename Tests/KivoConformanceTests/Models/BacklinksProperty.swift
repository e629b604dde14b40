import Kivo

/// The objects that refer to an object. Computed, so that no scenario gives it a value.
struct BacklinksProperty<Model: ConformanceModel, Origin: ConformanceModel>: PropertyAdapter {
    let name: String
    let originProperty: String
    let keyPath: SendableKeyPath<Model, LinkingObjects<Origin>>

    var typeText: String { "backlinks<\(Origin.typeText).\(originProperty)>" }
    var isStored: Bool { false }

    func value(of object: Model) -> Any {
        Array(object[keyPath: keyPath])
    }

    func json(ofValue value: Any) -> JSONValue? {
        (value as? [Origin]).map { .array($0.map(\.json)) }
    }

    func fill(_ object: Model, with json: JSONValue, in realm: Realm) throws {
        throw ConformanceError("\(Model.typeText).\(name) is computed")
    }

    func apply(_ edit: PropertyEdit, to object: Model, in realm: Realm) throws {
        throw unsupported(edit)
    }

    func observe(_ object: Model, keyPaths: [String]?, recorder: ChangeRecorder) -> NotificationToken {
        object[keyPath: keyPath].observe(keyPaths: keyPaths, recorder: recorder) {
            // An object that was deleted has no backlinks.
            $0.isInvalidated ? .array([]) : $0.contentsOrNull
        }
    }
}
