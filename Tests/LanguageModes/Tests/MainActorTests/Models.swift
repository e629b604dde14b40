import Kivo

// Models and projections belong to no actor, whatever their module's default is.

class Owner: Object {
    @Persisted(primaryKey: true) var name = ""
    @Persisted var dogs: List<Dog>
}

enum Size: String, PersistableEnum {
    case small
    case large
}

struct Grams: CustomPersistable {
    var count: Int
    init(persistedValue: Int) { count = persistedValue }
    var persistableValue: Int { count }
}

class Collar: EmbeddedObject {
    @Persisted var color = "red"
    @Persisted var weight = Grams(persistedValue: 20)
}

class Dog: Object {
    @Persisted var name = ""
    @Persisted var age: Int?
    @Persisted var size = Size.small
    @Persisted var collar: Collar?
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<Owner>

    override class func indexedProperties() -> [String] { ["name"] }

    var isOld: Bool { (age ?? 0) > 10 }
    override class func computedProperties() -> [String: AnyKeyPath] { ["isOld": \Dog.isOld] }
    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        key == "isOld" ? ["age"] : super.keyPathsForValuesAffectingValue(forKey: key)
    }

    convenience init(name: String, age: Int? = nil) {
        self.init()
        self.name = name
        self.age = age
    }
}

class Ticket: Object {
    @Persisted var number = 0
    @Persisted var text = ""

    override static func primaryKey() -> String? { "number" }
    override static func ignoredProperties() -> [String] { [] }
}

class DogCard: Projection<Dog> {
    @Projected(\Dog.name) var name
    @Projected(\Dog.collar?.color) var color
}
