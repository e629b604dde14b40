/// Compiler messages for embedded objects without an owner.
extension Realm {
    /// Unavailable: an embedded object is added with the object that owns it.
    @available(
        *, unavailable,
        message:
            "an embedded object is added with its owner: assign it to a property, or append it to a list, of an Object"
    )
    public func add(_ object: EmbeddedObject, update: UpdatePolicy = .error) { trap("unavailable") }

    /// Unavailable: an embedded object is created with the object that owns it.
    @available(
        *, unavailable,
        message:
            "an embedded object is created with its owner: assign one to a property, or append it to a list, of an Object"
    )
    public func create<Embedded: EmbeddedObject>(
        _ type: Embedded.Type, value: Any = [:], update: UpdatePolicy = .error
    ) -> Embedded { trap("unavailable") }

    /// Unavailable: embedded objects are reached through the objects that own them.
    @available(
        *, unavailable,
        message:
            "embedded objects are reached through their owners: ask for those, as in 'where { $0.address.city == \"Oslo\" }'"
    )
    public func objects<Embedded: EmbeddedObject>(_ type: Embedded.Type) -> Results<Embedded> {
        trap("unavailable")
    }
}
