import Foundation

/// Positions of elements of an ordered collection, ascending. A range takes constant space.
@usableFromInline
package enum Positions: ExpressibleByArrayLiteral {
    case range(Range<Int>)
    case scattered([Int])

    @usableFromInline
    package init(arrayLiteral positions: Int...) { self = .scattered(positions) }

    /// Creates positions from an ascending array. Positions without a gap become a range.
    package init(ascending positions: [Int]) {
        if let first = positions.first, let last = positions.last, last - first == positions.count - 1 {
            self = .range(first..<last + 1)
        } else {
            self = .scattered(positions)
        }
    }

    /// The positions as an array. O(positions).
    package var array: [Int] {
        switch self {
        case .range(let range): Array(range)
        case .scattered(let positions): positions
        }
    }

    /// The positions in the form that observers receive. O(1) for a range.
    package var indexSet: IndexSet {
        switch self {
        case .range(let range): IndexSet(integersIn: range)
        case .scattered(let positions): IndexSet(positions)
        }
    }

    package var isEmpty: Bool {
        switch self {
        case .range(let range): range.isEmpty
        case .scattered(let positions): positions.isEmpty
        }
    }
}

extension Array {
    /// Removes the elements at some positions. O(n).
    package mutating func remove(at positions: Positions) {
        switch positions {
        case .range(let range): removeSubrange(range)
        case .scattered(let positions) where positions.count == 1: remove(at: positions[0])
        case .scattered(let positions):
            var kept: [Element] = []
            kept.reserveCapacity(count - positions.count)
            var start = 0
            for position in positions {
                kept += self[start..<position]
                start = position + 1
            }
            self = kept + self[start...]
        }
    }
}
