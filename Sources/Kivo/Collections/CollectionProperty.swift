import KivoEngine

/// A collection as the value of a ``Persisted`` property: ``List``, ``MutableSet`` and ``Map``. Not for use by applications.
///
/// The requirements say what differs between the kinds. What a property needs of its value follows from them.
public protocol _CollectionProperty: AnyObject, _Persistable {
    static var _kind: CollectionKind { get }
    /// An empty, unmanaged collection.
    init()
    /// The collection of a managed object's property, by column.
    init(_managed owner: ObjectBase, _ property: Int)
    /// Whether it is one of a managed object, or was.
    var _isManaged: Bool { get }
    static func _describeElements(_ type: inout DeclaredType)
    /// Whole assignment: the elements are replaced by those of another collection, which may be this one.
    func _assign(_ other: Self)
    /// Takes over the elements of another collection without telling anybody. Only while unmanaged.
    func _take(_ other: Self)
    /// Writes the elements of an unmanaged collection into the row of an object that is being added, and makes it the managed
    /// one; false if it is one of another object, which it stays. The property is given as wrappers of managed objects
    /// carry it.
    func _promote(_ owner: ObjectBase, _ property: Int, _ adder: _ObjectAdder) -> Bool
    /// Makes this collection one that a key path recorder goes on with.
    func _record(for owner: ObjectBase)
    /// The collection that is meant by what is neither nil nor a collection of this type; nil if none is.
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

    /// Whole assignment: the elements are replaced; the collection stays the same object.
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
        // What was never used is empty.
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
