import KivoEngine

/// Mapped types that are stored as scalars: the requirements call those of the stored type and convert the values.
extension _CustomPersistable where PersistedType: _Scalar {
    @inlinable public static var _isScalar: Bool { true }
    @inlinable public static var _isScalarInOptional: Bool { true }

    public static var _mappedDefault: Self? { _mapped(PersistedType._makeDefault()) }
    public var _persistedObject: ObjectBase? { nil }
    public var _persistedScalar: Any? { persistableValue }

    /// Hashes the stored value.
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

    @inlinable
    public static func _assign(_ value: Self, _ owner: ObjectBase, _ column: UInt32) -> Bool {
        Persisted<PersistedType>.assign(value.persistableValue, owner, column)
    }
    @inlinable
    public static func _assignOptional(_ value: Self?, _ owner: ObjectBase, _ column: UInt32) -> Bool {
        Persisted<PersistedType?>.assign(value?.persistableValue, owner, column)
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
        // Without a value the stored type's default is stored, even if it represents no value of the mapped type.
        var promoted = value.map(\.persistableValue)
        value = nil
        PersistedType._promote(&promoted, owner, property, adder)
    }
    public static func _describe(_ type: inout DeclaredType) {
        PersistedType._describe(&type)
        type.isMapped = true
    }
    public static func _fromAny(_ any: Any?) -> Self? {
        guard let any = flatten(any) else { return nil }
        return any as? Self ?? PersistedType._fromAny(any).flatMap(_mapped)
    }

    public static func _promoteOptional(
        _ value: Self?, _ owner: ObjectBase, _ property: Int, _ adder: _ObjectAdder
    ) {
        PersistedType._promoteOptional(value?.persistableValue, owner, property, adder)
    }
    public static func _fromAnyInOptional(_ any: Any) -> Self? { _fromAny(any) }
    public static func _isUnknown(_ any: Any) -> Bool {
        PersistedType._isUnknown(any) || PersistedType._fromAny(any).map { _mapped($0) == nil } ?? false
    }
    public static var _optionalElementKind: ElementKind { PersistedType._optionalElementKind }

    public static var _elementKind: ElementKind { PersistedType._elementKind }
}
