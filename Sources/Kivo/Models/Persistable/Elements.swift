import KivoEngine

/// The use of a type's table by generic code.
///
/// `_Base` is the type itself, except for a class of objects or projections, whose table is typed by the class that conforms. The
/// metatype in that table is the one of the class itself, so that its values are of this class: the casts check nothing.
extension RealmCollectionValue {
    @inlinable @inline(__always)
    static func narrowed(_ value: _Base) -> Self { unsafeBitCast(value, to: Self.self) }
    @inlinable @inline(__always)
    static func narrowed(_ value: _Base?) -> Self? { unsafeBitCast(value, to: Self?.self) }
    @inlinable @inline(__always)
    static func widened(_ value: Self) -> _Base { unsafeBitCast(value, to: _Base.self) }
    @inlinable @inline(__always)
    static func widened(_ value: Self?) -> _Base? { unsafeBitCast(value, to: _Base?.self) }

    /// Returns an array that `body` fills.
    static func gathered(_ body: (inout [_Base]) -> Void) -> [Self] {
        var elements: [_Base] = []
        body(&elements)
        // An array of objects is copied, because its buffer has the type of its elements.
        return elements.unchanged(as: Self.self) ?? elements.map(narrowed)
    }

    /// The layout of an element in a sequence.
    static var kindOfElement: ElementKind { _access.type.elementKind }
    /// Whether the app's code converts between elements and stored values; see `ValueLayout`.
    static var isConvertedElement: Bool { _access.type.convertsElements }

    /// Returns the element that a cell represents.
    @inline(__always)
    static func element(of cell: Cell, _ context: CollectionContext) -> Self {
        _element(_ElementCell(cell), context)
    }

    /// Returns the element at an address in a sequence.
    @inline(__always)
    static func element(at address: UnsafeMutableRawPointer, _ context: CollectionContext) -> Self {
        _loadElement(address, context)
    }

    /// Returns the element that `any` represents, or nil if it represents none.
    static func element(from any: Any?) -> Self? { narrowed(_access.type.elementFromAny(any)) }

    /// Returns the cell of the element; an unmanaged object is added to the realm.
    @inline(__always)
    func cell(in context: CollectionContext) -> Cell { _elementCell(context).cell }
}

extension Array {
    /// Returns the array itself if its elements are of a type that generic code knows by another name; nil if they are of another
    /// type. A cast would look at each element. O(1).
    func unchanged<Other>(as type: Other.Type) -> [Other]? {
        // Both are the same type, so the bits are those of the result.
        Element.self == Other.self ? unsafeBitCast(self, to: [Other].self) : nil
    }
}

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
