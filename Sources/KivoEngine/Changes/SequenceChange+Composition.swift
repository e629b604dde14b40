extension SequenceChange {
    /// Appends a later change, so that this change covers both.
    ///
    /// The result is the same as if all operations had been recorded in one change. Elements moved in this change stay first in
    /// the sequence of moves; those first moved in `next` follow. O(n log n) in the number of runs of both, constant when one of
    /// them is untouched.
    ///
    /// - Parameter next: the change that starts from this one's current list. Traps if its old count differs from the new count
    ///   of this one.
    @usableFromInline package mutating func append(_ next: SequenceChange) {
        precondition(next.oldCount == newCount, "The change does not follow this one")
        if next.isUntouched {
            return
        }
        if isUntouched {
            self = next
            return
        }
        table = next.table.traced(through: table.joined(), movesAfter: lastMoveOrder)
        lastMoveOrder += next.lastMoveOrder
        isCleared = next.isCleared || (isCleared && !next.hasInserted)
        hasInserted = hasInserted || next.hasInserted
    }
}

extension RunTable {
    /// Returns the same elements with their origins traced back through an earlier change.
    fileprivate func traced(through earlier: [Run], movesAfter lastMoveOrder: Int) -> RunTable {
        var starts: [Int] = []
        starts.reserveCapacity(earlier.count)
        var total = 0
        for run in earlier {
            starts.append(total)
            total += run.count
        }
        var result = RunTable()
        var slot = 0
        for piece in pieces {
            for run in piece.runs {
                guard !run.isNew else {
                    result.append(run)
                    continue
                }
                // Unless elements were moved, the origins ascend, so the search starts where the last one ended.
                slot = RunTable.slot(containing: run.origin, in: starts, near: slot)
                var position = run.origin
                let end = run.origin + run.count
                while position < end {
                    let offset = position - starts[slot]
                    let count = min(end - position, earlier[slot].count - offset)
                    var part = earlier[slot].slice(from: offset, count: count)
                    if !part.isNew {
                        part.isReplaced = part.isReplaced || run.isReplaced
                        if part.moveOrder == 0 && run.moveOrder != 0 {
                            part.moveOrder = lastMoveOrder + run.moveOrder
                        }
                    }
                    result.append(part)
                    position += count
                    if position < end {
                        slot += 1
                    }
                }
            }
        }
        return result
    }

    /// Returns the last slot that starts at or before a position. Fast if that is the guessed slot or the next one.
    private static func slot(containing position: Int, in starts: [Int], near guess: Int) -> Int {
        for slot in [guess, guess + 1] where slot < starts.count && starts[slot] <= position {
            if slot + 1 == starts.count || position < starts[slot + 1] {
                return slot
            }
        }
        var low = 0
        var high = starts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= position {
                low = middle
            } else {
                high = middle
            }
        }
        return low
    }
}
