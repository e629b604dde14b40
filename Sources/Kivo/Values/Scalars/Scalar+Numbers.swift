import Foundation
import KivoEngine

extension Int: _WordScalar, _PrimaryKey, MinMaxType, AddableType, SortableType {
    public typealias PersistedType = Int
    @inlinable public init(_word: UInt64) { self = Int(truncatingIfNeeded: _word) }
    @inlinable public var _word: UInt64 { UInt64(bitPattern: Int64(self)) }
    public static var _scalarType: ScalarType { .int }
    @inlinable public static func _makeDefault() -> Int { 0 }
    public static func _convert(_ any: Any) -> Int? { integer(any).flatMap { Int(exactly: $0) } }
}

extension Int8: _WordScalar, _PrimaryKey, MinMaxType, AddableType, SortableType {
    public typealias PersistedType = Int8
    @inlinable public init(_word: UInt64) { self = Int8(truncatingIfNeeded: _word) }
    @inlinable public var _word: UInt64 { UInt64(bitPattern: Int64(self)) }
    public static var _scalarType: ScalarType { .int8 }
    @inlinable public static func _makeDefault() -> Int8 { 0 }
    public static func _convert(_ any: Any) -> Int8? { integer(any).flatMap { Int8(exactly: $0) } }
}

extension Int16: _WordScalar, _PrimaryKey, MinMaxType, AddableType, SortableType {
    public typealias PersistedType = Int16
    @inlinable public init(_word: UInt64) { self = Int16(truncatingIfNeeded: _word) }
    @inlinable public var _word: UInt64 { UInt64(bitPattern: Int64(self)) }
    public static var _scalarType: ScalarType { .int16 }
    @inlinable public static func _makeDefault() -> Int16 { 0 }
    public static func _convert(_ any: Any) -> Int16? { integer(any).flatMap { Int16(exactly: $0) } }
}

extension Int32: _WordScalar, _PrimaryKey, MinMaxType, AddableType, SortableType {
    public typealias PersistedType = Int32
    @inlinable public init(_word: UInt64) { self = Int32(truncatingIfNeeded: _word) }
    @inlinable public var _word: UInt64 { UInt64(bitPattern: Int64(self)) }
    public static var _scalarType: ScalarType { .int32 }
    @inlinable public static func _makeDefault() -> Int32 { 0 }
    public static func _convert(_ any: Any) -> Int32? { integer(any).flatMap { Int32(exactly: $0) } }
}

extension Int64: _WordScalar, _PrimaryKey, MinMaxType, AddableType, SortableType {
    public typealias PersistedType = Int64
    @inlinable public init(_word: UInt64) { self = Int64(truncatingIfNeeded: _word) }
    @inlinable public var _word: UInt64 { UInt64(bitPattern: Int64(self)) }
    public static var _scalarType: ScalarType { .int64 }
    @inlinable public static func _makeDefault() -> Int64 { 0 }
    public static func _convert(_ any: Any) -> Int64? { integer(any).flatMap { Int64(exactly: $0) } }
}

extension Bool: _WordScalar, _PrimaryKey, SortableType {
    public typealias PersistedType = Bool
    @inlinable public init(_word: UInt64) { self = _word != 0 }
    @inlinable public var _word: UInt64 { self ? 1 : 0 }
    public static var _scalarType: ScalarType { .bool }
    @inlinable public static func _makeDefault() -> Bool { false }
    public static func _convert(_ any: Any) -> Bool? {
        if let bool = any as? Bool { return bool }
        switch integer(any) {
        case 0: return false
        case 1: return true
        default: return nil
        }
    }
}

extension Double: _WordScalar, MinMaxType, AddableType, SortableType {
    public typealias PersistedType = Double
    @inlinable public init(_word: UInt64) { self = Double(bitPattern: _word) }
    @inlinable public var _word: UInt64 { bitPattern }
    public static var _scalarType: ScalarType { .double }
    @inlinable public static func _makeDefault() -> Double { 0 }
    public static func _convert(_ any: Any) -> Double? { floatingPoint(any) }
}

extension Float: _WordScalar, MinMaxType, AddableType, SortableType {
    public typealias PersistedType = Float
    @inlinable public init(_word: UInt64) { self = Float(Double(bitPattern: _word)) }
    @inlinable public var _word: UInt64 { Double(self).bitPattern }
    public static var _scalarType: ScalarType { .float }
    @inlinable public static func _makeDefault() -> Float { 0 }
    /// Rounds a finite number; nil if the result would be infinite.
    public static func _convert(_ any: Any) -> Float? {
        guard let number = floatingPoint(any) else { return nil }
        let float = Float(number)
        return float.isFinite || !number.isFinite ? float : nil
    }
}

extension Date: _WordScalar, _Indexable, MinMaxType, SortableType {
    public typealias PersistedType = Date
    @inlinable public init(_word: UInt64) {
        self.init(timeIntervalSinceReferenceDate: Double(bitPattern: _word))
    }
    @inlinable public var _word: UInt64 { timeIntervalSinceReferenceDate.bitPattern }
    public static var _scalarType: ScalarType { .date }
    @inlinable public static var _isPlain: Bool { false }
    public static func _makeDefault() -> Date { Date() }
    public static func _convert(_ any: Any) -> Date? { any as? Date }
}

extension UUID: _WideScalar, _PrimaryKey, SortableType {
    public typealias PersistedType = UUID
    public init(_words: (UInt64, UInt64)) {
        self = withUnsafeBytes(of: (_words.0.bigEndian, _words.1.bigEndian)) {
            UUID(uuid: $0.load(as: uuid_t.self))
        }
    }
    public var _words: (UInt64, UInt64) {
        withUnsafeBytes(of: uuid) {
            (
                UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }
    public static var _scalarType: ScalarType { .uuid }
    @inlinable public static var _isPlain: Bool { false }
    public static func _makeDefault() -> UUID { UUID() }
    public static func _convert(_ any: Any) -> UUID? {
        any as? UUID ?? (any as? String).flatMap { UUID(uuidString: $0) }
    }
}

extension ObjectId: _WideScalar, _PrimaryKey, SortableType {
    public typealias PersistedType = ObjectId
    public init(_words: (UInt64, UInt64)) { self.init(bits: _words) }
    public var _words: (UInt64, UInt64) { bits }
    public static var _scalarType: ScalarType { .objectId }
    @inlinable public static var _isPlain: Bool { false }
    public static func _makeDefault() -> ObjectId { ObjectId.generate() }
    public static func _convert(_ any: Any) -> ObjectId? {
        any as? ObjectId ?? (any as? String).flatMap { try? ObjectId(string: $0) }
    }
}

extension Decimal128: _WideScalar, MinMaxType, AddableType, SortableType {
    public typealias PersistedType = Decimal128
    public init(_words: (UInt64, UInt64)) { self.init(bits: _words) }
    public var _words: (UInt64, UInt64) { bits }
    public static var _scalarType: ScalarType { .decimal128 }
    public static func _makeDefault() -> Decimal128 { 0 }
    public static func _convert(_ any: Any) -> Decimal128? { Decimal128(converting: any) }
}

/// Returns the integer that a value represents exactly, or nil.
func integer(_ any: Any) -> Int64? {
    switch any {
    case let value as Int: Int64(value)
    case let value as any BinaryInteger: Int64(exactly: value)
    case let value as Double: Int64(exactly: value)
    case let value as Float: Int64(exactly: value)
    case let value as Bool: value ? 1 : 0
    case let value as NSNumber: Int64(exactly: value.doubleValue) == nil ? nil : value.int64Value
    default: nil
    }
}

/// Returns the floating-point number that a value represents, or nil.
func floatingPoint(_ any: Any) -> Double? {
    switch any {
    case let value as Double: value
    case let value as Float: Double(value)
    case let value as any BinaryInteger: Double(value)
    case let value as NSNumber: value.doubleValue
    default: nil
    }
}
