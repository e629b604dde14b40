import KivoEngine

/// A type whose values are stored whole in a column.
///
/// The requirements define the layout of a value. The requirements of ``Persisted``, collections and dynamic access are derived
/// from them.
public protocol _Scalar: _Persistable, _OptionalPersistable {
    static var _scalarType: ScalarType { get }
    init(_cell: Cell)
    var _cell: Cell { get }
    /// Loads a value from an address with the column's layout.
    static func _loadValue(_ address: UnsafeMutableRawPointer) -> Self
    /// Returns the value that `any` represents, with the usual conversions between numbers, or nil.
    static func _convert(_ any: Any) -> Self?
}

extension _Scalar {
    @inlinable public static var _isPlain: Bool { true }
    @inlinable public static var _isScalar: Bool { true }
    @inlinable public static var _isCached: Bool { false }
    @inlinable public static var _isScalarInOptional: Bool { true }

    public static func _get(_ owner: ObjectBase, _ property: Int) -> Self {
        let row = owner.kivoRow
        return _load(row.columns![property], row.slot)
    }

    public static func _set(_ value: Self, _ owner: ObjectBase, _ property: Int) {
        owner.kivoSet(value._cell, property) { _store(value, $0, $1) }
    }

    public static func _promote(
        _ value: inout Self?, _ owner: ObjectBase, _ property: Int, _ adder: _ObjectAdder
    ) {
        let promoted = value ?? _makeDefault()
        value = nil
        adder.store(promoted._cell, owner, property) { _store(promoted, $0, $1) }
    }

    public static func _record(_ owner: ObjectBase, _ property: Int) -> Self {
        owner.kivoRecord(property)
        return _makeDefault()
    }

    public static func _describe(_ type: inout DeclaredType) { type.scalar = _scalarType }

    public static func _toAny(_ value: Self) -> Any? { value }
    public static func _fromAny(_ any: Any?) -> Self? {
        guard let any else { return nil }
        // Values of the type itself are by far the most common.
        if type(of: any) == Self.self { return any as? Self }
        return flatten(any).flatMap(_convert)
    }

    public static func _getOptional(_ owner: ObjectBase, _ property: Int) -> Self? {
        let row = owner.kivoRow
        return _loadOptional(row.columns![property], row.slot)
    }

    public static func _setOptional(_ value: Self?, _ owner: ObjectBase, _ property: Int) {
        owner.kivoSet(value?._cell ?? .null, property) { _storeOptional(value, $0, $1) }
    }

    public static func _promoteOptional(
        _ value: Self?, _ owner: ObjectBase, _ property: Int, _ adder: _ObjectAdder
    ) {
        adder.store(value?._cell ?? .null, owner, property) { _storeOptional(value, $0, $1) }
    }

    public static func _recordOptional(_ owner: ObjectBase, _ property: Int) -> Self? {
        owner.kivoRecord(property)
        return nil
    }

    public static func _describeOptional(_ type: inout DeclaredType) { type.scalar = _scalarType }
    public static func _fromAnyInOptional(_ any: Any) -> Self? { _convert(any) }

    public static var _optionalElementKind: ElementKind {
        var type = DeclaredType()
        type.scalar = _scalarType
        type.isOptional = true
        return type.elementKind
    }
    public static func _optionalElement(_ cell: Cell, _ context: CollectionContext) -> Self? {
        cell == .null ? nil : Self(_cell: cell)
    }
    public static func _optionalCell(_ value: Self?, _ context: CollectionContext) -> Cell {
        value?._cell ?? .null
    }

    public static var _elementKind: ElementKind {
        var type = DeclaredType()
        type.scalar = _scalarType
        return type.elementKind
    }
    public static func _element(_ cell: Cell, _ context: CollectionContext) -> Self { Self(_cell: cell) }
    @inlinable
    public static func _loadElement(
        _ address: UnsafeMutableRawPointer, _ context: CollectionContext
    ) -> Self { _loadValue(address) }
    public func _elementCell(_ context: CollectionContext) -> Cell { _cell }
    public static func _describeElement(_ type: inout DeclaredType) { type.scalar = _scalarType }
    public static func _elementFromAny(_ any: Any?, _ context: CollectionContext) -> Self? { _fromAny(any) }
}

/// A scalar of 8 bytes.
public protocol _WordScalar: _Scalar {
    init(_word: UInt64)
    var _word: UInt64 { get }
}

extension _WordScalar {
    @inlinable public init(_cell: Cell) {
        guard case .word(let word) = _cell else { fatalError("\(_cell) is no \(Self.self)") }
        self.init(_word: word)
    }
    @inlinable public var _cell: Cell { .word(_word) }

    @inlinable @inline(__always)
    public static func _load(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Self {
        Self(_word: ColumnValues.word(column, slot))
    }
    @inlinable
    public static func _loadValue(_ address: UnsafeMutableRawPointer) -> Self {
        _load(address, 0)
    }
    @inlinable @inline(__always)
    public static func _store(_ value: Self, _ column: UnsafeMutableRawPointer, _ slot: Int) -> Bool {
        ColumnBits.markDirty(column, slot)
        ColumnValues.setWord(column, slot, value._word)
        return true
    }
    @inlinable @inline(__always)
    public static func _loadOptional(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Self? {
        ColumnBits.isNull(column, slot) ? nil : _load(column, slot)
    }
    @inlinable @inline(__always)
    public static func _storeOptional(
        _ value: Self?, _ column: UnsafeMutableRawPointer, _ slot: Int
    ) -> Bool {
        ColumnBits.setNull(column, slot, value == nil)
        ColumnBits.markDirty(column, slot)
        ColumnValues.setWord(column, slot, value?._word ?? 0)
        return true
    }
}

/// A scalar of 16 bytes without references.
public protocol _WideScalar: _Scalar {
    init(_words: (UInt64, UInt64))
    var _words: (UInt64, UInt64) { get }
}

extension _WideScalar {
    public init(_cell: Cell) {
        guard case .wide(let a, let b) = _cell else { trap("\(_cell) is no \(Self.self)") }
        self.init(_words: (a, b))
    }
    public var _cell: Cell { .wide(_words.0, _words.1) }

    @inlinable
    public static func _load(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Self {
        Self(_words: ColumnValues.wide(column, slot))
    }
    @inlinable
    public static func _loadValue(_ address: UnsafeMutableRawPointer) -> Self {
        _load(address, 0)
    }
    @inlinable
    public static func _store(_ value: Self, _ column: UnsafeMutableRawPointer, _ slot: Int) -> Bool {
        ColumnBits.markDirty(column, slot)
        ColumnValues.setWide(column, slot, value._words)
        return true
    }
    @inlinable
    public static func _loadOptional(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Self? {
        ColumnBits.isNull(column, slot) ? nil : _load(column, slot)
    }
    @inlinable
    public static func _storeOptional(
        _ value: Self?, _ column: UnsafeMutableRawPointer, _ slot: Int
    ) -> Bool {
        ColumnBits.setNull(column, slot, value == nil)
        guard let value else {
            ColumnBits.markDirty(column, slot)
            return true
        }
        return _store(value, column, slot)
    }
}
