extension SequenceChange {
    /// Neighbouring elements of the current list that share their history.
    @usableFromInline package struct Run: Sendable, Equatable {
        /// The ``origin`` of elements that were not in the earlier list.
        @usableFromInline package static let new = -1

        /// The index of the first element in the earlier list, which the others follow; or ``new``.
        @usableFromInline package var origin: Int
        /// The number of elements, never 0.
        @usableFromInline package var count: Int
        /// The element's rank in the sequence of first moves, from 1; 0 if it was never moved.
        ///
        /// A moved element is always a run of its own. New elements are never marked.
        @usableFromInline package var moveOrder: Int
        /// A Boolean value that indicates whether the elements were assigned. New elements are never marked.
        @usableFromInline package var isReplaced: Bool

        /// Creates a run.
        ///
        /// - Parameters:
        ///   - origin: the earlier index of the first element, or ``new``.
        ///   - count: the number of elements.
        ///   - moveOrder: the rank in the sequence of first moves, or 0.
        ///   - isReplaced: whether the elements were assigned.
        @usableFromInline package init(origin: Int, count: Int, moveOrder: Int = 0, isReplaced: Bool = false)
        {
            self.origin = origin
            self.count = count
            self.moveOrder = moveOrder
            self.isReplaced = isReplaced
        }

        /// A Boolean value that indicates whether the elements were not in the earlier list.
        @usableFromInline package var isNew: Bool { origin == Run.new }

        /// Whether this run and the next one can be merged.
        func isContinued(by next: Run) -> Bool {
            if isNew || next.isNew {
                return isNew && next.isNew
            }
            return origin + count == next.origin && isReplaced == next.isReplaced
                && moveOrder == 0 && next.moveOrder == 0
        }

        /// Returns a part of the run.
        func slice(from start: Int, count: Int) -> Run {
            var part = self
            part.origin = isNew ? Run.new : origin + start
            part.count = count
            return part
        }
    }

    /// The elements of the current list in order, in the fewest possible runs, with moves numbered from 1 without gaps.
    ///
    /// Together with ``oldCount``, ``isCleared`` and ``hasInserted`` this is the complete stored state. O(n log n) in the number
    /// of runs.
    @usableFromInline package var runs: [Run] {
        var merged: [Run] = []
        var moved: [Int] = []
        for run in table.joined() {
            if let last = merged.last, last.isContinued(by: run) {
                merged[merged.count - 1].count += run.count
            } else {
                if run.moveOrder > 0 {
                    moved.append(merged.count)
                }
                merged.append(run)
            }
        }
        moved.sort { merged[$0].moveOrder < merged[$1].moveOrder }
        for (rank, slot) in moved.enumerated() {
            merged[slot].moveOrder = rank + 1
        }
        return merged
    }

    /// The number of runs as they are stored.
    var runCount: Int { table.pieces.reduce(0) { $0 + $1.runs.count } }

    /// Creates a change from its stored state. O(n log n) in the number of runs.
    ///
    /// - Parameters:
    ///   - oldCount: the number of elements of the earlier list.
    ///   - runs: the elements of the current list, in the form of ``runs``.
    ///   - isCleared: whether the last operation was a clear.
    ///   - hasInserted: whether any element was ever inserted. Implied if the other arguments show it.
    /// - Returns: `nil` if the arguments do not describe a possible change.
    @usableFromInline package init?(oldCount: Int, runs: [Run], isCleared: Bool, hasInserted: Bool = false) {
        let movedCount = runs.reduce(0) { $0 + ($1.moveOrder == 0 ? 0 : 1) }
        guard oldCount >= 0, !isCleared || runs.isEmpty,
            SequenceChange.addsUp(runs, oldCount: oldCount, highestMoveOrder: movedCount)
        else { return nil }
        self.oldCount = oldCount
        self.isCleared = isCleared
        self.hasInserted = hasInserted || (isCleared && oldCount == 0) || runs.contains { $0.isNew }
        lastMoveOrder = movedCount
        table = RunTable()
        for run in runs {
            table.append(run)
        }
    }

    /// Traps if the representation is inconsistent. O(n log n) in the number of runs; for tests.
    @usableFromInline package func checkInvariants() {
        table.checkInvariants()
        let runs = table.joined()
        precondition(
            SequenceChange.addsUp(runs, oldCount: oldCount, highestMoveOrder: lastMoveOrder),
            "The runs do not add up")
        precondition(!isCleared || runs.isEmpty, "Elements after a clear")
        precondition(!isCleared || oldCount > 0 || hasInserted, "An empty list was cleared")
        precondition(hasInserted || !runs.contains { $0.isNew }, "New elements without an insertion")
    }

    /// Whether runs can be the result of operations on a list of a given length.
    private static func addsUp(_ runs: [Run], oldCount: Int, highestMoveOrder: Int) -> Bool {
        var total = 0
        var lastPlainEnd = 0
        var kept: [Range<Int>] = []
        var orders: [Int] = []
        for run in runs {
            let (sum, overflow) = total.addingReportingOverflow(run.count)
            guard run.count > 0, !overflow else { return false }
            total = sum
            if run.isNew {
                guard run.moveOrder == 0, !run.isReplaced else { return false }
                continue
            }
            guard run.origin >= 0, run.origin <= oldCount, run.count <= oldCount - run.origin else {
                return false
            }
            if run.moveOrder != 0 {
                guard run.count == 1, 1...max(1, highestMoveOrder) ~= run.moveOrder else { return false }
                orders.append(run.moveOrder)
            } else {
                // Elements that were never moved cannot have changed their relative order.
                guard run.origin >= lastPlainEnd else { return false }
                lastPlainEnd = run.origin + run.count
            }
            kept.append(run.origin..<run.origin + run.count)
        }
        kept.sort { $0.lowerBound < $1.lowerBound }
        orders.sort()
        return zip(kept, kept.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound }
            && zip(orders, orders.dropFirst()).allSatisfy { $0 < $1 }
    }
}
