import KivoEngine

/// An enum for ``Persisted`` properties, which is stored as its raw value.
///
///     enum Mood: String, PersistableEnum { case calm, barking }
///
/// The default of a property without one is the first case. A stored raw value that is no longer a case reads as nil in an
/// optional property, and in a collection of optionals. Elsewhere it reads as the first case. Assigning such a raw value by name
/// to an optional property sets that to nil.
public protocol PersistableEnum: _Scalar, RealmOptionalType, RawRepresentable, CaseIterable, Comparable,
    SortableType
where RawValue: _Scalar & SortableType, PersistedType == RawValue {
    /// The type of the stored values, which are the raw values.
    associatedtype PersistedType = RawValue
}

extension PersistableEnum {
    /// Returns whether a case sorts before another, by their raw values.
    public static func < (left: Self, right: Self) -> Bool {
        _scalarType.order.compare(left._cell, right._cell) < 0
    }
}

/// The older name of ``PersistableEnum``.
public typealias RealmEnum = PersistableEnum

extension PersistableEnum {
    public init(_cell: Cell) { self = Self(rawValue: RawValue(_cell: _cell)) ?? Self._makeFirst() }
    public var _cell: Cell { rawValue._cell }
    public static var _scalarType: ScalarType { RawValue._scalarType }
    @inlinable public static var _isPlain: Bool { false }
    @inlinable public static var _isConverted: Bool { true }
    @inlinable
    public static func _assign(_ value: Self, _ owner: ObjectBase, _ column: UInt32) -> Bool {
        Persisted<RawValue>.assign(value.rawValue, owner, column)
    }
    @inlinable
    public static func _assignOptional(_ value: Self?, _ owner: ObjectBase, _ column: UInt32) -> Bool {
        Persisted<RawValue?>.assign(value?.rawValue, owner, column)
    }
    public static func _set(_ value: Self, _ owner: ObjectBase, _ property: Int) {
        RawValue._set(value.rawValue, owner, property)
    }
    public static func _setOptional(_ value: Self?, _ owner: ObjectBase, _ property: Int) {
        RawValue._setOptional(value?.rawValue, owner, property)
    }
    public static func _promote(
        _ value: inout Self?, _ owner: ObjectBase, _ property: Int, _ adder: _ObjectAdder
    ) {
        var stored: RawValue? = (value ?? _makeDefault()).rawValue
        value = nil
        RawValue._promote(&stored, owner, property, adder)
    }
    public static func _promoteOptional(
        _ value: Self?, _ owner: ObjectBase, _ property: Int, _ adder: _ObjectAdder
    ) {
        RawValue._promoteOptional(value?.rawValue, owner, property, adder)
    }
    public static func _makeDefault() -> Self { _makeFirst() }

    private static func _makeFirst() -> Self {
        guard let first = allCases.first else { trap("The enum '\(Self.self)' has no case to start with.") }
        return first
    }
    public static func _convert(_ any: Any) -> Self? {
        any as? Self ?? RawValue._convert(any).flatMap { Self(rawValue: $0) }
    }
    public static func _isUnknown(_ any: Any) -> Bool {
        RawValue._convert(any).map { Self(rawValue: $0) == nil } ?? false
    }
    public static func _load(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Self {
        Self(rawValue: RawValue._load(column, slot)) ?? _makeFirst()
    }
    public static func _loadValue(_ address: UnsafeMutableRawPointer) -> Self {
        Self(rawValue: RawValue._loadValue(address)) ?? _makeFirst()
    }
    public static func _store(_ value: Self, _ column: UnsafeMutableRawPointer, _ slot: Int) -> Bool {
        RawValue._store(value.rawValue, column, slot)
    }
    public static func _optionalElement(_ cell: Cell, _ context: CollectionContext) -> Self? {
        cell == .null ? nil : Self(rawValue: RawValue(_cell: cell))
    }
    public static func _loadOptional(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Self? {
        RawValue._loadOptional(column, slot).flatMap { Self(rawValue: $0) }
    }
    public static func _storeOptional(
        _ value: Self?, _ column: UnsafeMutableRawPointer, _ slot: Int
    ) -> Bool {
        RawValue._storeOptional(value?.rawValue, column, slot)
    }
}
