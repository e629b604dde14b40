import KivoEngine

/// A type whose values are stored whole in a column, by themselves.
@usableFromInline
protocol ScalarLayout: ValueLayout where Accessed == Self {}

extension ScalarLayout {
    @inlinable static var isPlain: Bool { true }
    @inlinable static var isScalar: Bool { true }
}

/// A type of scalars that Kivo declares: its number in files, its cells, and the values that it accepts.
protocol Scalar: ScalarLayout {
    static var scalarType: ScalarType { get }
    init(cell: Cell)
    var cell: Cell { get }
    /// Loads a value from an address with the column's layout.
    static func loadValue(_ address: UnsafeMutableRawPointer) -> Self
    /// Returns the value that `any` represents, with the usual conversions between numbers, or nil.
    static func convert(_ any: Any) -> Self?
}

/// A scalar of 8 bytes.
@usableFromInline
protocol WordLayout: ScalarLayout {
    init(word: UInt64)
    var word: UInt64 { get }
}

extension WordLayout {
    @inlinable @inline(__always)
    static func load(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Self {
        Self(word: ColumnValues.word(column, slot))
    }
    @inlinable @inline(__always)
    static func store(_ value: Self, _ column: UnsafeMutableRawPointer, _ slot: Int) -> Bool {
        ColumnBits.markDirty(column, slot)
        ColumnValues.setWord(column, slot, value.word)
        return true
    }
    @inlinable @inline(__always)
    static func loadOptional(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Self? {
        ColumnBits.isNull(column, slot) ? nil : load(column, slot)
    }
    @inlinable @inline(__always)
    static func storeOptional(
        _ value: Self?, _ column: UnsafeMutableRawPointer, _ slot: Int
    ) -> Bool {
        ColumnBits.setNull(column, slot, value == nil)
        ColumnBits.markDirty(column, slot)
        ColumnValues.setWord(column, slot, value?.word ?? 0)
        return true
    }
}

extension Scalar where Self: WordLayout {
    init(cell: Cell) {
        guard case .word(let word) = cell else { trap("\(cell) is no \(Self.self)") }
        self.init(word: word)
    }
    var cell: Cell { .word(word) }
    static func loadValue(_ address: UnsafeMutableRawPointer) -> Self { load(address, 0) }
}

/// A scalar of 16 bytes without references.
@usableFromInline
protocol WideLayout: ScalarLayout {
    init(words: (UInt64, UInt64))
    var words: (UInt64, UInt64) { get }
}

extension WideLayout {
    @inlinable
    static func load(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Self {
        Self(words: ColumnValues.wide(column, slot))
    }
    @inlinable
    static func store(_ value: Self, _ column: UnsafeMutableRawPointer, _ slot: Int) -> Bool {
        ColumnBits.markDirty(column, slot)
        ColumnValues.setWide(column, slot, value.words)
        return true
    }
    @inlinable
    static func loadOptional(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Self? {
        ColumnBits.isNull(column, slot) ? nil : load(column, slot)
    }
    @inlinable
    static func storeOptional(
        _ value: Self?, _ column: UnsafeMutableRawPointer, _ slot: Int
    ) -> Bool {
        ColumnBits.setNull(column, slot, value == nil)
        guard let value else {
            ColumnBits.markDirty(column, slot)
            return true
        }
        return store(value, column, slot)
    }
}

extension Scalar where Self: WideLayout {
    init(cell: Cell) {
        guard case .wide(let a, let b) = cell else { trap("\(cell) is no \(Self.self)") }
        self.init(words: (a, b))
    }
    var cell: Cell { .wide(words.0, words.1) }
    static func loadValue(_ address: UnsafeMutableRawPointer) -> Self { load(address, 0) }
}
