import Foundation
import KivoEngine

/// A type of properties and of elements of collections, as described in a schema.
public protocol _RealmSchemaDiscoverable {
    /// The type that declares the conformance: the type itself, or for a class of objects its base class.
    associatedtype _Base = Self
    /// The access to values of the type. Its members are Kivo's own.
    static var _access: _Access<_Base> { get }
    /// The type in the schema; for collections, the type of their elements.
    static var _rlmType: PropertyType { get }
    /// Whether values, or elements, can be nil.
    static var _rlmOptional: Bool { get }
}

extension _RealmSchemaDiscoverable {
    public static var _rlmType: PropertyType { PropertyType(declared) }
    public static var _rlmOptional: Bool { declared.isOptional }

    /// The type as properties declare it.
    static var declared: DeclaredType {
        var type = DeclaredType()
        _access.type.describe(&type)
        return type
    }
}

/// A type that a ``Persisted`` property can have.
///
/// Conforming types are: `Bool`, the integers, `Float`, `Double`, `String`, `Data`, `Date`, `UUID`, ``ObjectId``,
/// ``Decimal128``, enums that conform to ``PersistableEnum``, the optionals of all these and of ``Object`` and
/// ``EmbeddedObject`` classes, and the collections. Do not conform types of your own by hand.
public protocol _Persistable: _HasPersistedType, _RealmSchemaDiscoverable where _Base == Self {
    /// The layout of values of the type. Its members are Kivo's own.
    static var _layout: _Layout<Self> { get }
}

/// A type that the elements of a collection can have.
///
/// Conforming types are those of scalar ``Persisted`` properties, their optionals, and ``Object`` and
/// ``EmbeddedObject`` classes. Do not conform types of your own by hand.
public protocol RealmCollectionValue: Hashable, _HasPersistedType, _RealmSchemaDiscoverable
where PersistedType: RealmCollectionValue {
    /// Returns the element for an accessor, for collections of objects and of values that are created from objects. Inlined into
    /// enumerations of objects.
    static func _of(_ accessor: AnyObject) -> Self
    /// Returns the element that a cell represents. This and the members below are called for each element; elsewhere the table
    /// is used.
    static func _element(_ cell: _ElementCell, _ context: CollectionContext) -> Self
    /// Returns the element at an address in a sequence.
    static func _loadElement(_ address: UnsafeMutableRawPointer, _ context: CollectionContext) -> Self
    /// Returns the cell of the element; an unmanaged object is added to the realm.
    func _elementCell(_ context: CollectionContext) -> _ElementCell
}

/// The stored form of an element, which only Kivo reads and creates.
public struct _ElementCell {
    let cell: Cell

    @inline(__always)
    init(_ cell: Cell) { self.cell = cell }
}

extension RealmCollectionValue {
    @inlinable @inline(__always)
    public static func _of(_ accessor: AnyObject) -> Self { unsafeBitCast(accessor, to: Self.self) }
}

extension RealmCollectionValue where _Base == Self {
    public static func _element(_ cell: _ElementCell, _ context: CollectionContext) -> Self {
        _access.type.element(cell.cell, context)
    }
    public static func _loadElement(
        _ address: UnsafeMutableRawPointer, _ context: CollectionContext
    ) -> Self { _access.type.loadElement(address, context) }
    public func _elementCell(_ context: CollectionContext) -> _ElementCell {
        _ElementCell(Self._access.type.elementCell(self, context))
    }
}

/// A type whose optional a ``Persisted`` property can have.
public protocol _OptionalPersistable: RealmCollectionValue where PersistedType: _OptionalPersistable {
    /// The layout of values of the type. Its members are Kivo's own.
    static var _layout: _Layout<_Base> { get }
}

/// A type whose values are stored whole in a column.
public protocol _Scalar: _Persistable, _OptionalPersistable {
    static var _layout: _Layout<Self> { get }
}

/// A type whose properties can be indexed.
public protocol _Indexable {}

/// A type that a primary key can have.
public protocol _PrimaryKey: _Indexable {}

/// A type whose optional a `RealmOptional` can hold.
public protocol RealmOptionalType: _OptionalPersistable {}

/// A type that a `RealmProperty` can hold: optionals of numbers, Booleans and enums, and ``AnyRealmValue``.
public protocol RealmPropertyType: _Persistable {}

extension Bool: RealmOptionalType {}
extension Int: RealmOptionalType {}
extension Int8: RealmOptionalType {}
extension Int16: RealmOptionalType {}
extension Int32: RealmOptionalType {}
extension Int64: RealmOptionalType {}
extension Float: RealmOptionalType {}
extension Double: RealmOptionalType {}
extension Optional: RealmPropertyType where Wrapped: RealmOptionalType {}

/// The name of the types that an optional element of a collection can have.
public typealias _RealmCollectionValueInsideOptional = _OptionalPersistable

/// The name of the types that an optional property can have.
public typealias _PersistableInsideOptional = _OptionalPersistable
