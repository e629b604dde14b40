/// The order of the cells of a column.
@usableFromInline package enum CellOrder: Sendable {
    /// Words as signed integers, other kinds by their bytes.
    case natural
    /// Words as the bits of doubles.
    case floatingPoint
    /// Values of any type, by ``AnyOrder``.
    case mixed
    /// A rule of the calling layer. If one value is ordered before another, its rank is not larger. `isNaN` returns whether a
    /// value is NaN.
    case custom(
        @Sendable (Cell, Cell) -> Int, rank: @Sendable (Cell) -> Int64, isNaN: @Sendable (Cell) -> Bool)

    /// Returns a negative number, 0 or a positive number if `a` is before, equal to or after `b`.
    ///
    /// A total order, for sorting and grouping: null is before everything, and NaN is after all other doubles.
    @usableFromInline package func compare(_ a: Cell, _ b: Cell) -> Int {
        switch (self, a, b) {
        case (_, .null, .null): return 0
        case (_, .null, _): return -1
        case (_, _, .null): return 1
        case (.floatingPoint, .word(let x), .word(let y)):
            let (x, y) = (CellOrder.rank(x), CellOrder.rank(y))
            return x < y ? -1 : x > y ? 1 : 0
        case (.custom(let rule, _, _), _, _): return rule(a, b)
        case (.mixed, _, _): return AnyOrder.compare(a, b)
        default: return a.isOrderedBefore(b) ? -1 : b.isOrderedBefore(a) ? 1 : 0
        }
    }

    /// Returns whether a value is NaN, which equals nothing in conditions and is ignored by aggregates.
    @inline(__always)
    @usableFromInline package func isNaN(_ cell: Cell) -> Bool {
        switch (self, cell) {
        case (.natural, _): false
        case (.floatingPoint, .word(let word)): Double(bitPattern: word).isNaN
        case (.floatingPoint, _): false
        case (.mixed, _): AnyNumber.isNaN(cell)
        case (.custom(_, _, let isNaN), _): isNaN(cell)
        }
    }

    /// Returns an integer that is ordered like the double with these bits: 0 and -0 are equal, all NaNs are one value at the end.
    @usableFromInline package static func rank(_ bits: UInt64) -> Int64 {
        let value = Double(bitPattern: bits)
        if value.isNaN { return Int64.max }
        if value == 0 { return 0 }
        let word = Int64(bitPattern: bits)
        return word < 0 ? word ^ Int64.max : word
    }

    /// Returns a rank: if one value is ordered before another, its rank is not larger. Ranks decide most comparisons without
    /// reading the values.
    func rank(_ cell: Cell) -> Int64 {
        switch (self, cell) {
        case (_, .null): return Int64.min
        case (.floatingPoint, .word(let word)): return CellOrder.rank(word)
        case (.custom(_, let rank, _), _): return rank(cell)
        case (.mixed, _): return AnyOrder.rank(cell)
        case (.natural, .word(let word)): return Int64(bitPattern: word)
        case (.natural, .link(let key)): return key
        case (.natural, .wide(let high, _)): return Int64(bitPattern: high ^ (1 << 63))
        case (.natural, .string(let string)): return CellOrder.rank(string.utf8)
        case (.natural, .bytes(let bytes)): return CellOrder.rank(bytes)
        default: return Int64.min
        }
    }

    private static func rank(_ bytes: some Swift.Sequence<UInt8>) -> Int64 {
        var word: UInt64 = 0
        var count: UInt64 = 0
        for byte in bytes.prefix(8) {
            word |= UInt64(byte) << (56 - 8 * count)
            count += 1
        }
        return Int64(bitPattern: word ^ (1 << 63))
    }

    /// Whether values with equal ranks are equal, except for null.
    func isRankExact(_ kind: ColumnKind) -> Bool {
        switch self {
        case .custom, .mixed: return false
        case .natural, .floatingPoint: break
        }
        return kind == .word || kind == .link
    }
}
