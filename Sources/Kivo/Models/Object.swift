import KivoEngine

/// The base class of models.
///
///     class Dog: Object {
///         @Persisted var name = ""
///         @Persisted var age: Int?
///     }
///
/// An instance is unmanaged, an ordinary object, until it is added to a ``Realm``. Then it is live: it belongs to its realm's
/// thread or queue, shows the state of the realm's version, and can be written only inside of write transactions. Only
/// ``Persisted`` properties are part of the model.
nonisolated open class Object: ObjectBase {
    /// Creates an unmanaged object from values.
    ///
    /// - Parameter value: A dictionary from property names to values, an array of values in order of declaration, or another
    ///   object, whose values are copied. Links of that object are kept, but embedded objects that are in a realm are copied.
    ///   Objects are created from nested values; memory is the only limit to their depth. Dictionary keys that name no property
    ///   are ignored.
    /// - Precondition: The values fit the properties.
    public convenience init(value: Any) {
        self.init()
        kivoAssignUnmanaged(value)
    }
}

/// The base class of models that are owned by one property of a parent, without which they do not exist.
///
/// An embedded object is added and deleted with its parent. It is also deleted when its owner, a property or a position in a list
/// or a map, is given another value. An embedded object that is in a realm cannot be assigned to a second owner: assign a copy.
nonisolated open class EmbeddedObject: ObjectBase {
    /// Creates an unmanaged object from values; see ``Object/init(value:)``.
    public convenience init(value: Any) {
        self.init()
        kivoAssignUnmanaged(value)
    }
}

extension ObjectBase {
    /// Returns the name of the class in a realm: that of the Swift class, without module and outer types, unless
    /// `_realmObjectName()` returns another.
    public class func className() -> String {
        if let name = _realmObjectName() { return name }
        let name = String(describing: self)
        // A name that is no identifier is enclosed in backticks.
        return name.utf8.first == UInt8(ascii: "`") ? String(name.dropFirst().dropLast()) : name
    }

    /// A Boolean value that indicates whether the object was deleted or its realm invalidated. Can be observed by key path.
    ///
    /// False for unmanaged objects. The properties of an invalidated object must not be used any more.
    public final var isInvalidated: Bool {
        if !kivoState.isDisjoint(with: [.recording, .tracked]) {
            if kivoState.contains(.recording) {
                kivoRecorder?.record("isInvalidated", of: self)
                return false
            }
            kivoNoteReadOfIsInvalidated()
        }
        guard isManaged else { return false }
        return !locate()
    }

    /// A Boolean value that indicates whether the object belongs to a frozen realm.
    public final var isFrozen: Bool { kivoInstance?.isFrozen ?? false }

    /// Returns whether two objects are the same row of the same realm instance (or the same unmanaged instance).
    ///
    /// - Complexity: O(1).
    public final func isSameObject(as other: ObjectBase?) -> Bool {
        other.map { self === $0 || isSameRow(as: $0) } ?? false
    }
}

extension ObjectBase {
    /// Returns whether both are accessors of one row of one realm instance.
    final func isSameRow(as other: ObjectBase) -> Bool {
        guard isManaged, other.isManaged, kivoInstance === other.kivoInstance else { return false }
        return kivoContext.table == other.kivoContext.table && kivoRow.key == other.kivoRow.key
    }
}

extension ObjectBase: Hashable {
    /// Returns whether two objects are equal: whether they are the same instance, or the first one says so by
    /// ``ObjectBase/isEqual(_:)``.
    public static func == (a: ObjectBase, b: ObjectBase) -> Bool { a === b || a.isEqual(b) }

    /// Hashes ``ObjectBase/hash``, which is consistent with ``==(_:_:)``.
    public final func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    /// Returns whether another object is the same instance or, for classes with a primary key and for frozen objects, the same row.
    final func kivoIsEqual(_ other: ObjectBase) -> Bool {
        if self === other { return true }
        guard isManaged, other.isManaged else { return false }
        return (isFrozen || kivoContext.info.primaryKey != nil) && isSameRow(as: other)
    }

    /// A hash that is consistent with ``kivoIsEqual(_:)``.
    final var kivoHash: Int {
        guard isManaged, isFrozen || kivoContext.info.primaryKey != nil else {
            return Int(bitPattern: ObjectIdentifier(self))
        }
        return Int(truncatingIfNeeded: kivoRow.key) ^ kivoContext.table << 40
    }

    /// Whether the class compares objects by a rule of its own, as far as its hash shows: then collections search for equal objects,
    /// and otherwise for rows.
    final var kivoComparesItself: Bool { hash != kivoHash }
}

extension RealmCollection {
    /// Returns whether an element is an object whose class compares objects by a rule of its own.
    func comparesItself(_ element: Element) -> Bool {
        guard let object = flatten(element) as? ObjectBase else { return false }
        return (!object.isManaged || object.locate()) && object.kivoComparesItself
    }
}

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
