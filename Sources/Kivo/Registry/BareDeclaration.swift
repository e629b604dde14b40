/// A value that makes a property without a wrapper part of the model: a collection, linking objects, or a ``RealmProperty``.
/// Models of the older style declare such properties:
///
///     let dogs = List<Dog>()
///     let owners = LinkingObjects(fromType: Person.self, property: "dogs")
///     let age = RealmProperty<Int?>()
///
/// Such a *bare* property holds a reference to its *holder*, which never changes once the object is managed. So the holder takes
/// the place of the wrapper: in an unmanaged object it holds the value. ``AnyPersisted/renew(_:_:_:)`` attaches the holders to
/// the row when the object becomes managed. It is also called when a new instance becomes an accessor, and when an instance
/// begins to record key paths. The class's description has such a property like any other, with an ``AnyPersisted`` that accesses
/// holders instead of wrappers.
///
/// Holders are found in the same pass as wrappers, once for a class. Reading a bare property runs no code of Kivo's. So a key
/// path recorder records it only when the holder is used, or is the final value of the key path.
protocol BareDeclaration {
    /// The type that takes the wrapper's place in the description of the class.
    static var bareColumn: any AnyPersisted.Type { get }
    /// The offset in the value of the reference to the holder.
    static var holderOffset: Int { get }
    /// Creates another holder, to find out what a type does with a holder that is stored in it.
    static func makeHolder() -> AnyObject
    /// The holder, or nil if the value declares no property.
    var holder: AnyObject? { get }
}
