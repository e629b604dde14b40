/// The operator of a comparison of two values.
@usableFromInline package enum ComparisonOperator: Sendable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual

    /// Returns whether the comparison holds for two cells. Null equals null, differs from every value and is neither less nor
    /// greater; NaN differs from everything.
    @usableFromInline package func holds(_ a: Cell, _ b: Cell, _ order: CellOrder) -> Bool {
        if a == .null || b == .null {
            switch self {
            case .equal: return a == .null && b == .null
            case .notEqual: return a != .null || b != .null
            default: return false
            }
        }
        if case .mixed = order { return AnyOrder.holds(self, a, b) }
        if case .floatingPoint = order, case .word(let x) = a, case .word(let y) = b {
            return holds(Double(bitPattern: x), Double(bitPattern: y))
        }
        if case .custom = order, order.isNaN(a) || order.isNaN(b) { return self == .notEqual }
        return holds(order.compare(a, b), 0)
    }

    @inline(__always)
    func holds<Value: Comparable>(_ a: Value, _ b: Value) -> Bool {
        switch self {
        case .equal: a == b
        case .notEqual: a != b
        case .less: a < b
        case .lessOrEqual: a <= b
        case .greater: a > b
        case .greaterOrEqual: a >= b
        }
    }
}

extension AnyOrder {
    /// Whether a comparison holds for two any values in a condition. Values whose types are not comparable are neither less nor
    /// greater, and NaN equals nothing.
    static func holds(_ comparison: ComparisonOperator, _ a: Cell, _ b: Cell) -> Bool {
        guard a.anyTag.rank == b.anyTag.rank, !AnyNumber.isNaN(a), !AnyNumber.isNaN(b) else {
            return comparison == .notEqual
        }
        if case .typedLink = a, comparison != .equal, comparison != .notEqual { return false }
        return comparison.holds(compare(a, b), 0)
    }
}
