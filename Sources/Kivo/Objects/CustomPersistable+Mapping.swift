import KivoEngine

/// Mapped types: the requirements whose implementations are the same for scalars and embedded objects.
extension _CustomPersistable {
    @inlinable public static var _isPlain: Bool { false }
    @inlinable public static var _isConverted: Bool { true }
    @inlinable public static var _isCached: Bool { false }

    public static func _record(_ owner: ObjectBase, _ property: Int) -> Self {
        owner.kivoRecord(property)
        return recorded(owner, property)
    }
    public static func _toAny(_ value: Self) -> Any? { value }

    public static func _getOptional(_ owner: ObjectBase, _ property: Int) -> Self? {
        PersistedType._getOptional(owner, property).flatMap(_mapped)
    }
    public static func _setOptional(_ value: Self?, _ owner: ObjectBase, _ property: Int) {
        PersistedType._setOptional(value?.persistableValue, owner, property)
    }
    public static func _recordOptional(_ owner: ObjectBase, _ property: Int) -> Self? {
        owner.kivoRecord(property)
        return nil
    }
    public static func _describeOptional(_ type: inout DeclaredType) {
        PersistedType._describeOptional(&type)
        type.isMapped = true
    }
    public static func _optionalElement(_ cell: Cell, _ context: CollectionContext) -> Self? {
        PersistedType._optionalElement(cell, context).flatMap(_mapped)
    }
    public static func _optionalCell(_ value: Self?, _ context: CollectionContext) -> Cell {
        PersistedType._optionalCell(value?.persistableValue, context)
    }

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
