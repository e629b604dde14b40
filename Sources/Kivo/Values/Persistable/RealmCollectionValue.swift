import KivoEngine

/// A type that the elements of a collection can have.
///
/// Conforming types are those of scalar ``Persisted`` properties, their optionals, and ``Object`` and
/// ``EmbeddedObject`` classes. Do not conform types of your own by hand.
public protocol RealmCollectionValue: Hashable, _HasPersistedType, _RealmSchemaDiscoverable
where PersistedType: RealmCollectionValue {
    static var _elementKind: ElementKind { get }
    /// Returns the element that a cell represents.
    static func _element(_ cell: Cell, _ context: CollectionContext) -> Self
    /// Returns the element at an address in a sequence.
    static func _loadElement(_ address: UnsafeMutableRawPointer, _ context: CollectionContext) -> Self
    /// Returns the cell of the element; an unmanaged object is added to the realm.
    func _elementCell(_ context: CollectionContext) -> Cell
    static func _describeElement(_ type: inout DeclaredType)
    /// Returns whether sets treat the element and another as one.
    func _isSameElement(as other: Self) -> Bool
    /// Returns the element that `any` represents, or nil if it represents none.
    static func _elementFromAny(_ any: Any?, _ context: CollectionContext) -> Self?
    /// Returns the element for an accessor, for collections of objects and of values that are created from objects.
    static func _of(_ accessor: AnyObject) -> Self
}

extension RealmCollectionValue {
    @inlinable @inline(__always)
    public static func _of(_ accessor: AnyObject) -> Self { unsafeBitCast(accessor, to: Self.self) }
}

extension RealmCollectionValue {
    public func _isSameElement(as other: Self) -> Bool { self == other }
}

extension Optional: _HasPersistedType where Wrapped: _HasPersistedType {
    public typealias PersistedType = Wrapped.PersistedType?
    @inlinable public static var _isConverted: Bool { Wrapped._isConverted }
}

extension Optional: _RealmSchemaDiscoverable where Wrapped: _OptionalPersistable {}

extension Optional: RealmCollectionValue where Wrapped: _OptionalPersistable {
    public static var _elementKind: ElementKind { Wrapped._optionalElementKind }
    public static func _element(_ cell: Cell, _ context: CollectionContext) -> Wrapped? {
        Wrapped._optionalElement(cell, context)
    }
    public static func _loadElement(
        _ address: UnsafeMutableRawPointer, _ context: CollectionContext
    ) -> Wrapped? {
        Wrapped._optionalElement(_elementKind.load(address), context)
    }
    public func _elementCell(_ context: CollectionContext) -> Cell { Wrapped._optionalCell(self, context) }
    public static func _describeElement(_ type: inout DeclaredType) {
        type.isOptional = true
        Wrapped._describeOptional(&type)
    }
    public static func _elementFromAny(_ any: Any?, _ context: CollectionContext) -> Wrapped?? {
        _fromAny(any)
    }
}

/// A type whose values have a minimum and a maximum.
public protocol MinMaxType: _HasPersistedType where PersistedType: MinMaxType {}

/// A type whose values can be summed.
public protocol AddableType: _HasPersistedType where PersistedType: AddableType {}

/// A type whose values collections can be sorted by.
public protocol SortableType: _HasPersistedType where PersistedType: SortableType {}

/// The name of ``SortableType`` for sorting by key paths.
public typealias KeypathSortable = SortableType

extension Optional: MinMaxType where Wrapped: MinMaxType {}
extension Optional: AddableType where Wrapped: AddableType {}
extension Optional: SortableType where Wrapped: SortableType {}

/// The context of a collection's elements, which converts keys to objects and objects to keys.
public struct CollectionContext {
    /// The realm; nil for an unmanaged collection.
    let instance: RealmInstance?
    /// The table of the elements, if they are objects.
    let elements: TableContext?

    /// The context of an unmanaged collection.
    static var unmanaged: CollectionContext { CollectionContext(instance: nil, elements: nil) }

    /// The table of the elements. Traps if the elements are not objects: a collection that is accessed by name may contain plain
    /// values.
    @inline(__always) var classOfElements: TableContext {
        if let elements { return elements }
        trap("The collection holds plain values, no objects: read it by its property's name, 'object[…]'.")
    }

    init(instance: RealmInstance?, elements: TableContext?) {
        self.instance = instance
        self.elements = elements
    }
}
