import KivoEngine

extension Realm {
    /// Adds an object, and every unmanaged object it links to, to the realm: the instance itself becomes managed.
    ///
    /// An object that is in this realm already is left as it is. O(what is added), however deep its links go.
    ///
    /// A duplicate primary key under ``UpdatePolicy/error`` fails the transaction: its commit throws and rolls
    /// everything back. Traps outside of a write, and if the object has key-value observers, is in another realm or
    /// invalid.
    public func add(_ object: Object, update: UpdatePolicy = .error) {
        _ = instance.adder(instance.requireTransaction("add an object"), update).add(object)
    }

    /// Adds each object of a sequence; see ``Realm/add(_:update:)-(Object,_)``.
    public func add<Objects: Swift.Sequence>(_ objects: Objects, update: UpdatePolicy = .error)
    where Objects.Element: Object {
        let transaction = instance.requireTransaction("add objects")
        for object in objects {
            // The sequence may use the realm itself to make its elements.
            instance.checkOpen(transaction)
            _ = instance.adder(transaction, update).add(object)
        }
    }

    /// Creates an object in the realm.
    ///
    /// - Parameters:
    ///   - type: its class.
    ///   - value: a dictionary from property names to values, an array of values in order of declaration, or another
    ///     object. Keys that name no property are passed over. Nested values create nested objects. Objects that are not in
    ///     this realm are copied, with all that they link to, each once, and stay what they are; those of this realm are
    ///     linked to. Embedded objects are copied.
    ///   - update: what to do about an object of the same primary key; also of those that are copied along.
    /// - Returns: the object, which is `value` itself if that is in this realm and is to be updated. Under a failed transaction it is one that the commit takes back.
    @discardableResult
    public func create<T: Object>(_ type: T.Type, value: Any = [String: Any](), update: UpdatePolicy = .error)
        -> T
    {
        let adder = instance.adder(instance.requireTransaction("create an object"), update)
        return unsafeDowncast(adder.create(type, value), to: T.self)
    }

    /// Deletes an object: links to it become nil, lists and sets lose it, embedded objects of it go with it.
    ///
    /// Traps outside of a write, and if the object is not in this realm.
    public func delete(_ object: ObjectBase) { instance.delete(object) }

    /// Deletes each object of a sequence (not the sequence's container).
    public func delete<Objects: Swift.Sequence>(_ objects: Objects) where Objects.Element: ObjectBase {
        instance.delete(Array(objects))
    }

    /// Deletes the objects of a list (not the list).
    public func delete<Element: ObjectBase>(_ objects: List<Element>) { instance.delete(Array(objects)) }

    /// Deletes the objects that results hold at this moment.
    public func delete<Element: ObjectBase>(_ objects: Results<Element>) { instance.delete(Array(objects)) }

    /// Deletes the objects that a map holds (not the map): their keys stay, with nil.
    public func delete<Key: _MapKey, Element: ObjectBase>(_ map: Map<Key, Element?>) {
        instance.delete(map.values.compactMap { $0 })
    }

    /// Deletes every object of every class. O(objects).
    public func deleteAll() { instance.deleteAll() }

    /// All objects of a class, live. O(1).
    public func objects<Element: RealmFetchable>(_ type: Element.Type) -> Results<Element> {
        instance.checkConfinement()
        return Results(QueryState(instance.context(Element._fetchedClass)))
    }

    /// The object of a primary key, or nil. O(log n).
    ///
    /// Traps if the class has no primary key or the key is of another type.
    public func object<Element: Object, Key>(ofType type: Element.Type, forPrimaryKey key: Key) -> Element? {
        instance.checkConfinement()
        let context = instance.context(type)
        guard let property = context.info.primaryKey else {
            trap("Class '\(context.info.name)' has no primary key to look up '\(key)' by.")
        }
        let cell: Cell
        if Key.self == Int.self, property.type.scalar == .int {
            // The common case, without a dynamic cast; the types were just found to be the same.
            cell = .word(unsafeBitCast(key, to: Int.self)._word)
        } else if property.type.isOptional, nonNull(key) == nil {
            cell = .null
        } else {
            guard let converted = property.cell(of: key) else {
                trap("'\(key)' is no value of the primary key '\(context.info.name).\(property.name)'.")
            }
            cell = converted
        }
        guard let key = context.key(primaryKey: cell) else { return nil }
        return unsafeDowncast(context.accessor(key), to: Element.self)
    }
}
