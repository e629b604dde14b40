import Foundation
import KivoEngine

extension String: _Scalar, _PrimaryKey, SortableType {
    public typealias PersistedType = String
    @inlinable public init(_cell: Cell) {
        guard case .string(let string) = _cell else { fatalError("\(_cell) is no String") }
        self = string
    }
    @inlinable public var _cell: Cell { .string(self) }
    public static var _scalarType: ScalarType { .string }
    @inlinable public static func _makeDefault() -> String { "" }
    public static func _convert(_ any: Any) -> String? { any as? String }

    /// A long string is not stored in its slot.
    @inlinable public static var _isTagged: Bool { true }
    @inlinable @inline(__always)
    public static func _loadTagged(_ column: UnsafeMutableRawPointer, _ slot: Int) -> String? {
        ColumnValues.smallString(column, slot)
    }
    @inlinable @inline(__always)
    public static func _load(_ column: UnsafeMutableRawPointer, _ slot: Int) -> String {
        ColumnValues.string(column, slot)
    }
    @inlinable
    public static func _loadValue(_ address: UnsafeMutableRawPointer) -> String {
        ColumnValues.string(address, 0)
    }
    /// Stores only if this transaction has stored a string there before: then no other version needs the replaced one.
    @inlinable @inline(__always)
    public static func _store(_ value: String, _ column: UnsafeMutableRawPointer, _ slot: Int) -> Bool {
        ColumnBits.isDirty(column, slot) && ColumnValues.replaceString(column, slot, value)
    }
    @inlinable
    public static func _loadOptional(_ column: UnsafeMutableRawPointer, _ slot: Int) -> String? {
        ColumnValues.optionalString(column, slot)
    }
    @inlinable
    public static func _storeOptional(
        _ value: String?, _ column: UnsafeMutableRawPointer, _ slot: Int
    ) -> Bool {
        ColumnBits.isDirty(column, slot) && ColumnValues.replaceString(column, slot, value)
    }
}

extension Data: _Scalar, SortableType {
    public typealias PersistedType = Data
    public init(_cell: Cell) {
        guard case .bytes(let bytes) = _cell else { trap("\(_cell) is no Data") }
        self.init(bytes)
    }
    public var _cell: Cell { .bytes(Array(self)) }
    public static var _scalarType: ScalarType { .data }
    public static func _makeDefault() -> Data { Data() }
    public static func _convert(_ any: Any) -> Data? { any as? Data ?? (any as? [UInt8]).map { Data($0) } }

    public static func _load(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Data {
        Data(ColumnValues.optionalBytes(column, slot) ?? [])
    }
    public static func _loadValue(_ address: UnsafeMutableRawPointer) -> Data {
        _load(address, 0)
    }
    /// Stores only if this transaction has stored bytes there before: then no other version needs the replaced ones.
    public static func _store(_ value: Data, _ column: UnsafeMutableRawPointer, _ slot: Int) -> Bool {
        _storeOptional(value, column, slot)
    }
    public static func _loadOptional(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Data? {
        ColumnValues.optionalBytes(column, slot).map { Data($0) }
    }
    public static func _storeOptional(
        _ value: Data?, _ column: UnsafeMutableRawPointer, _ slot: Int
    ) -> Bool {
        ColumnBits.isDirty(column, slot) && ColumnValues.replaceBytes(column, slot, value.map { Array($0) })
    }
}
