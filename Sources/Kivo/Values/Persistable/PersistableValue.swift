import Foundation
import KivoEngine

/// A type that a ``Persisted`` property can have.
///
/// Conforming types are: `Bool`, the integers, `Float`, `Double`, `String`, `Data`, `Date`, `UUID`, ``ObjectId``,
/// ``Decimal128``, enums that conform to ``PersistableEnum``, the optionals of all these and of ``Object`` and
/// ``EmbeddedObject`` classes, and the collections. Do not conform types of your own by hand.
public protocol _Persistable: _HasPersistedType, _RealmSchemaDiscoverable {
    /// Returns the value of an unmanaged property without a default.
    static func _makeDefault() -> Self
    /// Whether the default is free to create and equal for all, so that unmanaged properties always hold a value.
    static var _isPlain: Bool { get }
    /// Whether a column stores the whole value, so that it can be loaded and stored directly.
    static var _isScalar: Bool { get }
    /// Whether the managed value is an object that the property caches (a collection).
    static var _isCached: Bool { get }
    /// Returns the value that an unmanaged object's property holds after an assignment. A collection property keeps its own
    /// collection, with the elements of the assigned one.
    static func _adopt(_ value: Self, _ current: Self?) -> Self
    /// Replaces the elements of the collection of an observed unmanaged object, which notifies its observers. Returns false if
    /// the value is no collection.
    static func _replace(_ value: Self, _ current: Self?) -> Bool
    /// Whether stored values are self-describing, so that some of them can be loaded directly and others cannot.
    static var _isTagged: Bool { get }
    /// Loads a tagged value from a column; nil if that takes more than a load.
    static func _loadTagged(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Self?
    /// Loads a scalar from a column.
    static func _load(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Self
    /// Stores a scalar into a column of the open transaction and marks the column; false if that takes more than a store.
    static func _store(_ value: Self, _ column: UnsafeMutableRawPointer, _ slot: Int) -> Bool
    /// Assigns a value that the app's code converts, to a managed or observed object. Returns false if the caller has to assign
    /// it.
    static func _assign(_ value: Self, _ owner: ObjectBase, _ column: UInt32) -> Bool
    /// Returns the managed value, of any type.
    static func _get(_ owner: ObjectBase, _ property: Int) -> Self
    /// Assigns the managed value, of any type, with all side effects.
    static func _set(_ value: Self, _ owner: ObjectBase, _ property: Int)
    /// Writes an unmanaged value that is not, and does not contain, an object into the row of an object that is being added.
    /// Releases the value unless it stays in use (a collection). The property is given in the form that wrappers of managed
    /// objects store.
    static func _promote(_ value: inout Self?, _ owner: ObjectBase, _ property: Int, _ adder: _ObjectAdder)
    /// Returns the object, if the value is a link.
    static func _linkedObject(_ value: Self?) -> ObjectBase?
    /// Records the read and returns the value through which a key path continues.
    static func _record(_ owner: ObjectBase, _ property: Int) -> Self
    /// Describes the type to the registry.
    static func _describe(_ type: inout DeclaredType)
    /// Returns the name of the property that is followed backwards, if the value is linking objects.
    static func _originProperty(_ value: Self?) -> String?
    /// Returns the value as `Any?`, for dynamic access.
    static func _toAny(_ value: Self) -> Any?
    /// Returns the value that `any` represents in dynamic access, or nil if it is not of this type.
    static func _fromAny(_ any: Any?) -> Self?
}

extension _Persistable {
    @inlinable
    public static func _assign(_ value: Self, _ owner: ObjectBase, _ column: UInt32) -> Bool {
        Persisted<Self>.write(value, owner, PersistedColumn.index(column))
    }
    @inlinable
    public static func _adopt(_ value: Self, _ current: Self?) -> Self { value }
    @inlinable
    public static func _replace(_ value: Self, _ current: Self?) -> Bool { false }
    @inlinable
    public static var _isTagged: Bool { false }
    @inlinable
    public static func _loadTagged(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Self? { nil }
    public static func _linkedObject(_ value: Self?) -> ObjectBase? { nil }
    public static func _originProperty(_ value: Self?) -> String? { nil }
}

/// A type whose properties can be indexed.
public protocol _Indexable {}

/// A type that a primary key can have.
public protocol _PrimaryKey: _Indexable {}

/// A type whose optional a ``Persisted`` property can have.
public protocol _OptionalPersistable: RealmCollectionValue where PersistedType: _OptionalPersistable {
    static var _isScalarInOptional: Bool { get }
    static func _loadOptional(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Self?
    static func _storeOptional(_ value: Self?, _ column: UnsafeMutableRawPointer, _ slot: Int) -> Bool
    static func _assignOptional(_ value: Self?, _ owner: ObjectBase, _ column: UInt32) -> Bool
    static func _getOptional(_ owner: ObjectBase, _ property: Int) -> Self?
    static func _setOptional(_ value: Self?, _ owner: ObjectBase, _ property: Int)
    /// Writes a value that is no object into the row of an object that is being added.
    static func _promoteOptional(_ value: Self?, _ owner: ObjectBase, _ property: Int, _ adder: _ObjectAdder)
    static func _recordOptional(_ owner: ObjectBase, _ property: Int) -> Self?
    static func _describeOptional(_ type: inout DeclaredType)
    static func _fromAnyInOptional(_ any: Any) -> Self?
    /// Returns whether `any` represents a value that the type no longer has, or does not have yet. Such a value reads as nil.
    static func _isUnknown(_ any: Any) -> Bool
    /// Returns the object, if the value is one or is stored as one.
    static func _linkedObjectInOptional(_ value: Self) -> ObjectBase?
    static var _optionalElementKind: ElementKind { get }
    static func _optionalElement(_ cell: Cell, _ context: CollectionContext) -> Self?
    static func _optionalCell(_ value: Self?, _ context: CollectionContext) -> Cell
}

extension Optional: _Persistable where Wrapped: _OptionalPersistable {
    @inlinable public static func _makeDefault() -> Wrapped? { nil }
    @inlinable public static var _isPlain: Bool { true }
    @inlinable public static var _isScalar: Bool { Wrapped._isScalarInOptional }
    @inlinable public static var _isCached: Bool { false }
    @inlinable
    public static func _load(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Wrapped? {
        Wrapped._loadOptional(column, slot)
    }
    @inlinable
    public static func _store(_ value: Wrapped?, _ column: UnsafeMutableRawPointer, _ slot: Int) -> Bool {
        Wrapped._storeOptional(value, column, slot)
    }
    @inlinable
    public static func _assign(_ value: Wrapped?, _ owner: ObjectBase, _ column: UInt32) -> Bool {
        Wrapped._assignOptional(value, owner, column)
    }
    public static func _get(_ owner: ObjectBase, _ property: Int) -> Wrapped? {
        Wrapped._getOptional(owner, property)
    }
    public static func _set(_ value: Wrapped?, _ owner: ObjectBase, _ property: Int) {
        Wrapped._setOptional(value, owner, property)
    }
    public static func _promote(
        _ value: inout Wrapped??, _ owner: ObjectBase, _ property: Int, _ adder: _ObjectAdder
    ) {
        Wrapped._promoteOptional(value ?? nil, owner, property, adder)
        value = nil
    }
    public static func _linkedObject(_ value: Wrapped??) -> ObjectBase? {
        if Wrapped._isScalarInOptional { return nil }
        guard let value = value ?? nil else { return nil }
        return Wrapped._linkedObjectInOptional(value)
    }
    public static func _record(_ owner: ObjectBase, _ property: Int) -> Wrapped? {
        Wrapped._recordOptional(owner, property)
    }
    public static func _describe(_ type: inout DeclaredType) {
        type.isOptional = true
        Wrapped._describeOptional(&type)
    }
    public static func _toAny(_ value: Wrapped?) -> Any? { value }
    public static func _fromAny(_ any: Any?) -> Wrapped?? {
        if let any, type(of: any) == Wrapped.self { return any as? Wrapped }
        guard let any = nonNull(any) else { return .some(nil) }
        if let value = Wrapped._fromAnyInOptional(any) { return value }
        return Wrapped._isUnknown(any) ? .some(nil) : nil
    }
}

extension _OptionalPersistable {
    @inlinable
    public static func _assignOptional(_ value: Self?, _ owner: ObjectBase, _ column: UInt32) -> Bool {
        Persisted<Self?>.write(value, owner, PersistedColumn.index(column))
    }
    public static func _isUnknown(_ any: Any) -> Bool { false }
    public static func _linkedObjectInOptional(_ value: Self) -> ObjectBase? { nil }
}

extension Optional: _Indexable where Wrapped: _Indexable {}
extension Optional: _PrimaryKey where Wrapped: _PrimaryKey {}
