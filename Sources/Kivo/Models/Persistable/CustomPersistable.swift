import KivoEngine

/// A type of your own for ``Persisted`` properties, which is stored as a value of another type.
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
/// The stored type is the type of a scalar property, an enum that conforms to ``PersistableEnum``, or a class derived from
/// ``EmbeddedObject``. The mapped type can then be a property, an optional, an element of a collection and a value of a map.
/// Values can be indexed, a primary key, compared, sorted by and added up if the stored type can.
///
/// The default of a property without one is mapped from the default of the stored type. A managed property is mapped again on
/// each read, so `init(persistedValue:)` should be fast; it is called on every thread that reads. Equal values must be stored as
/// equal values. Access by name and queries accept values of both types.
///
/// Use ``FailableCustomPersistable`` if not all stored values represent a value of the mapped type.
public protocol CustomPersistable: _CustomPersistable {
    /// Creates the value that a stored value represents.
    init(persistedValue: PersistedType)
}

/// A type of your own for ``Persisted`` properties, stored as a value of another type whose values need not all represent one.
///
///     extension URL: FailableCustomPersistable {
///         public init?(persistedValue: String) { self.init(string: persistedValue) }
///         public var persistableValue: String { absoluteString }
///     }
///
/// A stored value that represents none reads as nil in an optional property and in a collection of optionals. Reading it
/// elsewhere traps. Assigning it by name to an optional property sets that to nil. If the default of the stored type represents
/// no value, a property that is not optional needs a default.
///
/// See ``CustomPersistable`` for everything else.
public protocol FailableCustomPersistable: _CustomPersistable {
    /// Creates the value that a stored value represents, or returns nil if it represents none.
    init?(persistedValue: PersistedType)
}

/// The common requirements of ``CustomPersistable`` and ``FailableCustomPersistable``. Conform to one of these.
///
/// In a module whose types belong to the main actor by default, those that conform belong to no actor: they are created wherever
/// an object is read.
public protocol _CustomPersistable: _Persistable, _OptionalPersistable, _SendableMetatype {
    /// The type of the stored values. Declared again so that it is inferred from the requirements below.
    override associatedtype PersistedType

    /// The stored form of the value.
    var persistableValue: PersistedType { get }

    /// Returns the value that a stored value represents, or nil.
    static func _mapped(_ persisted: PersistedType) -> Self?
    /// The value of a property that is given none, or nil if there is no such value.
    static var _mappedDefault: Self? { get }
    /// The layout of values of the type. Its members are Kivo's own.
    static var _layout: _Layout<Self> { get }
}

extension CustomPersistable {
    @inlinable @inline(__always)
    public static func _mapped(_ persisted: PersistedType) -> Self? { Self(persistedValue: persisted) }
}

extension FailableCustomPersistable {
    @inlinable @inline(__always)
    public static func _mapped(_ persisted: PersistedType) -> Self? { Self(persistedValue: persisted) }
}

extension _CustomPersistable {
    /// A new embedded object that holds the value; nil if the value is stored as a scalar.
    var persistedObject: ObjectBase? { cast(persistableValue, as: ObjectBase.self) }

    /// The scalar as which the value is stored; nil if it is stored as an object.
    var persistedScalar: Any? { PersistedType.self is ObjectBase.Type ? nil : persistableValue }

    /// Returns the value that a stored value represents. Traps if there is none.
    @inlinable @inline(__always)
    static func mappedOrTrap(_ persisted: PersistedType) -> Self {
        if let value = _mapped(persisted) { return value }
        trapUnmapped(persisted)
    }

    @inline(never) @usableFromInline
    static func trapUnmapped(_ persisted: PersistedType) -> Never {
        trap(
            """
            The stored value '\(persisted)' means no value of type '\(Self.self)': declare the property, or the elements \
            of the collection, optional, or extend 'init?(persistedValue:)'.
            """)
    }

    /// Returns any value of the type for a recorded key path, if necessary the default of the property itself.
    static func recorded(_ owner: ObjectBase, _ property: Int) -> Self {
        if let value = _mappedDefault { return value }
        let info = Registry.info(type(of: owner)).property(column: property)
        return Persisted<Self>.declaredDefault(info.address(in: owner)) ?? _layout.type.makeDefault()
    }
}

/// Returns the stored form of a mapped value, and any other value unchanged.
func persisted(_ value: Any) -> Any {
    guard let mapped = value as? any _CustomPersistable else { return value }
    return mapped.persistableValue
}

/// Returns the stored form of a value of a mapped type or an enum, and any other value unchanged.
package func storedForm(_ any: Any) -> Any {
    guard let value = flatten(any) else { return any }
    let stored = persisted(value)
    return (stored as? any PersistableEnum)?.rawValue ?? stored
}
