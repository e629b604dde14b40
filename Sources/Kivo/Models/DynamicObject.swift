/// An object whose class the program knows only by name: its properties are read and assigned by name.
///
///     for dog in realm.dynamicObjects("Dog") {
///         print(dog.name as? String ?? "", dog["age"] as? Int ?? 0)
///     }
///
/// ``Realm/dynamicObjects(_:)`` and its variants return such objects, for classes that the program declares and for those that
/// only the file contains. A link leads to an object of the class that the program declares, if there is one. Otherwise, and in
/// migrations, it leads to a dynamic object. Collections of objects contain dynamic objects.
///
/// Properties of mapped types and enums have the stored values. In migrations integers can be cast to each integer type, whatever
/// their stored width. All operations by name are available: key-value coding and observing, queries by strings, sorting,
/// listeners. Access to a property that the class does not have traps.
///
/// An instance that the program creates itself has no class and no properties.
@dynamicMemberLookup
public final class DynamicObject: Object {
    /// Accesses a property by name.
    ///
    /// - Precondition: There is such a property. A value that is assigned fits it, and is assigned in a write transaction.
    public subscript(dynamicMember member: String) -> Any? {
        get { self[member] }
        set { self[member] = newValue }
    }

    /// Returns the value of a property of the class in the realm.
    ///
    /// - Precondition: There is such a property.
    public override func value(forUndefinedKey key: String) -> Any? { self[key] }

    /// Assigns a property of the class in the realm.
    ///
    /// - Precondition: There is such a property, the value fits it, and a write transaction is open.
    public override func setValue(_ value: Any?, forUndefinedKey key: String) { self[key] = value }

    /// Returns false: dynamic objects have the classes of their tables, and none of their own.
    public override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
