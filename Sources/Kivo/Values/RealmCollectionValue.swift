import KivoEngine

/// A type that the elements of a collection can have.
///
/// Conforming types are those of scalar ``Persisted`` properties, their optionals, and ``Object`` and
/// ``EmbeddedObject`` classes. Do not conform types of your own by hand.
public protocol RealmCollectionValue: Hashable, _HasPersistedType, _RealmSchemaDiscoverable
where PersistedType: RealmCollectionValue {
    static var _elementKind: ElementKind { get }
    /// The element that a cell means.
    static func _element(_ cell: Cell, _ context: CollectionContext) -> Self
    /// The element at an address in a sequence.
    static func _loadElement(_ address: UnsafeMutableRawPointer, _ context: CollectionContext) -> Self
    /// The cell that stands for the element; an unmanaged object is added to the realm.
    func _elementCell(_ context: CollectionContext) -> Cell
    static func _describeElement(_ type: inout DeclaredType)
    /// Whether the element and another are one by the order of sets.
    func _isSameElement(as other: Self) -> Bool
    /// The element that `any` means, or nil if it means none.
    static func _elementFromAny(_ any: Any?, _ context: CollectionContext) -> Self?
    /// The element of which an object is the accessor: for collections of objects and of what is made of one.
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

/// A type whose smallest and largest values can be asked for.
public protocol MinMaxType: _HasPersistedType where PersistedType: MinMaxType {}

/// A type whose values can be summed.
public protocol AddableType: _HasPersistedType where PersistedType: AddableType {}

/// A type by whose values collections can be sorted.
public protocol SortableType: _HasPersistedType where PersistedType: SortableType {}

/// The name of ``SortableType`` where values are reached by key paths.
public typealias KeypathSortable = SortableType

extension Optional: MinMaxType where Wrapped: MinMaxType {}
extension Optional: AddableType where Wrapped: AddableType {}
extension Optional: SortableType where Wrapped: SortableType {}

/// Where elements of a collection live: what it takes to make objects of keys and keys of objects.
public struct CollectionContext {
    /// The realm; nil for an unmanaged collection.
    let instance: RealmInstance?
    /// The table of the elements, if they are objects.
    let elements: TableContext?

    /// That of an unmanaged collection.
    static var unmanaged: CollectionContext { CollectionContext(instance: nil, elements: nil) }

    /// The table of the elements. Traps if these are no objects, which a collection that is asked for by name can turn out to
    /// hold.
    @inline(__always) var classOfElements: TableContext {
        if let elements { return elements }
        trap("The collection holds plain values, no objects: read it by its property's name, 'object[…]'.")
    }

    init(instance: RealmInstance?, elements: TableContext?) {
        self.instance = instance
        self.elements = elements
    }
}
