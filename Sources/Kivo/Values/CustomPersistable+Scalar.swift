import KivoEngine

/// Mapped types that are stored as scalars: what the stored type has, with the conversion.
extension _CustomPersistable where PersistedType: _Scalar {
    @inlinable public static var _isPlain: Bool { false }
    @inlinable public static var _isScalar: Bool { true }
    @inlinable public static var _isCached: Bool { false }
    @inlinable public static var _isScalarInOptional: Bool { true }

    public static var _mappedDefault: Self? { _mapped(PersistedType._makeDefault()) }
    public var _persistedObject: ObjectBase? { nil }
    public var _persistedScalar: Any? { persistableValue }

    /// Hashes what is stored.
    public func hash(into hasher: inout Hasher) { persistableValue.hash(into: &hasher) }

    @inlinable @inline(__always)
    public static func _load(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Self {
        _mappedOrTrap(PersistedType._load(column, slot))
    }
    @inlinable @inline(__always)
    public static func _store(_ value: Self, _ column: UnsafeMutableRawPointer, _ slot: Int) -> Bool {
        PersistedType._store(value.persistableValue, column, slot)
    }
    @inlinable @inline(__always)
    public static func _loadOptional(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Self? {
        PersistedType._loadOptional(column, slot).flatMap(_mapped)
    }
    @inlinable @inline(__always)
    public static func _storeOptional(
        _ value: Self?, _ column: UnsafeMutableRawPointer, _ slot: Int
    ) -> Bool {
        PersistedType._storeOptional(value?.persistableValue, column, slot)
    }

    public static func _get(_ owner: ObjectBase, _ property: Int) -> Self {
        _mappedOrTrap(PersistedType._get(owner, property))
    }
    public static func _set(_ value: Self, _ owner: ObjectBase, _ property: Int) {
        PersistedType._set(value.persistableValue, owner, property)
    }
    public static func _promote(
        _ value: inout Self?, _ owner: ObjectBase, _ property: Int, _ adder: _ObjectAdder
    ) {
        // Without a value the stored type's default is stored, whether or not it means one.
        var promoted = value.map(\.persistableValue)
        value = nil
        PersistedType._promote(&promoted, owner, property, adder)
    }
    public static func _record(_ owner: ObjectBase, _ property: Int) -> Self {
        owner.kivoRecord(property)
        return recorded(owner, property)
    }
    public static func _describe(_ type: inout DeclaredType) {
        PersistedType._describe(&type)
        type.isMapped = true
    }
    public static func _toAny(_ value: Self) -> Any? { value }
    public static func _fromAny(_ any: Any?) -> Self? {
        guard let any = flatten(any) else { return nil }
        return any as? Self ?? PersistedType._fromAny(any).flatMap(_mapped)
    }

    public static func _getOptional(_ owner: ObjectBase, _ property: Int) -> Self? {
        PersistedType._getOptional(owner, property).flatMap(_mapped)
    }
    public static func _setOptional(_ value: Self?, _ owner: ObjectBase, _ property: Int) {
        PersistedType._setOptional(value?.persistableValue, owner, property)
    }
    public static func _promoteOptional(
        _ value: Self?, _ owner: ObjectBase, _ property: Int, _ adder: _ObjectAdder
    ) {
        PersistedType._promoteOptional(value?.persistableValue, owner, property, adder)
    }
    public static func _recordOptional(_ owner: ObjectBase, _ property: Int) -> Self? {
        owner.kivoRecord(property)
        return nil
    }
    public static func _describeOptional(_ type: inout DeclaredType) {
        PersistedType._describeOptional(&type)
        type.isMapped = true
    }
    public static func _fromAnyInOptional(_ any: Any) -> Self? { _fromAny(any) }
    public static func _isUnknown(_ any: Any) -> Bool {
        PersistedType._isUnknown(any) || PersistedType._fromAny(any).map { _mapped($0) == nil } ?? false
    }
    public static var _optionalElementKind: ElementKind { PersistedType._optionalElementKind }
    public static func _optionalElement(_ cell: Cell, _ context: CollectionContext) -> Self? {
        PersistedType._optionalElement(cell, context).flatMap(_mapped)
    }
    public static func _optionalCell(_ value: Self?, _ context: CollectionContext) -> Cell {
        PersistedType._optionalCell(value?.persistableValue, context)
    }

    public static var _elementKind: ElementKind { PersistedType._elementKind }
    public static func _element(_ cell: Cell, _ context: CollectionContext) -> Self {
        _mappedOrTrap(PersistedType._element(cell, context))
    }
    @inlinable
    public static func _loadElement(
        _ address: UnsafeMutableRawPointer, _ context: CollectionContext
    ) -> Self { _mappedOrTrap(PersistedType._loadElement(address, context)) }
    public func _elementCell(_ context: CollectionContext) -> Cell { persistableValue._elementCell(context) }
    public static func _describeElement(_ type: inout DeclaredType) {
        PersistedType._describeElement(&type)
        type.isMapped = true
    }
    public static func _elementFromAny(_ any: Any?, _ context: CollectionContext) -> Self? { _fromAny(any) }
}
