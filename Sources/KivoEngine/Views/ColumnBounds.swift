/// Bounds on one column's values outside of which a predicate cannot hold. They are ranks: numbers that are ordered like the
/// values. Rows outside the bounds are not in a result, so views with conditions are indexed by them.
package struct ColumnBounds: Sendable {
    /// The column.
    package let column: Int
    private let kind: ColumnKind
    private let order: CellOrder
    /// The lowest rank of a value that can satisfy the predicate.
    package private(set) var lower = Int64.min
    /// The highest rank of a value that can satisfy the predicate.
    package private(set) var upper = Int64.max
    /// Whether every value whose rank lies within the bounds satisfies the comparisons. True only for numbers that are their own
    /// ranks.
    private(set) var isExact: Bool

    /// Creates the bounds of a comparison with a constant. Returns nil if the comparison limits nothing.
    fileprivate init?(_ column: (column: Int, kind: ColumnKind), _ test: ValueTest) {
        guard case .compare(let comparison, let cell, let order) = test else { return nil }
        if case .custom = order { return nil }
        (self.column, kind, self.order) = (column.column, column.kind, order)
        let rank = order.rank(cell)
        if case (.word, .natural, .word) = (column.kind, order, cell) {
            isExact = true
        } else {
            isExact = false
        }
        switch comparison {
        case .equal: (lower, upper) = (rank, rank)
        case .lessOrEqual: upper = rank
        case .greaterOrEqual: lower = rank
        case .less:
            isExact = isExact && rank > Int64.min
            upper = isExact ? rank - 1 : rank
        case .greater:
            isExact = isExact && rank < Int64.max
            lower = isExact ? rank + 1 : rank
        case .notEqual: return nil
        }
    }

    /// Returns the rank of a row's value.
    package func rank(_ row: Row) -> Int64 {
        order.rank(row.leaf.column(column).cell(row.slot, kind))
    }

    fileprivate mutating func formIntersection(_ other: ColumnBounds) {
        lower = max(lower, other.lower)
        upper = min(upper, other.upper)
        isExact = isExact && other.isExact
    }

    /// A rough measure of how wide the bounds are: 0 for a single value, 1 if both sides are bounded, 2 otherwise.
    fileprivate var openness: Int {
        if lower == upper { return 0 }
        return lower != Int64.min && upper != Int64.max ? 1 : 2
    }
}

extension RowPredicate {
    /// The bounds of one of the rows' own columns outside of which the predicate cannot hold, or nil if there are none. If
    /// several columns have bounds, those of the most restrictive form are returned.
    package var bounds: ColumnBounds? {
        var collected: [ColumnBounds] = []
        _ = collectBounds(&collected)
        return collected.min { ($0.openness, $0.column) < ($1.openness, $1.column) }
    }

    /// The bounds of a number, or nil if the predicate requires anything besides a number within bounds.
    var exactBounds: ColumnBounds? {
        var collected: [ColumnBounds] = []
        guard collectBounds(&collected), collected.count == 1, collected[0].isExact else { return nil }
        return collected[0]
    }

    /// Collects the bounds, one for each column. Returns whether every part of the predicate contributed bounds.
    private func collectBounds(_ collected: inout [ColumnBounds]) -> Bool {
        switch self {
        case .and(let parts):
            return parts.reduce(true) { isWhole, part in part.collectBounds(&collected) && isWhole }
        case .test(.any, .path(let path), let test):
            return path.directColumn.map { test.collectBounds($0, &collected) } ?? false
        default: return false
        }
    }
}

extension ValueTest {
    fileprivate func collectBounds(
        _ column: (column: Int, kind: ColumnKind), _ collected: inout [ColumnBounds]
    ) -> Bool {
        if case .both(let a, let b) = self {
            let areWhole = (a.collectBounds(column, &collected), b.collectBounds(column, &collected))
            return areWhole.0 && areWhole.1
        }
        guard let bounds = ColumnBounds(column, self) else { return false }
        if let index = collected.firstIndex(where: { $0.column == bounds.column }) {
            collected[index].formIntersection(bounds)
        } else {
            collected.append(bounds)
        }
        return true
    }
}

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
