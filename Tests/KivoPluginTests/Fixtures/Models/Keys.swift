import Kivo

enum KeyKind: String, PersistableEnum { case a }
enum Fraction: Double, PersistableEnum { case half = 0.5 }

class TwoKeys: Object {
    @Persisted(primaryKey: true) var first: Int
    @Persisted(primaryKey: true) var second: String  // error: class 'TwoKeys' declares two primary keys, 'first' and 'second'
}

class Base: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var kind: String
}

class Derived: Base {
    @Persisted(primaryKey: true) var other: UUID  // error: class 'Derived' declares two primary keys, 'id' and 'other'
}

class Again: Base {
    @Persisted var kind: String  // error: class 'Again' declares property 'kind', and so does its superclass 'Base'
}

class Keyed: EmbeddedObject {
    @Persisted(primaryKey: true) var id: Int  // error: embedded objects have none
}

class Kinds: Object {
    @Persisted(primaryKey: true) var id: KeyKind
    @Persisted(indexed: true) var date: Date?
    @Persisted(indexed: true) var anything: AnyRealmValue
    @Persisted(indexed: true) var fraction: Fraction  // error: cannot be indexed
    @Persisted(indexed: false) var double: Double
    @Persisted(indexed: true) var float: Float  // error: property 'Kinds.float' of type 'Float' cannot be indexed
    @Persisted(indexed: true) var list: List<Int>  // error: cannot be indexed
}

class DateKey: Object {
    @Persisted(primaryKey: true) var date: Date  // error: cannot be a primary key
}

class Older: Object {
    @Persisted var identifier: String
    override class func primaryKey() -> String? { "identifer" }  // error: which is no persisted property of it; did you mean 'identifier'?
    override static func indexedProperties() -> [String] { return ["identifier"] }
}

class Contradicting: Object {
    @Persisted(primaryKey: true) var a: String
    @Persisted var b: String
    override class func primaryKey() -> String? { return "b" }  // error: declares primary key 'a', and its 'primaryKey()' returns 'b'
}

class MappedNames: Object {
    @Persisted var firstName: String
    @Persisted var last: String
    @Persisted var other: String
    override class func propertiesMapping() -> [String: String] {  // error: are both stored as 'last'
        [
            "firstName": "last",
            "ohter": "x",  // error: did you mean 'other'?
            "other": "a.b",  // error: a stored name is not empty and has no '.' in it
        ]
    }
}

class Computed: Object {
    @Persisted var a: String
    override class func propertiesMapping() -> [String: String] { mapping() }
}

enum One {
    class Same: Object { @Persisted var a: Int }
}
enum Two {
    class Same: Object { @Persisted var a: Int }  // warning: are both stored as 'Same'
}
#if os(Linux)
class Platform: Object { @Persisted var a: Int }
#else
class Platform: Object { @Persisted var b: [Int] }  // error: use a List<Int>
#endif
