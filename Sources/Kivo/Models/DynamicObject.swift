/// An object of which the program knows the class's name only: its properties are read and assigned by name.
///
///     for dog in realm.dynamicObjects("Dog") {
///         print(dog.name as? String ?? "", dog["age"] as? Int ?? 0)
///     }
///
/// Such objects come from ``Realm/dynamicObjects(_:)`` and its relatives, for classes that the program declares and for those
/// that only the file holds. A link leads to an object of the class that the program declares, if it does, and to a dynamic one
/// otherwise and in migrations; collections of objects hold dynamic ones. Properties of mapped types and enums have the values
/// that are stored; in migrations integers can be cast to each integer type, however wide they are stored. Everything that
/// objects do by name works: key-value coding and observing, queries by strings, sorting, listeners. A property that the class
/// does not have traps.
///
/// An instance that the program makes itself has no class and no properties.
@dynamicMemberLookup
public final class DynamicObject: Object {
    /// The property of a name. Traps if there is none, if the value does not fit, and if it is assigned outside of a write.
    public subscript(dynamicMember member: String) -> Any? {
        get { self[member] }
        set { self[member] = newValue }
    }

    /// The property of a name, which the class in the realm has. Traps if it has none.
    public override func value(forUndefinedKey key: String) -> Any? { self[key] }

    /// Assigns the property of a name, which the class in the realm has. Traps if it has none, if the value does not fit, and
    /// outside of a write.
    public override func setValue(_ value: Any?, forUndefinedKey key: String) { self[key] = value }

    /// Dynamic objects have the classes of their tables, and none of their own.
    public override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
