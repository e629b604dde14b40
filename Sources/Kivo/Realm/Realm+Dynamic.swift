import KivoEngine

/// Access to objects of classes by name.
///
/// A class is known if the program declares it, or if the file contains it. All functions trap if it is not. If the runtime does
/// not list the program's classes (on platforms other than Linux and Android), the program must have used the class.
extension Realm {
    /// Returns all objects of a class, live.
    ///
    /// - Complexity: O(1).
    public func dynamicObjects(_ typeName: String) -> Results<DynamicObject> {
        Results(QueryState(dynamicContext(typeName)))
    }

    /// Returns the object with a primary key, or nil.
    ///
    /// - Complexity: O(log n).
    /// - Precondition: The class has a primary key, and `key` is of its type.
    public func dynamicObject(ofType typeName: String, forPrimaryKey key: Any) -> DynamicObject? {
        let context = dynamicContext(typeName)
        guard let property = context.info.primaryKey else {
            trap("Class '\(typeName)' has no primary key to look up '\(key)' by.")
        }
        let isNull = property.type.isOptional && nonNull(key) == nil
        guard let cell = isNull ? .null : property.cell(of: key) else {
            trap("\(RefusedValue(key)) is no value of the primary key '\(typeName).\(property.name)'.")
        }
        return context.key(primaryKey: cell).map {
            unsafeDowncast(context.accessor($0), to: DynamicObject.self)
        }
    }

    /// Creates an object of a class from values, like ``Realm/create(_:value:update:)``. Properties without a value, links
    /// included, get the default of the declared class, or that of their type.
    ///
    /// - Precondition: A write transaction is open, the realm has the class, and it is not embedded.
    @discardableResult
    public func dynamicCreate(
        _ typeName: String, value: Any = [String: Any](), update: UpdatePolicy = .error
    ) -> DynamicObject {
        let transaction = instance.requireTransaction("create an object of class '\(typeName)'")
        let context = dynamicContext(typeName)
        if context.info.isEmbedded {
            trap("An object of class '\(typeName)' is embedded, and is created with the object that owns it.")
        }
        return unsafeDowncast(
            instance.adder(transaction, update).create(context, value), to: DynamicObject.self)
    }

    private func dynamicContext(_ typeName: String) -> TableContext {
        if let context = instance.classes.dynamicContext(named: typeName) { return context }
        trap(
            """
            The realm has no class '\(typeName)': it is not in its file, and the program has not used a class of that name, or \
            the configuration's 'objectTypes' do not name it.
            """)
    }
}

extension ObjectBase {
    /// Returns the list of a property by name, live and with dynamic objects. For a list of plain values, all operations except
    /// reading elements are available.
    ///
    /// - Precondition: The object is managed, and has a list of this name.
    public final func dynamicList(_ propertyName: String) -> List<DynamicObject> {
        let (context, property) = kivoDynamic(propertyName, .list)
        return List(CollectionReference(context, kivoRow.key, property))
    }

    /// Returns the set of a property by name, live and with dynamic objects. For a set of plain values, all operations except
    /// reading elements are available.
    ///
    /// - Precondition: The object is managed, and has a set of this name.
    public final func dynamicMutableSet(_ propertyName: String) -> MutableSet<DynamicObject> {
        let (context, property) = kivoDynamic(propertyName, .set)
        return MutableSet(CollectionReference(context, kivoRow.key, property))
    }

    /// Returns the map of a property by name, live and with dynamic objects. For a map of plain values, all operations except
    /// reading values are available.
    ///
    /// - Precondition: The object is managed, and has a map of this name.
    public final func dynamicMap<Key: _MapKey>(_ propertyName: String) -> Map<Key, DynamicObject?> {
        let (context, property) = kivoDynamic(propertyName, .map)
        return Map(
            keys: CollectionReference(context, kivoRow.key, property, element: .string),
            values: CollectionReference(context, kivoRow.key, property, column: property.valuesColumn!))
    }

    /// Returns a collection property, and its class, in the form of dynamic objects.
    private final func kivoDynamic(_ name: String, _ kind: CollectionKind) -> (TableContext, PropertyInfo) {
        guard isManaged, let instance = kivoInstance else {
            trap(
                "An unmanaged object of class '\(kivoInfo.name)' has no dynamic collections: add it to a realm first."
            )
        }
        locateOrTrap()
        let context =
            kivoContext.isDynamic ? kivoContext : instance.classes.dynamicContext(of: kivoContext.table)
        // Another class of the same name, with other names of the properties, may be the one that describes the table.
        let declared = kivoContext.isDynamic ? nil : kivoInfo.property(named: name)
        let shared = declared.flatMap { declared in
            context.info.storedProperties.first { $0.columnName == declared.columnName }
        }
        guard let property = shared ?? context.info.property(named: name) else {
            trap("Class '\(kivoInfo.name)' has no persisted property '\(name)'.")
        }
        guard property.type.collection == kind else {
            trap(
                "Property '\(context.info.name).\(name)' is of type \(property.type.description), no \(kind)."
            )
        }
        return (context, property)
    }
}
