/// Bounds between which a row's value of one column must lie for a predicate to hold, by rank: a number that is ordered as
/// the values are. Rows outside are no part of a result, so that views of conditions are found by them.
public struct ColumnBounds: Sendable {
    /// The column.
    public let column: Int
    private let kind: ColumnKind
    private let order: CellOrder
    /// The lowest rank of a value that can satisfy the predicate, and the highest.
    public private(set) var lower = Int64.min
    /// The highest rank of a value that can satisfy the predicate.
    public private(set) var upper = Int64.max

    /// Bounds of a value that is compared with a constant; nil if the comparison bounds nothing.
    fileprivate init?(_ column: (column: Int, kind: ColumnKind), _ test: RowPredicate.Test) {
        guard case .compare(let comparison, let cell, let order) = test else { return nil }
        if case .custom = order { return nil }
        (self.column, kind, self.order) = (column.column, column.kind, order)
        let rank = order.rank(cell)
        switch comparison {
        case .equal: (lower, upper) = (rank, rank)
        case .less, .lessOrEqual: upper = rank
        case .greater, .greaterOrEqual: lower = rank
        case .notEqual: return nil
        }
    }

    /// The rank of a row's value.
    public func rank(_ row: Row) -> Int64 {
        order.rank(row.leaf.column(column).cell(row.slot, kind))
    }

    fileprivate mutating func formIntersection(_ other: ColumnBounds) {
        lower = max(lower, other.lower)
        upper = min(upper, other.upper)
    }

    /// How much the bounds leave open, roughly: both sides, one, or a single value.
    fileprivate var openness: Int {
        if lower == upper { return 0 }
        return lower != Int64.min && upper != Int64.max ? 1 : 2
    }
}

extension RowPredicate {
    /// Bounds of the rows' own values without which the predicate cannot hold; nil if it has none. Of several columns, the
    /// one whose bounds are closest by their form.
    public var bounds: ColumnBounds? {
        var found: [ColumnBounds] = []
        collectBounds(&found)
        return found.min { ($0.openness, $0.column) < ($1.openness, $1.column) }
    }

    private func collectBounds(_ found: inout [ColumnBounds]) {
        switch self {
        case .and(let parts): for part in parts { part.collectBounds(&found) }
        case .test(.any, .path(let path), let test):
            guard let column = path.directColumn else { return }
            test.collectBounds(column, &found)
        default: break
        }
    }
}

extension RowPredicate.Test {
    fileprivate func collectBounds(_ column: (column: Int, kind: ColumnKind), _ found: inout [ColumnBounds]) {
        if case .both(let a, let b) = self {
            a.collectBounds(column, &found)
            b.collectBounds(column, &found)
        } else if let bounds = ColumnBounds(column, self) {
            if let index = found.firstIndex(where: { $0.column == bounds.column }) {
                found[index].formIntersection(bounds)
            } else {
                found.append(bounds)
            }
        }
    }
}
