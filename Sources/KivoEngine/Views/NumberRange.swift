/// A predicate that only requires a number of the row itself to lie between two bounds. One load decides it, without evaluating
/// the predicate.
struct NumberRange {
    private let column: Int
    private let lower: Int64
    private let upper: Int64

    /// Creates the range that is equivalent to a predicate. Returns nil if the predicate is of another form.
    init?(_ predicate: RowPredicate) {
        guard let bounds = predicate.exactBounds else { return nil }
        (column, lower, upper) = (bounds.column, bounds.lower, bounds.upper)
    }

    /// Whether the value of a row lies in the range. Null lies in no range.
    @inline(__always)
    func contains(_ row: Row) -> Bool {
        let values = row.leaf.column(column)
        let number = Int64(bitPattern: values.word(row.slot))
        return number >= lower && number <= upper && !values.isNull(row.slot)
    }
}
