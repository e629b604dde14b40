/// How the cells of a column compare.
public enum CellOrder: Sendable {
    /// Words as signed integers, other kinds by their bytes.
    case natural
    /// Words as the bits of doubles.
    case floatingPoint
    /// By a rule of the layer above.
    case custom(@Sendable (Cell, Cell) -> Int)

    /// Negative, 0 or positive, as `a` is before, equal to or after `b`; null is before everything.
    public func compare(_ a: Cell, _ b: Cell) -> Int {
        switch (self, a, b) {
        case (_, .null, .null): return 0
        case (_, .null, _): return -1
        case (_, _, .null): return 1
        case (.floatingPoint, .word(let x), .word(let y)):
            let (x, y) = (Double(bitPattern: x), Double(bitPattern: y))
            return x < y ? -1 : x > y ? 1 : 0
        case (.custom(let rule), _, _): return rule(a, b)
        default: return a == b ? 0 : a.isOrderedBefore(b) ? -1 : 1
        }
    }
}

/// A column, seen from the rows of a table through to-one links.
public struct ColumnPath: Sendable {
    /// The link columns on the way, each with the table it leads to.
    public var hops: [(column: Int, target: TableID)]
    /// The column at the end of the way.
    public var column: Int
    /// How its values are laid out.
    public var kind: ColumnKind
    /// How its values compare.
    public var order: CellOrder

    /// A column and the way to it.
    public init(
        hops: [(column: Int, target: TableID)] = [], column: Int, kind: ColumnKind,
        order: CellOrder = .natural
    ) {
        self.hops = hops
        self.column = column
        self.kind = kind
        self.order = order
    }

    /// The value for a row; nil if a link on the way leads nowhere.
    public func cell(_ snapshot: Snapshot, _ leaf: Leaf, _ slot: Int) -> Cell? {
        var (leaf, slot) = (leaf, slot)
        for hop in hops {
            let key = ObjectKey(bitPattern: leaf.column(hop.column).word(slot))
            guard key != 0, let next = snapshot.table(hop.target).locate(key) else { return nil }
            (leaf, slot) = next
        }
        return leaf.column(column).cell(slot, kind)
    }
}

/// A condition on the rows of a table.
public indirect enum Predicate: Sendable {
    /// How two values are compared.
    public enum Operator: Sendable {
        case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
    }

    case constant(Bool)
    case comparison(ColumnPath, Operator, Cell)
    /// A value for which a rule of the layer above holds; nil is a broken path.
    case test(ColumnPath, @Sendable (Cell?) -> Bool)
    /// Two columns of one row.
    case columns(ColumnPath, Operator, ColumnPath)
    case and(Predicate, Predicate)
    case or(Predicate, Predicate)
    case not(Predicate)

    /// The slots of a leaf, among `candidates`, whose rows satisfy the predicate.
    public func matches(_ snapshot: Snapshot, _ leaf: Leaf, _ candidates: Bits256) -> Bits256 {
        if candidates.isEmpty { return candidates }
        switch self {
        case .constant(let value): return value ? candidates : Bits256()
        case .and(let a, let b): return b.matches(snapshot, leaf, a.matches(snapshot, leaf, candidates))
        case .or(let a, let b):
            let first = a.matches(snapshot, leaf, candidates)
            return first | b.matches(snapshot, leaf, candidates.subtracting(first))
        case .not(let a): return candidates.subtracting(a.matches(snapshot, leaf, candidates))
        case .comparison(let path, let comparison, .word(let word))
        where path.hops.isEmpty && path.kind == .word:
            let buffer = leaf.column(path.column)
            let found = comparison.matches(buffer, word, path.order)
            let nulls = buffer.nulls
            // Null differs from every value and is neither less nor greater.
            let rest = comparison == .notEqual ? found | nulls : found.subtracting(nulls)
            return rest & candidates
        case .comparison(let path, let comparison, let value):
            return filter(candidates) { slot in
                guard let cell = path.cell(snapshot, leaf, slot) else { return false }
                return comparison.holds(cell, value, path.order)
            }
        case .test(let path, let test):
            return filter(candidates) { test(path.cell(snapshot, leaf, $0)) }
        case .columns(let a, let comparison, let b):
            return filter(candidates) { slot in
                guard let x = a.cell(snapshot, leaf, slot), let y = b.cell(snapshot, leaf, slot) else {
                    return false
                }
                return comparison.holds(x, y, a.order)
            }
        }
    }

    /// Whether one row satisfies the predicate.
    public func holds(_ snapshot: Snapshot, _ leaf: Leaf, _ slot: Int) -> Bool {
        var candidate = Bits256()
        candidate.insert(slot)
        switch self {
        case .and(let a, let b): return a.holds(snapshot, leaf, slot) && b.holds(snapshot, leaf, slot)
        case .or(let a, let b): return a.holds(snapshot, leaf, slot) || b.holds(snapshot, leaf, slot)
        case .not(let a): return !a.holds(snapshot, leaf, slot)
        case .comparison(let path, let comparison, let value):
            guard let cell = path.cell(snapshot, leaf, slot) else { return false }
            return comparison.holds(cell, value, path.order)
        default: return !matches(snapshot, leaf, candidate).isEmpty
        }
    }

    private func filter(_ candidates: Bits256, _ test: (Int) -> Bool) -> Bits256 {
        var found = Bits256()
        candidates.forEach { if test($0) { found.insert($0) } }
        return found
    }

    /// A column that must hold one value, if the predicate says so at its top: an index can find the candidates.
    public var equality: (column: Int, value: Cell)? {
        switch self {
        case .comparison(let path, .equal, let value) where path.hops.isEmpty: return (path.column, value)
        case .and(let a, let b): return a.equality ?? b.equality
        default: return nil
        }
    }
}

extension Predicate.Operator {
    /// Whether the comparison holds for two cells.
    func holds(_ a: Cell, _ b: Cell, _ order: CellOrder) -> Bool {
        switch self {
        case .equal: return order.compare(a, b) == 0
        case .notEqual: return order.compare(a, b) != 0
        default: break
        }
        if a == .null || b == .null { return false }
        let result = order.compare(a, b)
        switch self {
        case .less: return result < 0
        case .lessOrEqual: return result <= 0
        case .greater: return result > 0
        default: return result >= 0
        }
    }

    /// The slots of a whole buffer of words for which the comparison holds, whatever is in unused slots.
    fileprivate func matches(_ buffer: ColumnBuffer, _ word: UInt64, _ order: CellOrder) -> Bits256 {
        if case .floatingPoint = order {
            let value = Double(bitPattern: word)
            let data = buffer.data.assumingMemoryBound(to: Double.self)
            switch self {
            case .equal: return scan(data) { $0 == value }
            case .notEqual: return scan(data) { $0 != value }
            case .less: return scan(data) { $0 < value }
            case .lessOrEqual: return scan(data) { $0 <= value }
            case .greater: return scan(data) { $0 > value }
            case .greaterOrEqual: return scan(data) { $0 >= value }
            }
        }
        let value = Int64(bitPattern: word)
        let data = buffer.data.assumingMemoryBound(to: Int64.self)
        switch self {
        case .equal: return scan(data) { $0 == value }
        case .notEqual: return scan(data) { $0 != value }
        case .less: return scan(data) { $0 < value }
        case .lessOrEqual: return scan(data) { $0 <= value }
        case .greater: return scan(data) { $0 > value }
        case .greaterOrEqual: return scan(data) { $0 >= value }
        }
    }

    @inline(__always)
    private func scan<Value>(_ data: UnsafeMutablePointer<Value>, _ test: (Value) -> Bool) -> Bits256 {
        var bits = Bits256()
        for index in 0..<4 {
            var word: UInt64 = 0
            for slot in 0..<64 { word |= (test(data[index &* 64 &+ slot]) ? 1 : 0) &<< UInt64(slot) }
            bits[word: index] = word
        }
        return bits
    }
}
