import Kivo

/// A Swift type that a scenario can write down: a plain value, or a model, which is written as its id.
protocol ConformanceValue {
    /// The type's text in a schema.
    static var typeText: String { get }
    /// Reads a value, looking up objects in `realm`.
    static func decode(_ json: JSONValue, in realm: Realm) throws -> Self
    /// Compares what a query asks for with a value.
    static func comparison(
        _ sign: Condition.Sign, _ value: JSONValue, _ context: QueryContext
    ) throws -> (Query<Self>) -> Query<Bool>
    var json: JSONValue { get }
}

/// A value that lists and sets can hold.
protocol ConformanceElement: ConformanceValue, RealmCollectionValue {
    /// Deletes every object that the list refers to.
    static func deleteTargets(of list: List<Self>, in realm: Realm) throws
    /// All conditions together as a typed query; nil if there are none.
    static func filter(
        _ conditions: [Condition], _ context: QueryContext
    ) throws -> ((Query<Self>) -> Query<Bool>)?
}

extension ConformanceElement {
    static func deleteTargets(of list: List<Self>, in realm: Realm) throws {
        throw ConformanceError("a list<\(typeText)> has no targets")
    }
}

/// A model class that scenarios act on. Conforming classes are final.
protocol ConformanceModel: Object, ConformanceElement, SendableMetatype {
    var id: Int { get set }
    /// The live object with an id.
    static func find(_ id: Int, in realm: Realm) -> Self?
}

/// A model whose `id` is its primary key.
protocol KeyedConformanceModel: ConformanceModel {}

extension ConformanceModel {
    static var typeText: String { String(describing: Self.self) }

    static func find(_ id: Int, in realm: Realm) -> Self? {
        realm.objects(Self.self).first { $0.id == id }
    }

    static func decode(_ json: JSONValue, in realm: Realm) throws -> Self {
        guard case .int(let id) = json, let object = find(id, in: realm) else {
            throw ConformanceError("there is no \(typeText) with id \(json)")
        }
        return object
    }

    static func deleteTargets(of list: List<Self>, in realm: Realm) {
        realm.delete(list)
    }

    /// The id, or a marker once the object is gone: accessors of deleted objects have no properties any more.
    var json: JSONValue { isInvalidated ? .string("a \(Self.typeText) that is gone") : .int(id) }
}

extension KeyedConformanceModel {
    static func find(_ id: Int, in realm: Realm) -> Self? {
        realm.object(ofType: Self.self, forPrimaryKey: id)
    }
}

extension Int: ConformanceElement {
    static var typeText: String { "int" }

    static func decode(_ json: JSONValue, in realm: Realm) throws -> Int {
        guard case .int(let int) = json else { throw ConformanceError("\(json) is no int") }
        return int
    }

    var json: JSONValue { .int(self) }
}

extension String: ConformanceElement {
    static var typeText: String { "string" }

    static func decode(_ json: JSONValue, in realm: Realm) throws -> String {
        guard case .string(let string) = json else { throw ConformanceError("\(json) is no string") }
        return string
    }

    var json: JSONValue { .string(self) }
}

extension Double: ConformanceValue {
    static var typeText: String { "double" }

    static func decode(_ json: JSONValue, in realm: Realm) throws -> Double {
        switch json {
        case .int(let int): return Double(int)
        case .double(let double): return double
        default: throw ConformanceError("\(json) is no double")
        }
    }

    var json: JSONValue { JSONValue(self) }
}

extension Bool: ConformanceValue {
    static var typeText: String { "bool" }

    static func decode(_ json: JSONValue, in realm: Realm) throws -> Bool {
        guard case .bool(let bool) = json else { throw ConformanceError("\(json) is no bool") }
        return bool
    }

    var json: JSONValue { .bool(self) }
}

extension Optional: ConformanceValue where Wrapped: ConformanceValue {
    static var typeText: String { "\(Wrapped.typeText)?" }

    static func decode(_ json: JSONValue, in realm: Realm) throws -> Wrapped? {
        json == .null ? nil : try Wrapped.decode(json, in: realm)
    }

    var json: JSONValue { self?.json ?? .null }
}
