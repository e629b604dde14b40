/// The declarations by the wrappers of a class, besides the types of its properties. Functions of the class can return these or
/// more.
struct ClassDeclaration: Sendable {
    let primaryKey: String?
    let indexed: [String]
    let ignored: [String]

    /// Creates the declarations by the wrappers of a class.
    init(_ located: WrapperLocator.Declarations) {
        primaryKey = located.wrappers.first { $0.declaration & PersistedColumn.primary != 0 }?.name
        indexed = located.wrappers.filter { $0.declaration & PersistedColumn.indexed != 0 }.map(\.name)
        ignored = located.ignored.map(\.name)
    }

    /// Creates the declarations by the properties of a class that was created from a table.
    init(_ properties: [PropertyInfo]) {
        primaryKey = properties.first(where: \.isPrimaryKey)?.name
        indexed = properties.filter(\.isIndexed).map(\.name)
        ignored = []
    }

    /// Returns the column names that differ from the names of their properties, by property. Traps if `propertiesMapping()` of
    /// the class is invalid.
    static func columnNames(_ located: WrapperLocator.Declarations, _ type: ObjectBase.Type) -> [String:
        String]
    {
        let names = type.propertiesMapping()
        if names.isEmpty { return names }
        let stored = located.wrappers.filter { $0.type.collection != .linkingObjects }.map(\.name)
        for name in names.keys.sorted() where !stored.contains(name) {
            trap(
                """
                'propertiesMapping()' of class '\(type.className())' names '\(name)', which is no persisted property of it.
                """)
        }
        var seen: [String: String] = [:]
        for name in stored {
            let column = names[name] ?? name
            if column.isEmpty || column.contains(".") {
                trap(
                    """
                    'propertiesMapping()' of class '\(type.className())' stores '\(name)' as '\(column)': a stored name is \
                    not empty and has no '.' in it.
                    """)
            }
            if let other = seen.updateValue(name, forKey: column) {
                trap(
                    """
                    Properties '\(other)' and '\(name)' of class '\(type.className())' are both stored as '\(column)': see \
                    its 'propertiesMapping()'.
                    """)
            }
        }
        return names
    }

    /// Adds the declarations by the functions of a class to those found in its wrappers, and returns the latter. Traps if they
    /// contradict each other.
    static func complete(_ located: inout WrapperLocator.Declarations, _ type: ObjectBase.Type)
        -> ClassDeclaration
    {
        let name = type.className()
        let declaration = ClassDeclaration(located)
        Registry.publish(declaration, of: type)
        let ignored = type.ignoredProperties()
        located.wrappers.removeAll { $0.isBare && ignored.contains($0.name) }
        if let key = type.primaryKey(), key != declaration.primaryKey {
            if let declared = declaration.primaryKey {
                trap(
                    """
                    Class '\(name)' declares primary key '\(declared)', and its 'primaryKey()' says '\(key)': a class has \
                    at most one.
                    """)
            }
            declare(PersistedColumn.primary, key, &located, name, "primaryKey", \.canBePrimaryKey)
        }
        for property in type.indexedProperties() where !declaration.indexed.contains(property) {
            declare(PersistedColumn.indexed, property, &located, name, "indexedProperties", \.canBeIndexed)
        }
        return declaration
    }

    /// Marks a property that a function of the class names.
    private static func declare(
        _ bit: UInt32, _ property: String, _ located: inout WrapperLocator.Declarations, _ name: String,
        _ function: String, _ isAllowed: (ScalarType) -> Bool
    ) {
        guard let index = located.wrappers.firstIndex(where: { $0.name == property }) else {
            trap(
                "'\(function)()' of class '\(name)' names '\(property)', which is no persisted property of it."
            )
        }
        let type = located.wrappers[index].type
        guard type.collection == .none, type.scalar.map(isAllowed) ?? false else {
            trap(
                """
                '\(function)()' of class '\(name)' names '\(property)', which is of type \(type.description) and cannot be \
                one.
                """)
        }
        located.wrappers[index].declaration |= bit
    }
}

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
