/// A predicate which says no more than that a number of the rows themselves lies between two others: one load decides it,
/// without a look at the predicate.
struct NumberRange {
    private let column: Int
    private let lower: Int64
    private let upper: Int64

    /// The range that a predicate is; nil if it says anything else.
    init?(_ predicate: RowPredicate) {
        guard let bounds = predicate.exactBounds else { return nil }
        (column, lower, upper) = (bounds.column, bounds.lower, bounds.upper)
    }

    /// Whether the value of a row lies in the range. Null lies in none.
    @inline(__always)
    func contains(_ row: Row) -> Bool {
        let values = row.leaf.column(column)
        let number = Int64(bitPattern: values.word(row.slot))
        return number >= lower && number <= upper && !values.isNull(row.slot)
    }
}
