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
