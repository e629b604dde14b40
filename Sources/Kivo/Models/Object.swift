import KivoEngine

/// The base class of models.
///
///     class Dog: Object {
///         @Persisted var name = ""
///         @Persisted var age: Int?
///     }
///
/// An instance is unmanaged, an ordinary object, until it is added to a ``Realm``; from then on it is live: it
/// belongs to its realm's thread or queue, shows the state of the realm's version, and takes writes inside of write
/// transactions only. Only ``Persisted`` properties are part of the model.
open class Object: ObjectBase {
    /// Makes an unmanaged object from values.
    ///
    /// - Parameter value: a dictionary from property names to values, an array of values in order of declaration, or
    ///   another object, whose values are taken over: what it links to is linked to, and of embedded objects that are in
    ///   a realm copies are made. Nested values make nested objects, as deep as memory allows. Keys that name no property
    ///   are passed over. Traps if a value does not fit.
    public convenience init(value: Any) {
        self.init()
        kivoAssignUnmanaged(value)
    }
}

/// The base class of models that are owned by one parent property: they have no life of their own.
///
/// An embedded object is added with its parent, deleted with it, and deleted when the property, or the place in a list or a
/// map, that owns it is given another value. One that is in a realm cannot be given to a second owner: give a copy.
open class EmbeddedObject: ObjectBase {
    /// Makes an unmanaged object from values; see ``Object/init(value:)``.
    public convenience init(value: Any) {
        self.init()
        kivoAssignUnmanaged(value)
    }
}

extension ObjectBase {
    /// The name of the class in a realm: that of the Swift class, without module and outer types, unless
    /// `_realmObjectName()` says otherwise.
    public class func className() -> String {
        if let name = _realmObjectName() { return name }
        let name = String(describing: self)
        // A name that is no identifier stands between backticks.
        return name.utf8.first == UInt8(ascii: "`") ? String(name.dropFirst().dropLast()) : name
    }

    /// Whether the object was deleted or its realm invalidated. Can be observed by key path.
    ///
    /// False for unmanaged objects. An invalidated object's properties must not be used any more.
    public final var isInvalidated: Bool {
        if kivoRow.state & (RowReference.recording | RowReference.tracked) != 0 {
            if kivoRow.state & RowReference.recording != 0 {
                kivoRecorder?.record("isInvalidated", of: self)
                return false
            }
            kivoNoteReadOfIsInvalidated()
        }
        guard isManaged else { return false }
        return !locate()
    }

    /// Whether the object is of a frozen realm.
    public final var isFrozen: Bool { kivoInstance?.isFrozen ?? false }

    /// Whether two objects are the same row of the same realm instance (or the same unmanaged instance). O(1).
    public final func isSameObject(as other: ObjectBase?) -> Bool {
        other.map { self === $0 || isSameRow(as: $0) } ?? false
    }
}

extension ObjectBase {
    /// Whether both are accessors of one row of one realm instance.
    final func isSameRow(as other: ObjectBase) -> Bool {
        guard isManaged, other.isManaged, kivoInstance === other.kivoInstance else { return false }
        return kivoContext.table == other.kivoContext.table && kivoRow.key == other.kivoRow.key
    }
}

extension ObjectBase: Hashable {
    /// Whether two objects are equal: the same instance or, for classes with a primary key and for frozen objects,
    /// the same row. An unmanaged object never equals a managed one.
    public static func == (a: ObjectBase, b: ObjectBase) -> Bool {
        if a === b { return true }
        guard a.isManaged, b.isManaged else { return false }
        return (a.isFrozen || a.kivoContext.info.primaryKey != nil) && a.isSameObject(as: b)
    }

    /// Hashes what ``==(_:_:)`` compares.
    public final func hash(into hasher: inout Hasher) {
        if isManaged, isFrozen || kivoContext.info.primaryKey != nil {
            hasher.combine(kivoContext.table)
            hasher.combine(kivoRow.key)
        } else {
            hasher.combine(ObjectIdentifier(self))
        }
    }
}
