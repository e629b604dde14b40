/// What a property without a wrapper can hold and be part of the model nevertheless: a collection, linking objects, or a
/// ``RealmProperty``. Models of the older style declare them so:
///
///     let dogs = List<Dog>()
///     let owners = LinkingObjects(fromType: Person.self, property: "dogs")
///     let age = RealmProperty<Int?>()
///
/// Such a *bare* property holds a reference, to its *holder*, that never changes once the object is managed. So the holder takes
/// the place of the wrapper: an unmanaged object's holds the value, and when the object becomes managed, or a fresh one becomes an
/// accessor, or begins to record key paths, its holders are told (``AnyPersisted/renew(_:_:_:)``) and go by the row from then on. The
/// class's description has such a property like any other, with a ``AnyPersisted`` that knows holders in place of wrappers.
///
/// Holders are found where wrappers are, once for a class. Reading a bare property runs no code of Kivo's, so a key path
/// recorder hears of it only when the holder is used, or turns out to be where the key path ends.
protocol BareDeclaration {
    /// What stands for the wrapper in the description of the class.
    static var bareColumn: any AnyPersisted.Type { get }
    /// Where in the value the reference to the holder is.
    static var holderOffset: Int { get }
    /// Another holder, to see what becomes of a value that is given one.
    static func makeHolder() -> AnyObject
    /// The holder; nil of a value that declares nothing.
    var holder: AnyObject? { get }
}
