/// The difference of a list from its state at an earlier version.
///
/// Recorded operation by operation, each addressing the list at that moment, and composed with a later change by ``append(_:)``.
/// Only operations count, not values: assigning an equal value is a replacement, and removing and reinserting a value is a
/// removal and an insertion.
///
/// The list is stored as runs of elements with a common history. So the size of a change depends on how scattered the operations
/// were, not on the length of the list. Edits at the end or at the front take constant time, others time proportional to the
/// number of runs, with a very small constant. A value; copies share storage until changed.
@usableFromInline package struct SequenceChange: Sendable {
    /// The number of elements of the list at the earlier version.
    @usableFromInline package let oldCount: Int

    /// A Boolean value that indicates whether ``removeAll()`` emptied the list and nothing was inserted since.
    @usableFromInline package internal(set) var isCleared = false

    /// A Boolean value that indicates whether any element was ever inserted, even if it was removed later.
    ///
    /// Without it, appending a change with an insertion that was removed again could not reset ``isCleared`` of an earlier
    /// change.
    @usableFromInline package internal(set) var hasInserted = false

    var table: RunTable

    /// The highest rank assigned in the sequence of first moves.
    var lastMoveOrder = 0

    /// Creates the change of an unchanged list.
    ///
    /// - Parameter oldCount: the number of elements of the list. Traps when negative.
    @usableFromInline package init(oldCount: Int) {
        precondition(oldCount >= 0, "A list cannot have a negative number of elements")
        self.oldCount = oldCount
        table = RunTable()
        if oldCount > 0 {
            table.append(Run(origin: 0, count: oldCount))
        }
    }

    /// The current number of elements of the list.
    @usableFromInline package var newCount: Int { table.count }

    /// A Boolean value that indicates whether no operation left a trace, so that composing with this change has no effect. O(1).
    ///
    /// Traces may cancel out, such as a move there and back. Then this is `false`, although the resolved change is empty.
    @usableFromInline package var isUntouched: Bool {
        !isCleared && !hasInserted && lastMoveOrder == 0 && table.count == oldCount && table.isOnePlainRun
    }

    /// Records an insertion of elements.
    ///
    /// - Parameters:
    ///   - index: the index of the first inserted element, `0...newCount`. Traps when out of range.
    ///   - count: the number of elements. With 0 nothing is recorded; traps when negative.
    @usableFromInline package mutating func insert(at index: Int, count: Int = 1) {
        precondition(index >= 0 && index <= table.count && count >= 0, "Insertion outside of the list")
        guard count > 0 else { return }
        table.insert(Run(origin: Run.new, count: count), at: index)
        hasInserted = true
        isCleared = false
    }

    /// Records a removal of elements.
    ///
    /// - Parameters:
    ///   - index: the former index of the first removed element.
    ///   - count: the number of elements. Traps when negative or when fewer elements follow from `index` on.
    @usableFromInline package mutating func remove(at index: Int, count: Int = 1) {
        precondition(
            index >= 0 && count >= 0 && index <= table.count && count <= table.count - index,
            "Removal outside of the list")
        table.remove(at: index, count: count)
    }

    /// Records an assignment of the element at an index, whether or not to an equal value.
    ///
    /// - Parameter index: the index of the element. Traps when out of range.
    @usableFromInline package mutating func replace(at index: Int) {
        checkElement(index)
        table.markReplaced(at: index)
    }

    /// Records a move: the removal and reinsertion of an element.
    ///
    /// - Parameters:
    ///   - from: the former index of the element.
    ///   - to: the current index of the element. When equal to `from`, nothing is recorded. Traps when either is out of range.
    @usableFromInline package mutating func move(from: Int, to: Int) {
        checkElement(from)
        checkElement(to)
        guard from != to else { return }
        var element = table.element(at: from)
        if !element.isNew && element.moveOrder == 0 {
            lastMoveOrder += 1
            element.moveOrder = lastMoveOrder
        }
        table.remove(at: from, count: 1)
        table.insert(element, at: to)
    }

    /// Records an exchange of two elements as moves; neighbours need only one.
    ///
    /// - Parameters:
    ///   - a: the former index of one element. Traps when out of range.
    ///   - b: the former index of the other element. When equal to `a`, nothing is recorded. Traps when out of range.
    @usableFromInline package mutating func swapAt(_ a: Int, _ b: Int) {
        let (low, high) = (min(a, b), max(a, b))
        move(from: high, to: low)
        if high > low + 1 {
            move(from: low + 1, to: high)
        }
    }

    /// Records a removal of all elements at once. Nothing is recorded if the list was already empty.
    @usableFromInline package mutating func removeAll() {
        guard table.count > 0 else { return }
        table = RunTable()
        isCleared = true
    }

    private func checkElement(_ index: Int) {
        precondition(index >= 0 && index < table.count, "No such element in the list")
    }
}

extension SequenceChange: Equatable {
    /// Returns whether two changes describe the same difference and compose alike. O(n log n) in the number of runs.
    @usableFromInline package static func == (left: SequenceChange, right: SequenceChange) -> Bool {
        left.oldCount == right.oldCount && left.newCount == right.newCount
            && left.isCleared == right.isCleared && left.hasInserted == right.hasInserted
            && left.runs == right.runs
    }
}

extension SequenceChange {
    /// Returns the difference as indexes, in the form that observers of the list receive.
    ///
    /// O(n log n) in the number of runs, plus the number of indexes.
    @usableFromInline package func resolve() -> CollectionChanges {
        var changes = CollectionChanges()
        changes.isCleared = isCleared
        var plain: [Run] = []
        var moves = MoveReduction()
        var modified: [CollectionChanges.Move] = []
        var position = 0
        for run in table.joined() {
            let positions = position..<position + run.count
            if run.isNew {
                changes.insertions.append(contentsOf: positions)
            } else if run.moveOrder != 0 {
                moves.add(run, at: position)
            } else {
                plain.append(run)
                moves.addUnmoved(origin: run.origin, position: position, count: run.count)
                if run.isReplaced {
                    modified += positions.map { .init(from: run.origin + $0 - position, to: $0) }
                }
            }
            position = positions.upperBound
        }

        let (real, dropped) = moves.reduce()
        changes.moves = real.map { .init(from: $0.origin, to: $0.position) }
        if !real.isEmpty {
            changes.insertions += real.map { $0.position }
            changes.insertions.sort()
        }
        let stayed = dropped.map { Run(origin: $0.origin, count: 1) }.sorted { $0.origin < $1.origin }
        changes.deletions = gaps(between: plain, and: stayed)
        let droppedAndReplaced = dropped.filter { $0.isReplaced }
        if !droppedAndReplaced.isEmpty {
            modified += droppedAndReplaced.map { .init(from: $0.origin, to: $0.position) }
            modified.sort { $0.to < $1.to }
        }
        changes.modifications = modified.map { $0.to }
        changes.modificationsOld = modified.map { $0.from }
        return changes
    }

    /// Returns the old indexes that are in none of the runs. Both arrays ascend.
    private func gaps(between plain: [Run], and stayed: [Run]) -> [Int] {
        var gaps: [Int] = []
        var end = 0
        var (nextPlain, nextStayed) = (0, 0)
        while nextPlain < plain.count || nextStayed < stayed.count {
            let run: Run
            if nextStayed == stayed.count
                || (nextPlain < plain.count && plain[nextPlain].origin < stayed[nextStayed].origin)
            {
                run = plain[nextPlain]
                nextPlain += 1
            } else {
                run = stayed[nextStayed]
                nextStayed += 1
            }
            gaps.append(contentsOf: end..<run.origin)
            end = run.origin + run.count
        }
        gaps.append(contentsOf: end..<oldCount)
        return gaps
    }
}
