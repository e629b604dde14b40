import KivoEngine

/// A type of your own that a ``Persisted`` property can have: it is stored as a value of another type.
///
///     struct Celsius: CustomPersistable, Hashable {
///         var degrees: Double
///         init(persistedValue: Double) { degrees = persistedValue }
///         var persistableValue: Double { degrees }
///     }
///
///     class Room: Object {
///         @Persisted var temperature = Celsius(persistedValue: 20)
///         @Persisted var history: List<Celsius>
///     }
///
/// The stored type is that of any scalar property, an enum that conforms to ``PersistableEnum``, or a class derived from
/// ``EmbeddedObject``. With it the mapped type can be a property, an optional, an element of a collection and a value of a
/// map. What can be indexed, be a primary key, be compared, sorted by and added up is what the stored type can.
///
/// Without a default a property has what the default of the stored type is mapped to. A managed property is mapped anew on each
/// read, so that `init(persistedValue:)` should cost little; it is called on every thread that reads. Values that are equal
/// have to be stored as equal values. By name, and in queries, a value of either type will do.
///
/// Use ``FailableCustomPersistable`` where not all stored values mean one of the mapped type.
public protocol CustomPersistable: _CustomPersistable {
    /// The value that a stored one stands for.
    init(persistedValue: PersistedType)
}

/// A type of your own that a ``Persisted`` property can have, stored as a value of another type of which not all values mean
/// one.
///
///     extension URL: FailableCustomPersistable {
///         public init?(persistedValue: String) { self.init(string: persistedValue) }
///         public var persistableValue: String { absoluteString }
///     }
///
/// A stored value that means none reads as nil in an optional property and a collection of optionals; reading it where
/// there is no nil traps. By name, an optional property that is given one is set to nil. If the default of the stored type means none, a property that is not optional needs a default.
///
/// See ``CustomPersistable`` for everything else.
public protocol FailableCustomPersistable: _CustomPersistable {
    /// The value that a stored one stands for, or nil if it stands for none.
    init?(persistedValue: PersistedType)
}

/// What ``CustomPersistable`` and ``FailableCustomPersistable`` have in common. Conform to one of these.
public protocol _CustomPersistable: _Persistable, _OptionalPersistable {
    /// The type as whose values the values are stored. Repeated here so that it is inferred from what follows.
    override associatedtype PersistedType

    /// The value as it is stored.
    var persistableValue: PersistedType { get }

    /// The value that a stored one stands for, or nil.
    static func _mapped(_ persisted: PersistedType) -> Self?
    /// The value that a stored one stands for. Traps if there is none.
    static func _mappedOrTrap(_ persisted: PersistedType) -> Self
    /// The value of a property that was given none; nil if there is none.
    static var _mappedDefault: Self? { get }
    /// The embedded object that holds the value, made anew; nil if the value is stored as a scalar.
    var _persistedObject: ObjectBase? { get }
    /// The scalar as which the value is stored; nil if that is an object.
    var _persistedScalar: Any? { get }
}

extension CustomPersistable {
    @inlinable @inline(__always)
    public static func _mapped(_ persisted: PersistedType) -> Self? { Self(persistedValue: persisted) }
    @inlinable @inline(__always)
    public static func _mappedOrTrap(_ persisted: PersistedType) -> Self { Self(persistedValue: persisted) }
}

extension FailableCustomPersistable {
    @inlinable @inline(__always)
    public static func _mapped(_ persisted: PersistedType) -> Self? { Self(persistedValue: persisted) }
    @inlinable
    public static func _mappedOrTrap(_ persisted: PersistedType) -> Self {
        if let value = Self(persistedValue: persisted) { return value }
        _trapUnmapped(persisted)
    }
}

extension _CustomPersistable {
    public static func _makeDefault() -> Self {
        if let value = _mappedDefault { return value }
        trap(
            """
            A property of type '\(Self.self)' has no value, and the default of '\(PersistedType.self)' means none: declare \
            the property with a default, or optional.
            """)
    }

    @inline(never)
    public static func _trapUnmapped(_ persisted: PersistedType) -> Never {
        trap(
            """
            The stored value '\(persisted)' means no value of type '\(Self.self)': declare the property, or the elements \
            of the collection, optional, or extend 'init?(persistedValue:)'.
            """)
    }
}

/// A mapped value as the one that is stored; any other value as it is.
func persisted(_ value: Any) -> Any {
    guard let mapped = value as? any _CustomPersistable else { return value }
    return mapped._persistedScalar ?? mapped._persistedObject ?? value
}

/// A value as it is stored: of mapped types and enums that which stands for it; any other value as it is.
package func storedForm(_ any: Any) -> Any {
    guard let value = flatten(any) else { return any }
    let stored = persisted(value)
    return (stored as? any PersistableEnum)?.rawValue ?? stored
}
