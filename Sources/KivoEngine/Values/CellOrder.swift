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

    /// Returns the first eight bytes as a number that is ordered like them.
    static func rank(_ bytes: some Swift.Sequence<UInt8>) -> Int64 {
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

/// The total order of values of any type: null, booleans, numbers by value, strings, bytes, dates, object ids, UUIDs, links by
/// table and key. Sets are stored in this order.
///
/// It follows the rules by which realm-swift stores its sets.
enum AnyOrder {
    /// Returns a negative number, 0 or a positive number if `a` is before, equal to or after `b`.
    static func compare(_ a: Cell, _ b: Cell) -> Int {
        let (s, t) = (a.anyTag, b.anyTag)
        if s.rank != t.rank { return s.rank < t.rank ? -1 : 1 }
        switch (a, b) {
        case (.string(let x), .string(let y)): return order(x.utf8, y.utf8)
        case (.bytes(let x), .bytes(let y)): return order(x, y)
        case (.typedLink(let x), .typedLink(let y)):
            return x.table == y.table ? order(x.key, y.key) : order(x.table, y.table)
        case (.typedWord(let x, .bool), .typedWord(let y, _)): return order(x, y)
        case (.typedWord(let x, .date), .typedWord(let y, _)):
            return order(CellOrder.rank(x), CellOrder.rank(y))
        case (.typedWide(let x0, let x1, let tag), .typedWide(let y0, let y1, _)) where !tag.isNumber:
            return x0 == y0 ? order(x1, y1) : order(x0, y0)
        default: return AnyNumber.compare(a, b)
        }
    }

    /// Returns whether two values are equal in a condition: numbers by their numeric value, and NaN equals nothing.
    static func areEqual(_ a: Cell, _ b: Cell) -> Bool {
        if a == .null || b == .null { return a == .null && b == .null }
        return !AnyNumber.isNaN(a) && !AnyNumber.isNaN(b) && compare(a, b) == 0
    }

    /// Returns a rank: if one value is ordered before another, its rank is not larger.
    static func rank(_ cell: Cell) -> Int64 {
        let position: Int64
        switch cell {
        case .null: return Int64.min
        case .string: position = CellOrder.natural.rank(cell)
        case .bytes: position = CellOrder.natural.rank(cell)
        case .typedLink(let row): position = Int64(row.table) << 44 &+ row.key >> 12
        case .typedWord(let word, .bool): position = Int64(bitPattern: word)
        case .typedWord(let word, .date): position = CellOrder.rank(word)
        case .typedWide(let high, _, let tag) where !tag.isNumber:
            position = Int64(bitPattern: high ^ (1 << 63))
        default: position = AnyNumber.rank(cell)
        }
        // Ranks start at -8 · 2⁶⁰: four bits for the type, the rest for the value.
        return Int64(cell.anyTag.rank - 8) << 60 | (position >> 4 &+ 1 << 59)
    }

    private static func order<Value: Comparable>(_ a: Value, _ b: Value) -> Int {
        a < b ? -1 : a == b ? 0 : 1
    }

    private static func order(_ a: some Swift.Sequence<UInt8>, _ b: some Swift.Sequence<UInt8>) -> Int {
        a.lexicographicallyPrecedes(b) ? -1 : b.lexicographicallyPrecedes(a) ? 1 : 0
    }
}
