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
