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

/// The type of a property as its class declares it, or of the elements of a collection.
struct DeclaredType: Sendable {
    /// The type of scalar values or elements; nil for objects.
    var scalar: ScalarType?
    /// A Boolean value that indicates whether values (or the elements of a collection) can be nil.
    var isOptional = false
    /// The kind of collection, or `none`.
    var collection = CollectionKind.none
    /// A Boolean value that indicates whether values (or elements) are of a type of the app's; see ``CustomPersistable``. They
    /// are stored as the type that the other properties describe.
    var isMapped = false
    /// Whether values (or elements) are cases of an enum, which are stored as their raw values.
    var isEnum = false
    /// The class of linked objects.
    var target: ObjectBase.Type?
    /// Classes that a realm also needs if it has such a property.
    var companions: [ObjectBase.Type] = []
    /// The property of the target class that is followed backwards, for linking objects.
    var originProperty: String?

    init(_ scalar: ScalarType? = nil, isOptional: Bool = false) {
        self.scalar = scalar
        self.isOptional = isOptional
    }

    /// The layout of the elements of a collection of this type.
    var elementKind: ElementKind {
        guard let scalar else { return .link }
        return ElementKind(scalar.columnKind, isOptional: isOptional)
    }
}

extension DeclaredType: CustomStringConvertible {
    /// The type as it is declared.
    var description: String {
        let element = (target?.className() ?? scalar?.name ?? "?") + (isOptional ? "?" : "")
        switch collection {
        case .none: return element
        case .list: return "List<\(element)>"
        case .set: return "MutableSet<\(element)>"
        case .map: return "Map<String, \(element)>"
        case .linkingObjects: return "LinkingObjects<\(element)>"
        }
    }
}

extension PropertyType {
    /// Creates the type of a declaration.
    init(_ type: DeclaredType) {
        self = type.collection == .linkingObjects ? .linkingObjects : type.scalar?.row.propertyType ?? .object
    }
}

/// Identity of values in their stored form. Swift's `==` treats some texts with different bytes as equal. They are two values in
/// queries, indexes, sets and maps of a realm, and therefore also in unmanaged collections.
extension RealmCollectionValue {
    /// Returns whether two elements are identical: text by its bytes, other values by `==`.
    func isSame(as other: Self) -> Bool {
        if Self.kindOfElement == .any {
            return Self._access.type.isSameElement(Self.widened(self), Self.widened(other))
        }
        guard Self.kindOfElement == .string else { return self == other }
        let context = CollectionContext.unmanaged
        return cell(in: context) == other.cell(in: context)
    }
}

extension Swift.Collection where Element: RealmCollectionValue {
    /// Returns the position of the first element that is identical to another.
    func firstIndex(same element: Element) -> Index? { firstIndex { $0.isSame(as: element) } }

    /// Returns whether two collections contain identical elements in the same order.
    func areSame(as other: some Swift.Collection<Element>) -> Bool {
        elementsEqual(other) { $0.isSame(as: $1) }
    }

    /// Returns whether two collections of distinct elements contain identical elements.
    func areSameMembers(as other: some Swift.Collection<Element>) -> Bool {
        if count != other.count { return false }
        if Element.kindOfElement == .any {
            return allSatisfy { element in other.contains { $0.isSame(as: element) } }
        }
        guard Element.kindOfElement == .string else { return Set(self) == Set(other) }
        let context = CollectionContext.unmanaged
        func bytes(_ element: Element) -> [UInt8]? {
            if case .string(let text) = element.cell(in: context) { Array(text.utf8) } else { nil }
        }
        return Set(map(bytes)) == Set(other.map(bytes))
    }
}
