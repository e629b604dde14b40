import KivoEngine

extension Realm {
    /// Adds an object, and every unmanaged object it links to, to the realm. The instance itself becomes managed. An object that
    /// is already in this realm stays unchanged.
    ///
    /// A duplicate primary key under ``UpdatePolicy/error`` fails the transaction: its commit throws and rolls everything back.
    ///
    /// - Precondition: A write transaction is open. The object has no key-value observers, and is neither invalid nor in another
    ///   realm.
    /// - Complexity: O(added objects). There is no limit to the depth of links.
    public func add(_ object: Object, update: UpdatePolicy = .error) {
        let transaction = instance.requireTransaction(
            "add an object of class '\(type(of: object).className())'")
        _ = instance.adder(transaction, update).add(object)
    }

    /// Adds each object of a sequence; see ``Realm/add(_:update:)-(Object,_)``.
    public func add<Objects: Swift.Sequence>(_ objects: Objects, update: UpdatePolicy = .error)
    where Objects.Element: Object {
        let transaction = instance.requireTransaction("add objects of class '\(Objects.Element.className())'")
        for object in objects {
            // The sequence may use the realm to create its elements.
            instance.checkOpen(transaction)
            _ = instance.adder(transaction, update).add(object)
        }
    }

    /// Creates an object in the realm.
    ///
    /// - Parameters:
    ///   - type: The class of the object.
    ///   - value: A dictionary from property names to values, an array of values in order of declaration, or another object. Keys
    ///     that name no property are ignored. Nested values create nested objects. Objects that are not in this realm are copied,
    ///     each once, with all that they link to, and themselves stay unchanged. Objects of this realm are linked to. Embedded
    ///     objects are copied.
    ///   - update: The policy for existing objects with the same primary key, also for objects that are copied.
    /// - Returns: The object. This is `value` itself if that is in this realm and is updated. If the transaction has failed, the
    ///   commit rolls the object back.
    @discardableResult
    public func create<T: Object>(_ type: T.Type, value: Any = [String: Any](), update: UpdatePolicy = .error)
        -> T
    {
        let transaction = instance.requireTransaction("create an object of class '\(type.className())'")
        let adder = instance.adder(transaction, update)
        return unsafeDowncast(adder.create(type, value), to: T.self)
    }

    /// Creates an object for each of many values, or updates the object that has its primary key.
    ///
    ///     let dogs: [[String: Any]] = [["tag": 1, "name": "Rex"], ["tag": 2, "name": "Ada"]]
    ///     try realm.write { realm.create(Dog.self, values: dogs, update: .modified) }
    ///
    /// This is ``create(_:value:update:)`` for each value, but no object is made for a row that stores its values already. Fetch
    /// the objects that you need by their primary keys.
    ///
    /// - Complexity: O(values). Under ``UpdatePolicy/modified``, what does not differ is only compared.
    public func create<T: Object, Values: Swift.Sequence>(
        _ type: T.Type, values: Values, update: UpdatePolicy = .error
    ) {
        let transaction = instance.requireTransaction("create objects of class '\(type.className())'")
        let context = instance.classes.context(of: type)
        for value in values {
            // The sequence may use the realm to create its elements.
            instance.checkOpen(transaction)
            instance.adder(transaction, update).put(context, value)
        }
    }

    /// Deletes an object. Links to it become nil, lists and sets no longer contain it, and its embedded objects are deleted.
    ///
    /// - Precondition: A write transaction is open, and the object is in this realm.
    public func delete(_ object: ObjectBase) { instance.delete(object) }

    /// Deletes each object of a sequence, but not the sequence's container.
    public func delete<Objects: Swift.Sequence>(_ objects: Objects) where Objects.Element: ObjectBase {
        instance.delete(Array(objects))
    }

    /// Deletes the objects of a list, but not the list.
    public func delete<Element: ObjectBase>(_ objects: List<Element>) { instance.delete(Array(objects)) }

    /// Deletes the objects that the results currently contain.
    public func delete<Element: ObjectBase>(_ objects: Results<Element>) { instance.delete(Array(objects)) }

    /// Deletes the objects in a map, but not the map: their keys stay, with nil.
    public func delete<Key: _MapKey, Element: ObjectBase>(_ map: Map<Key, Element?>) {
        instance.delete(map.values.compactMap { $0 })
    }

    /// Deletes every object of every class.
    ///
    /// - Complexity: O(objects).
    public func deleteAll() { instance.deleteAll() }

    /// Returns all objects of a class, live.
    ///
    /// The class is the value of `type`, which can be a subclass of `Element`. Objects of other subclasses are not among the
    /// results, because each class has its own table.
    ///
    ///     let types: [Object.Type] = [Dog.self, Person.self]
    ///     for type in types { print(type.className(), realm.objects(type).count) }
    ///
    /// - Complexity: O(1).
    public func objects<Element: RealmFetchable>(_ type: Element.Type) -> Results<Element> {
        instance.checkConfinement()
        return Results(QueryState(instance.classes.context(of: type._fetchedClass)))
    }

    /// Returns the object with a primary key, or nil.
    ///
    /// - Precondition: The class has a primary key, and the key is of its type.
    /// - Complexity: O(log n).
    public func object<Element: Object, Key>(ofType type: Element.Type, forPrimaryKey key: Key) -> Element? {
        instance.checkConfinement()
        let context = instance.classes.context(of: type)
        guard let property = context.info.primaryKey else {
            trap("Class '\(context.info.name)' has no primary key to look up '\(key)' by.")
        }
        let cell: Cell
        if Key.self == Int.self, property.type.scalar == .int {
            // The common case, without a dynamic cast: both types are known to be the same.
            cell = .word(unsafeBitCast(key, to: Int.self).word)
        } else if property.type.isOptional, nonNull(key) == nil {
            cell = .null
        } else {
            guard let converted = property.cell(of: key) else {
                trap(
                    "\(RefusedValue(key)) is no value of the primary key '\(context.info.name).\(property.name)'."
                )
            }
            cell = converted
        }
        instance.evictIfDue()
        guard let key = context.key(primaryKey: cell) else { return nil }
        return unsafeDowncast(context.accessor(key), to: Element.self)
    }
}
