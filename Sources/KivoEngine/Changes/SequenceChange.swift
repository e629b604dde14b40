/// How a list differs from its state at an earlier version.
///
/// Built up operation by operation, each addressing the list as it is at that moment, and composed with the change
/// that follows it by ``append(_:)``. Operations are what counts, never the values: assigning an equal value is a
/// replacement, and removing a value and inserting it again is a removal and an insertion.
///
/// The list is kept as runs of elements with a common fate, so the size of a change depends on how scattered the
/// operations were, not on the length of the list. Edits at the end or at the front take constant time, others time
/// proportional to the number of runs, with a very small constant. A value; copies share storage until changed.
public struct SequenceChange: Sendable {
    /// The number of elements of the list at the earlier version.
    public let oldCount: Int

    /// Whether the list was emptied by ``removeAll()`` and nothing has been inserted since.
    public internal(set) var isCleared = false

    /// Whether anything was ever inserted, also when it was removed again later.
    ///
    /// Without this a later insertion that was taken back could not undo ``isCleared`` of an earlier change.
    public internal(set) var hasInserted = false

    var table: RunTable

    /// The highest place given out in the sequence of first moves.
    var lastMoveOrder = 0

    /// Creates the change of a list that has not changed.
    ///
    /// - Parameter oldCount: the number of elements of the list. Traps when negative.
    public init(oldCount: Int) {
        precondition(oldCount >= 0, "A list cannot have a negative number of elements")
        self.oldCount = oldCount
        table = RunTable()
        if oldCount > 0 {
            table.append(Run(origin: 0, count: oldCount))
        }
    }

    /// The number of elements of the list now.
    public var newCount: Int { table.count }

    /// Whether no operation has left any trace, so that composing with this change changes nothing. O(1).
    ///
    /// A change may have traces that cancel out, like a move there and back; then this is `false` and the
    /// resolved change is empty.
    public var isUntouched: Bool {
        !isCleared && !hasInserted && lastMoveOrder == 0 && table.count == oldCount && table.isOnePlainRun
    }

    /// Records that elements were inserted.
    ///
    /// - Parameters:
    ///   - index: where the first of them is now, `0...newCount`. Traps when out of range.
    ///   - count: how many. With 0 nothing is recorded; traps when negative.
    public mutating func insert(at index: Int, count: Int = 1) {
        precondition(index >= 0 && index <= table.count && count >= 0, "Insertion outside of the list")
        guard count > 0 else { return }
        table.insert(Run(origin: Run.new, count: count), at: index)
        hasInserted = true
        isCleared = false
    }

    /// Records that elements were removed.
    ///
    /// - Parameters:
    ///   - index: where the first of them was.
    ///   - count: how many. Traps when negative or when the list has not so many elements from `index` on.
    public mutating func remove(at index: Int, count: Int = 1) {
        precondition(
            index >= 0 && count >= 0 && index <= table.count && count <= table.count - index,
            "Removal outside of the list")
        table.remove(at: index, count: count)
    }

    /// Records that the element at an index was assigned, whether or not to an equal value.
    ///
    /// - Parameter index: which element. Traps when out of range.
    public mutating func replace(at index: Int) {
        checkElement(index)
        table.markReplaced(at: index)
    }

    /// Records that an element was taken out and inserted again.
    ///
    /// - Parameters:
    ///   - from: where it was.
    ///   - to: where it is now. When equal to `from`, nothing is recorded. Traps when one is out of range.
    public mutating func move(from: Int, to: Int) {
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

    /// Records that two elements were exchanged: as moves, of which neighbours need only one.
    ///
    /// - Parameters:
    ///   - a: where one of them was. Traps when out of range.
    ///   - b: where the other one was. When equal to `a`, nothing is recorded. Traps when out of range.
    public mutating func swapAt(_ a: Int, _ b: Int) {
        let (low, high) = (min(a, b), max(a, b))
        move(from: high, to: low)
        if high > low + 1 {
            move(from: low + 1, to: high)
        }
    }

    /// Records that the list was emptied as a whole. Nothing is recorded when it was empty already.
    public mutating func removeAll() {
        guard table.count > 0 else { return }
        table = RunTable()
        isCleared = true
    }

    private func checkElement(_ index: Int) {
        precondition(index >= 0 && index < table.count, "No such element in the list")
    }
}

extension SequenceChange: Equatable {
    /// Whether both describe the same difference and compose alike. O(n log n) in the number of runs.
    public static func == (left: SequenceChange, right: SequenceChange) -> Bool {
        left.oldCount == right.oldCount && left.newCount == right.newCount
            && left.isCleared == right.isCleared && left.hasInserted == right.hasInserted
            && left.runs == right.runs
    }
}
