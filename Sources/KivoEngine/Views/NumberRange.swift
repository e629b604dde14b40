/// A condition which says no more than that a number of the rows themselves lies between two others: one load decides it,
/// without a look at the predicate.
///
/// Unlike ``ColumnBounds``, which a predicate may narrow further, it is the whole predicate.
struct NumberRange {
    private let column: Int
    private var lower = Int64.min
    private var upper = Int64.max

    /// The range that a predicate is; nil if it says anything else.
    init?(_ predicate: RowPredicate) {
        switch predicate {
        case .and(let parts):
            guard let first = parts.first, var range = NumberRange(first) else { return nil }
            for part in parts.dropFirst() {
                guard let other = NumberRange(part), other.column == range.column else { return nil }
                range.formIntersection(other)
            }
            self = range
        case .test(.any, .path(let path), let test):
            guard let (column, kind) = path.directColumn, kind == .word else { return nil }
            self.init(column, test)
        default: return nil
        }
    }

    private init?(_ column: Int, _ test: RowPredicate.Test) {
        self.column = column
        switch test {
        case .both(let a, let b):
            guard let a = NumberRange(column, a), let b = NumberRange(column, b) else { return nil }
            formIntersection(a)
            formIntersection(b)
        case .compare(let comparison, .word(let word), .natural):
            let number = Int64(bitPattern: word)
            switch comparison {
            case .equal: (lower, upper) = (number, number)
            case .lessOrEqual: upper = number
            case .greaterOrEqual: lower = number
            case .less:
                if number == Int64.min { return nil }
                upper = number - 1
            case .greater:
                if number == Int64.max { return nil }
                lower = number + 1
            case .notEqual: return nil
            }
        default: return nil
        }
    }

    private mutating func formIntersection(_ other: NumberRange) {
        lower = max(lower, other.lower)
        upper = min(upper, other.upper)
    }

    /// Whether the value of a row lies in the range. Null lies in none.
    @inline(__always)
    func contains(_ row: Row) -> Bool {
        let values = row.leaf.column(column)
        let number = Int64(bitPattern: values.word(row.slot))
        return number >= lower && number <= upper && !values.isNull(row.slot)
    }
}
