import Foundation
import KivoEngine

extension Int: WordLayout, Scalar, MinMaxType, AddableType, SortableType {
    public typealias PersistedType = Int
    @inlinable init(word: UInt64) { self = Int(truncatingIfNeeded: word) }
    @inlinable var word: UInt64 { UInt64(bitPattern: Int64(self)) }
    static var scalarType: ScalarType { .int }
    @inlinable static func makeDefault() -> Int { 0 }
    static func convert(_ any: Any) -> Int? { integer(any).flatMap { Int(exactly: $0) } }
}

extension Int8: WordLayout, Scalar, MinMaxType, AddableType, SortableType {
    public typealias PersistedType = Int8
    @inlinable init(word: UInt64) { self = Int8(truncatingIfNeeded: word) }
    @inlinable var word: UInt64 { UInt64(bitPattern: Int64(self)) }
    static var scalarType: ScalarType { .int8 }
    @inlinable static func makeDefault() -> Int8 { 0 }
    static func convert(_ any: Any) -> Int8? { integer(any).flatMap { Int8(exactly: $0) } }
}

extension Int16: WordLayout, Scalar, MinMaxType, AddableType, SortableType {
    public typealias PersistedType = Int16
    @inlinable init(word: UInt64) { self = Int16(truncatingIfNeeded: word) }
    @inlinable var word: UInt64 { UInt64(bitPattern: Int64(self)) }
    static var scalarType: ScalarType { .int16 }
    @inlinable static func makeDefault() -> Int16 { 0 }
    static func convert(_ any: Any) -> Int16? { integer(any).flatMap { Int16(exactly: $0) } }
}

extension Int32: WordLayout, Scalar, MinMaxType, AddableType, SortableType {
    public typealias PersistedType = Int32
    @inlinable init(word: UInt64) { self = Int32(truncatingIfNeeded: word) }
    @inlinable var word: UInt64 { UInt64(bitPattern: Int64(self)) }
    static var scalarType: ScalarType { .int32 }
    @inlinable static func makeDefault() -> Int32 { 0 }
    static func convert(_ any: Any) -> Int32? { integer(any).flatMap { Int32(exactly: $0) } }
}

extension Int64: WordLayout, Scalar, MinMaxType, AddableType, SortableType {
    public typealias PersistedType = Int64
    @inlinable init(word: UInt64) { self = Int64(truncatingIfNeeded: word) }
    @inlinable var word: UInt64 { UInt64(bitPattern: Int64(self)) }
    static var scalarType: ScalarType { .int64 }
    @inlinable static func makeDefault() -> Int64 { 0 }
    static func convert(_ any: Any) -> Int64? { integer(any).flatMap { Int64(exactly: $0) } }
}

extension Bool: WordLayout, Scalar, SortableType {
    public typealias PersistedType = Bool
    @inlinable init(word: UInt64) { self = word != 0 }
    @inlinable var word: UInt64 { self ? 1 : 0 }
    static var scalarType: ScalarType { .bool }
    @inlinable static func makeDefault() -> Bool { false }
    static func convert(_ any: Any) -> Bool? {
        if let bool = any as? Bool { return bool }
        switch integer(any) {
        case 0: return false
        case 1: return true
        default: return nil
        }
    }
}

extension Double: WordLayout, Scalar, MinMaxType, AddableType, SortableType {
    public typealias PersistedType = Double
    @inlinable init(word: UInt64) { self = Double(bitPattern: word) }
    @inlinable var word: UInt64 { bitPattern }
    static var scalarType: ScalarType { .double }
    @inlinable static func makeDefault() -> Double { 0 }
    static func convert(_ any: Any) -> Double? { floatingPoint(any) }
}

extension Float: WordLayout, Scalar, MinMaxType, AddableType, SortableType {
    public typealias PersistedType = Float
    @inlinable init(word: UInt64) { self = Float(Double(bitPattern: word)) }
    @inlinable var word: UInt64 { Double(self).bitPattern }
    static var scalarType: ScalarType { .float }
    @inlinable static func makeDefault() -> Float { 0 }
    /// Rounds a finite number; nil if the result would be infinite.
    static func convert(_ any: Any) -> Float? {
        guard let number = floatingPoint(any) else { return nil }
        let float = Float(number)
        return float.isFinite || !number.isFinite ? float : nil
    }
}

extension Date: WordLayout, Scalar, MinMaxType, SortableType {
    public typealias PersistedType = Date
    @inlinable init(word: UInt64) {
        self.init(timeIntervalSinceReferenceDate: Double(bitPattern: word))
    }
    @inlinable var word: UInt64 { timeIntervalSinceReferenceDate.bitPattern }
    static var scalarType: ScalarType { .date }
    @inlinable static var isPlain: Bool { false }
    @usableFromInline static func makeDefault() -> Date { Date() }
    static func convert(_ any: Any) -> Date? { any as? Date }
}

extension UUID: WideLayout, Scalar, SortableType {
    public typealias PersistedType = UUID
    @usableFromInline init(words: (UInt64, UInt64)) {
        self = withUnsafeBytes(of: (words.0.bigEndian, words.1.bigEndian)) {
            UUID(uuid: $0.load(as: uuid_t.self))
        }
    }
    @usableFromInline var words: (UInt64, UInt64) {
        withUnsafeBytes(of: uuid) {
            (
                UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }
    static var scalarType: ScalarType { .uuid }
    @inlinable static var isPlain: Bool { false }
    @usableFromInline static func makeDefault() -> UUID { UUID() }
    static func convert(_ any: Any) -> UUID? {
        any as? UUID ?? (any as? String).flatMap { UUID(uuidString: $0) }
    }
}

extension ObjectId: WideLayout, Scalar, SortableType {
    public typealias PersistedType = ObjectId
    @usableFromInline init(words: (UInt64, UInt64)) { self.init(bits: words) }
    @usableFromInline var words: (UInt64, UInt64) { bits }
    static var scalarType: ScalarType { .objectId }
    @inlinable static var isPlain: Bool { false }
    @usableFromInline static func makeDefault() -> ObjectId { ObjectId.generate() }
    static func convert(_ any: Any) -> ObjectId? {
        any as? ObjectId ?? (any as? String).flatMap { try? ObjectId(string: $0) }
    }
}

extension Decimal128: WideLayout, Scalar, MinMaxType, AddableType, SortableType {
    public typealias PersistedType = Decimal128
    @usableFromInline init(words: (UInt64, UInt64)) { self.init(bits: words) }
    @usableFromInline var words: (UInt64, UInt64) { bits }
    static var scalarType: ScalarType { .decimal128 }
    @usableFromInline static func makeDefault() -> Decimal128 { 0 }
    static func convert(_ any: Any) -> Decimal128? { Decimal128(converting: any) }
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
