import Foundation
import KivoEngine

/// How values of a type are used: as values of properties, as elements of collections, and in optionals.
///
/// Every type that a property or a collection can hold has two tables, which its public protocols require and whose members are
/// internal:
///
/// - `_layout` (``PropertyLayout``, based on `ValueLayout`): the memory of a column, and whether values are cached or converted.
///   It is inlined into the accessors of properties in the app's modules.
/// - `_access` (this protocol): everything that needs an object, an adder or the realm. It is never inlined.
///
/// A table is the metatype of a type that conforms to the protocol: the type itself for scalars, objects, collections and
/// optionals; a type such as `EnumAccess<Mood>` for types of the app, which cannot conform to internal protocols.
///
/// Types that cannot be all three of property, element and optional conform to ``NoPropertyAccess``, ``NoElementAccess`` or
/// ``NoOptionalAccess`` for the rest.
protocol ValueAccess<Accessed> {
    /// The type of the values. For a class of objects it is the class that conforms; see `_RealmSchemaDiscoverable`.
    associatedtype Accessed

    /// Describes the type of a property to the registry.
    static func describe(_ type: inout DeclaredType)

    // MARK: Values of properties

    /// Returns the managed value.
    static func get(_ owner: ObjectBase, _ property: Int) -> Accessed
    /// Assigns the managed value, with all side effects.
    static func set(_ value: Accessed, _ owner: ObjectBase, _ property: Int)
    /// Writes an unmanaged value that is not, and does not contain, an object into the row of an object that is being added.
    /// Releases the value unless it stays in use (a collection). The property is given in the form that wrappers of managed
    /// objects store.
    static func promote(_ value: inout Accessed?, _ owner: ObjectBase, _ property: Int, _ adder: ObjectAdder)
    /// Returns the object, if the value is a link.
    static func linkedObject(_ value: Accessed?) -> ObjectBase?
    /// Records the read and returns the value through which a key path continues.
    static func record(_ owner: ObjectBase, _ property: Int) -> Accessed
    /// Returns the name of the property that is followed backwards, if the value is linking objects.
    static func originProperty(_ value: Accessed?) -> String?
    /// Returns the value as `Any?`, for dynamic access.
    static func toAny(_ value: Accessed) -> Any?
    /// Returns the value that `any` represents in dynamic access, or nil if it is not of this type.
    static func fromAny(_ any: Any?) -> Accessed?

    // MARK: Elements of collections

    static var elementKind: ElementKind { get }
    /// Whether the app's code converts between elements and stored values; see `ValueLayout`.
    static var convertsElements: Bool { get }
    /// Describes the type of an element to the registry.
    static func describeElement(_ type: inout DeclaredType)
    /// Returns the element that a cell represents.
    static func element(_ cell: Cell, _ context: CollectionContext) -> Accessed
    /// Returns the element at an address in a sequence.
    static func loadElement(_ address: UnsafeMutableRawPointer, _ context: CollectionContext) -> Accessed
    /// Appends the elements of a run of a sequence, which begins at an address. One call for many elements: calls through this table
    /// cost more than a load.
    static func appendElements(
        _ run: UnsafeMutableRawPointer, _ count: Int, _ context: CollectionContext,
        to elements: inout [Accessed])
    /// Returns the cell of an element; an unmanaged object is added to the realm.
    static func elementCell(_ element: Accessed, _ context: CollectionContext) -> Cell
    /// Returns whether sets treat two elements as one.
    static func isSameElement(_ element: Accessed, _ other: Accessed) -> Bool
    /// Returns the element that `any` represents, or nil if it represents none.
    static func elementFromAny(_ any: Any?) -> Accessed?

    // MARK: Values in optionals

    static func getOptional(_ owner: ObjectBase, _ property: Int) -> Accessed?
    static func setOptional(_ value: Accessed?, _ owner: ObjectBase, _ property: Int)
    /// Writes a value that is no object into the row of an object that is being added.
    static func promoteOptional(
        _ value: Accessed?, _ owner: ObjectBase, _ property: Int, _ adder: ObjectAdder)
    static func recordOptional(_ owner: ObjectBase, _ property: Int) -> Accessed?
    static func fromAnyInOptional(_ any: Any) -> Accessed?
    /// Returns whether `any` represents a value that the type no longer has, or does not have yet. Such a value reads as nil.
    static func isUnknown(_ any: Any) -> Bool
    /// Returns the object, if the value is one or is stored as one.
    static func linkedObjectInOptional(_ value: Accessed) -> ObjectBase?
    static var optionalElementKind: ElementKind { get }
    static func optionalElement(_ cell: Cell, _ context: CollectionContext) -> Accessed?
    static func optionalCell(_ value: Accessed?, _ context: CollectionContext) -> Cell
}

extension ValueAccess {
    static func linkedObject(_ value: Accessed?) -> ObjectBase? { nil }
    static func originProperty(_ value: Accessed?) -> String? { nil }
    static func toAny(_ value: Accessed) -> Any? { value }
    static var convertsElements: Bool { false }
    static func elementFromAny(_ any: Any?) -> Accessed? { fromAny(any) }
    static func appendElements(
        _ run: UnsafeMutableRawPointer, _ count: Int, _ context: CollectionContext,
        to elements: inout [Accessed]
    ) {
        let stride = elementKind.stride
        for index in 0..<count { elements.append(loadElement(run + index * stride, context)) }
    }
    static func isUnknown(_ any: Any) -> Bool { false }
    static func linkedObjectInOptional(_ value: Accessed) -> ObjectBase? { nil }
}

extension ValueAccess where Accessed: Equatable {
    static func isSameElement(_ element: Accessed, _ other: Accessed) -> Bool { element == other }
}

/// The layout of a property: that of its values, and what else is inlined into the property's accessors.
@usableFromInline
protocol PropertyLayout<Accessed>: ValueLayout {
    /// Whether the managed value is an object that the property caches (a collection).
    static var isCached: Bool { get }
    /// Returns the value that an unmanaged object's property holds after an assignment. A collection property keeps its own
    /// collection, with the elements of the assigned one.
    static func adopt(_ value: Accessed, _ current: Accessed?) -> Accessed
    /// Replaces the elements of the collection of an observed unmanaged object, which notifies its observers. Returns false if
    /// the value is no collection.
    static func replace(_ value: Accessed, _ current: Accessed?) -> Bool
    /// Assigns a value that the app's code converts, to a managed or observed object. Returns false if the caller has to assign
    /// it.
    static func assign(_ value: Accessed, _ owner: ObjectBase, _ column: UInt32) -> Bool
    /// Assigns an optional of a value that the app's code converts, like ``assign(_:_:_:)``.
    static func assignOptional(_ value: Accessed?, _ owner: ObjectBase, _ column: UInt32) -> Bool
}

extension PropertyLayout {
    @inlinable static var isCached: Bool { false }
    @inlinable static func adopt(_ value: Accessed, _ current: Accessed?) -> Accessed { value }
    @inlinable static func replace(_ value: Accessed, _ current: Accessed?) -> Bool { false }
    @inlinable static func assign(_ value: Accessed, _ owner: ObjectBase, _ column: UInt32) -> Bool { false }
    @inlinable static func assignOptional(_ value: Accessed?, _ owner: ObjectBase, _ column: UInt32) -> Bool {
        false
    }
}

/// The layout of a type's properties; see ``ValueAccess``. Not for use by applications.
public struct _Layout<Value> {
    @usableFromInline let type: any PropertyLayout<Value>.Type

    @inlinable init(_ type: any PropertyLayout<Value>.Type) { self.type = type }
}

/// The access to values of a type; see ``ValueAccess``. Not for use by applications.
public struct _Access<Value> {
    let type: any ValueAccess<Value>.Type

    init(_ type: any ValueAccess<Value>.Type) { self.type = type }
}

/// A type that a property cannot have.
protocol NoPropertyAccess: ValueAccess {}

extension NoPropertyAccess {
    static func describe(_ type: inout DeclaredType) { describeElement(&type) }
    static func get(_ owner: ObjectBase, _ property: Int) -> Accessed { trap("not a property") }
    static func set(_ value: Accessed, _ owner: ObjectBase, _ property: Int) { trap("not a property") }
    static func promote(_ value: inout Accessed?, _ owner: ObjectBase, _ property: Int, _ adder: ObjectAdder)
    {
        trap("not a property")
    }
    static func record(_ owner: ObjectBase, _ property: Int) -> Accessed { trap("not a property") }
    static func fromAny(_ any: Any?) -> Accessed? { nil }
}

/// A type that elements of a collection cannot have.
protocol NoElementAccess: ValueAccess {}

extension NoElementAccess {
    static var elementKind: ElementKind { trap("not an element") }
    static func describeElement(_ type: inout DeclaredType) { trap("not an element") }
    static func element(_ cell: Cell, _ context: CollectionContext) -> Accessed { trap("not an element") }
    static func loadElement(_ address: UnsafeMutableRawPointer, _ context: CollectionContext) -> Accessed {
        trap("not an element")
    }
    static func elementCell(_ element: Accessed, _ context: CollectionContext) -> Cell {
        trap("not an element")
    }
    static func isSameElement(_ element: Accessed, _ other: Accessed) -> Bool { trap("not an element") }
}

/// A type that an optional property or element cannot have.
protocol NoOptionalAccess: ValueAccess {}

extension NoOptionalAccess {
    static func getOptional(_ owner: ObjectBase, _ property: Int) -> Accessed? { trap("not optional") }
    static func setOptional(_ value: Accessed?, _ owner: ObjectBase, _ property: Int) { trap("not optional") }
    static func promoteOptional(
        _ value: Accessed?, _ owner: ObjectBase, _ property: Int, _ adder: ObjectAdder
    ) { trap("not optional") }
    static func recordOptional(_ owner: ObjectBase, _ property: Int) -> Accessed? { trap("not optional") }
    static func fromAnyInOptional(_ any: Any) -> Accessed? { nil }
    static var optionalElementKind: ElementKind { trap("not optional") }
    static func optionalElement(_ cell: Cell, _ context: CollectionContext) -> Accessed? {
        trap("not optional")
    }
    static func optionalCell(_ value: Accessed?, _ context: CollectionContext) -> Cell {
        trap("not optional")
    }
}

/// Converts a value to another type. Returns nil if it does not fit.
package func converted<Value>(_ value: Any?, to type: Value.Type) -> Value? {
    guard let value = flatten(value) else { return (Value.self as? any AnyOptional.Type)?.none as? Value }
    if let value = value as? Value { return value }
    func convert<Persistable: _Persistable>(_ type: Persistable.Type) -> Any? {
        type._access.type.fromAny(value)
    }
    if let persistable = Value.self as? any _Persistable.Type { return convert(persistable) as? Value }
    let wrapped = (Value.self as? any AnyOptional.Type)?.wrappedType ?? Value.self
    if let persistable = wrapped as? any _Persistable.Type { return convert(persistable) as? Value }
    // Collections that are changed in place.
    if wrapped == NSMutableArray.self, let array = value as? [Any] {
        return NSMutableArray(array: array) as? Value
    }
    if wrapped == NSMutableSet.self, let set = value as? Set<AnyHashable> {
        return NSMutableSet(array: set.map(\.base)) as? Value
    }
    return nil
}
