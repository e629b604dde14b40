import Kivo

class Kennel: Object, ObjectKeyIdentifiable {
    @Persisted var name = ""
    @Persisted var dogs: List<Pup>
    @Persisted var numbers: List<Int>
    @Persisted var tags: MutableSet<String>
    @Persisted var friends: MutableSet<Pup>
    @Persisted var places: Map<String, Int>
    @Persisted var guests: Map<String, Pup?>
    @Persisted var bowls: List<Bowl>
    @Persisted var favourite: Pup?

    /// Computed from one persisted property.
    var initial: String { String(name.prefix(1)) }
}

class Pup: Object, ObjectKeyIdentifiable {
    @Persisted var name = ""
    @Persisted var age = 0
    @Persisted var toy: AnyRealmValue
}

class Bowl: EmbeddedObject, ObjectKeyIdentifiable {
    @Persisted var size = 0
}

final class PupTag: Projection<Pup>, ObjectKeyIdentifiable {
    @Projected(\Pup.name) var label
}

class Named: Object, ObjectKeyIdentifiable {
    @Persisted(primaryKey: true) var name = ""
    @Persisted var count = 0
}
