import KivoEngine

/// A collection as the value of a ``Persisted`` property: ``List``, ``MutableSet`` and ``Map``. Not for use by applications.
///
/// The requirements differ between the kinds of collections. The requirements of a property's value are derived from them.
public protocol _CollectionProperty: AnyObject, _Persistable {
    static var _kind: CollectionKind { get }
    /// Creates an empty, unmanaged collection.
    init()
    /// Creates the collection of a managed object's property, by column.
    init(_managed owner: ObjectBase, _ property: Int)
    /// Whether the collection belongs, or belonged, to a managed object.
    var _isManaged: Bool { get }
    static func _describeElements(_ type: inout DeclaredType)
    /// Assigns the elements of another collection, which may be this one.
    func _assign(_ other: Self)
    /// Copies the elements of another collection without notifying observers. Only while unmanaged.
    func _take(_ other: Self)
    /// Writes the elements of an unmanaged collection into the row of an object that is being added, and makes it the managed
    /// collection. Returns false if it belongs to another object, and remains that object's. The property is given in the form
    /// that wrappers of managed objects store.
    func _promote(_ owner: ObjectBase, _ property: Int, _ adder: _ObjectAdder) -> Bool
    /// Makes this collection one through which a recorded key path continues.
    func _record(for owner: ObjectBase)
    /// Returns the collection for a value that is neither nil nor a collection of this type, or nil if the value represents none.
    static func _made(of any: Any) -> Self?
}

extension _CollectionProperty {
    public static func _makeDefault() -> Self { Self() }
    @inlinable public static var _isPlain: Bool { false }
    @inlinable public static var _isScalar: Bool { false }
    @inlinable public static var _isCached: Bool { true }
    public static func _load(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Self {
        trap("a collection is not a scalar")
    }
    public static func _store(_ value: Self, _ column: UnsafeMutableRawPointer, _ slot: Int) -> Bool { false }

    public static func _get(_ owner: ObjectBase, _ property: Int) -> Self {
        Self(_managed: owner, property)
    }

    /// Assigns all elements; the collection remains the same object.
    public static func _set(_ value: Self, _ owner: ObjectBase, _ property: Int) {
        _get(owner, property)._assign(value)
    }

    public static func _replace(_ value: Self, _ current: Self?) -> Bool {
        current?._assign(value)
        return current != nil
    }

    public static func _adopt(_ value: Self, _ current: Self?) -> Self {
        if let current, current === value { return current }
        let kept = current.flatMap { $0._isManaged ? nil : $0 } ?? Self()
        kept._take(value)
        return kept
    }

    public static func _promote(
        _ value: inout Self?, _ owner: ObjectBase, _ property: Int, _ adder: _ObjectAdder
    ) {
        // A collection that was never used is empty.
        guard let collection = value ?? (adder.isUpdating ? Self() : nil) else { return }
        let isManaged = collection._promote(owner, property, adder)
        let column = PersistedColumn.index(UInt32(property))
        value = isManaged ? collection : Self(_managed: owner, column)
    }

    public static func _record(_ owner: ObjectBase, _ property: Int) -> Self {
        owner.kivoRecord(property)
        let collection = Self()
        collection._record(for: owner)
        owner.kivoRecorder?.expect(collection)
        return collection
    }

    public static func _describe(_ type: inout DeclaredType) {
        type.collection = _kind
        _describeElements(&type)
    }

    public static func _toAny(_ value: Self) -> Any? { value }

    public static func _fromAny(_ any: Any?) -> Self? {
        guard let any = nonNull(any) else { return Self() }
        return cast(any, as: self) ?? _made(of: any)
    }
}
