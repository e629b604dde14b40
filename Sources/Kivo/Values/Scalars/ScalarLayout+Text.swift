import Foundation
import KivoEngine

extension String: ScalarLayout, Scalar, SortableType {
    public typealias PersistedType = String
    init(cell: Cell) {
        guard case .string(let string) = cell else { trap("\(cell) is no String") }
        self = string
    }
    var cell: Cell { .string(self) }
    static var scalarType: ScalarType { .string }
    @inlinable static func makeDefault() -> String { "" }
    static func convert(_ any: Any) -> String? { any as? String }

    /// A long string is not stored in its slot.
    @inlinable static var isTagged: Bool { true }
    @inlinable @inline(__always)
    static func loadTagged(_ column: UnsafeMutableRawPointer, _ slot: Int) -> String? {
        ColumnValues.smallString(column, slot)
    }
    @inlinable @inline(__always)
    static func load(_ column: UnsafeMutableRawPointer, _ slot: Int) -> String {
        ColumnValues.string(column, slot)
    }
    static func loadValue(_ address: UnsafeMutableRawPointer) -> String {
        ColumnValues.string(address, 0)
    }
    /// Stores only if this transaction has stored a string there before: then no other version needs the replaced one.
    @inlinable @inline(__always)
    static func store(_ value: String, _ column: UnsafeMutableRawPointer, _ slot: Int) -> Bool {
        ColumnBits.isDirty(column, slot) && ColumnValues.replaceString(column, slot, value)
    }
    @inlinable
    static func loadOptional(_ column: UnsafeMutableRawPointer, _ slot: Int) -> String? {
        ColumnValues.optionalString(column, slot)
    }
    @inlinable
    static func storeOptional(
        _ value: String?, _ column: UnsafeMutableRawPointer, _ slot: Int
    ) -> Bool {
        ColumnBits.isDirty(column, slot) && ColumnValues.replaceString(column, slot, value)
    }
}

extension Data: ScalarLayout, Scalar, SortableType {
    public typealias PersistedType = Data
    init(cell: Cell) {
        guard case .bytes(let bytes) = cell else { trap("\(cell) is no Data") }
        self.init(bytes)
    }
    var cell: Cell { .bytes(Array(self)) }
    static var scalarType: ScalarType { .data }
    @usableFromInline static func makeDefault() -> Data { Data() }
    static func convert(_ any: Any) -> Data? { any as? Data ?? (any as? [UInt8]).map { Data($0) } }

    @usableFromInline static func load(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Data {
        Data(ColumnValues.optionalBytes(column, slot) ?? [])
    }
    static func loadValue(_ address: UnsafeMutableRawPointer) -> Data {
        load(address, 0)
    }
    /// Stores only if this transaction has stored bytes there before: then no other version needs the replaced ones.
    @usableFromInline static func store(_ value: Data, _ column: UnsafeMutableRawPointer, _ slot: Int) -> Bool
    {
        storeOptional(value, column, slot)
    }
    @usableFromInline static func loadOptional(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Data? {
        ColumnValues.optionalBytes(column, slot).map { Data($0) }
    }
    @usableFromInline static func storeOptional(
        _ value: Data?, _ column: UnsafeMutableRawPointer, _ slot: Int
    ) -> Bool {
        ColumnBits.isDirty(column, slot) && ColumnValues.replaceBytes(column, slot, value.map { Array($0) })
    }
}

extension Cell {
    /// A textual description of the value.
    var text: String {
        switch self {
        case .null: "nil"
        case .word(let word): "\(Int64(bitPattern: word))"
        case .typedWord(let word, _): "\(Int64(bitPattern: word))"
        case .typedLink(let row): "object \(row.key)"
        case .wide(let a, let b), .typedWide(let a, let b, _):
            "\(String(a, radix: 16))\(String(b, radix: 16))"
        case .string(let string): string
        case .bytes(let bytes): "\(bytes.count) bytes"
        case .link(let key): "object \(key)"
        }
    }
}

/// Returns a description of a date, in the form of Foundation. Dates that are too far from now for Foundation, which would end
/// the process, are given in seconds.
func words(_ date: Date) -> String {
    let seconds = date.timeIntervalSince1970
    return abs(seconds) < 1e18 ? "\(date)" : "\(seconds) s since 1970"
}
