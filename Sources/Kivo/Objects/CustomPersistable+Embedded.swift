import KivoEngine

/// Mapped types that are stored as embedded objects: a link to a new object for each value.
extension _CustomPersistable where PersistedType: EmbeddedObject {
    @inlinable public static var _isScalar: Bool { false }
    @inlinable public static var _isScalarInOptional: Bool { false }

    public static var _mappedDefault: Self? { _mapped(PersistedType()) }
    public var _persistedObject: ObjectBase? { persistableValue }
    public var _persistedScalar: Any? { nil }

    /// Hashes the scalar properties of the stored object.
    public func hash(into hasher: inout Hasher) {
        let object = persistableValue
        for property in object.kivoInfo.storedProperties where !property.isLinking {
            (object.kivoValue(property) as? AnyHashable)?.hash(into: &hasher)
        }
    }

    public static func _load(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Self {
        trap("a link is not a scalar")
    }
    public static func _store(_ value: Self, _ column: UnsafeMutableRawPointer, _ slot: Int) -> Bool { false }
    public static func _loadOptional(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Self? {
        trap("a link is not a scalar")
    }
    public static func _storeOptional(
        _ value: Self?, _ column: UnsafeMutableRawPointer, _ slot: Int
    ) -> Bool { false }

    public static func _get(_ owner: ObjectBase, _ property: Int) -> Self {
        guard let object = PersistedType._getOptional(owner, property) else { return _makeDefault() }
        return _mappedOrTrap(object)
    }
    public static func _set(_ value: Self, _ owner: ObjectBase, _ property: Int) {
        PersistedType._setOptional(value.persistableValue, owner, property)
    }
    public static func _promote(
        _ value: inout Self?, _ owner: ObjectBase, _ property: Int, _ adder: _ObjectAdder
    ) { trap("a link is not a scalar") }
    /// Returns the object that is added with the owner. A property without a value has the object's default.
    public static func _linkedObject(_ value: Self?) -> ObjectBase? {
        value?.persistableValue ?? PersistedType()
    }
    public static func _describe(_ type: inout DeclaredType) {
        // The link can be nil, which reads as the default.
        type.isOptional = true
        _describeOptional(&type)
    }
    /// Converts `any`; nil represents the default, as on reading.
    public static func _fromAny(_ any: Any?) -> Self? {
        guard let any = nonNull(any) else { return _makeDefault() }
        return _fromAnyInOptional(any)
    }
    public static func _elementFromAny(_ any: Any?, _ context: CollectionContext) -> Self? {
        nonNull(any).flatMap(_fromAnyInOptional)
    }
    public static func _element(_ cell: Cell, _ context: CollectionContext) -> Self {
        cell.linkKey == 0 ? _makeDefault() : _mappedOrTrap(PersistedType._element(cell, context))
    }
    public static func _loadElement(
        _ address: UnsafeMutableRawPointer, _ context: CollectionContext
    ) -> Self { _element(.link(address.load(as: ObjectKey.self)), context) }

    public static func _promoteOptional(
        _ value: Self?, _ owner: ObjectBase, _ property: Int, _ adder: _ObjectAdder
    ) { trap("a link is not a scalar") }
    public static func _linkedObjectInOptional(_ value: Self) -> ObjectBase? { value.persistableValue }
    public static func _fromAnyInOptional(_ any: Any) -> Self? {
        any as? Self ?? PersistedType._fromAnyInOptional(any).flatMap(_mapped)
    }
    public static var _optionalElementKind: ElementKind { .link }

    public static var _elementKind: ElementKind { .link }
}
