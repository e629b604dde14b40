/// The earlier and the later elements of a list, set or map.
struct SequenceContents {
    let old: PersistentSequence
    let new: PersistentSequence
    /// The earlier numbers of tables, for links of any values.
    let origins: [TableID: TableID]

    /// An element with its hash.
    private struct Element: Hashable {
        /// The value; nil for a link to an object of a new table.
        var cell: Cell?

        func hash(into hasher: inout Hasher) { hasher.combine(cell?.indexHash(seed: 0)) }
    }

    /// Returns an element of the later sequence, with the table numbers of the earlier one. A link to an object of a new table is
    /// nil, which equals no earlier element.
    private func newElement(_ address: UnsafeMutableRawPointer) -> Cell? {
        let cell = new.element.load(address)
        return new.element == .any ? cell.numbered(by: origins) : cell
    }

    /// Whether both sequences have the same elements. O(elements), without storing them.
    private var areEqual: Bool {
        if old.root == new.root { return true }
        if old.count != new.count { return false }
        var (position, stride) = (0, old.element.stride)
        while position < old.count {
            let (a, b) = (old.run(containing: position), new.run(containing: position))
            let end = min(a.range.upperBound, b.range.upperBound)
            while position < end {
                let offsets = (position - a.range.lowerBound, position - b.range.lowerBound)
                guard
                    old.element.load(a.elements + offsets.0 * stride)
                        == newElement(b.elements + offsets.1 * stride)
                else { return false }
                position += 1
            }
        }
        return true
    }

    private func elements(
        _ sequence: PersistentSequence, _ load: (UnsafeMutableRawPointer) -> Cell?
    ) -> [Element] {
        var elements: [Element] = []
        elements.reserveCapacity(sequence.count)
        sequence.forEachRun { run, range in
            for index in 0..<range.count {
                elements.append(Element(cell: load(run + index * sequence.element.stride)))
            }
            return true
        }
        return elements
    }

    /// Returns the change of the elements, or nil if they are the same.
    ///
    /// - Parameter mayReplace: whether an equal number of removals and insertions at one position counts as assignments, as in a
    ///   list.
    func change(mayReplace: Bool) -> SequenceChange? {
        if areEqual { return nil }
        let difference = SequenceDifference.between(
            elements(old, old.element.load), elements(new, newElement))
        return SequenceChange(
            oldCount: old.count,
            runs: SequenceContents.runs(difference, old.count, new.count, mayReplace: mayReplace),
            isCleared: false)!
    }

    /// Returns the change of a map's values, given the change of its keys or nil. Returns nil if the values are the same.
    func change(along keys: SequenceChange?) -> SequenceChange? {
        if keys == nil, areEqual { return nil }
        var runs: [SequenceChange.Run] = []
        var position = 0
        for run in keys?.runs ?? [.init(origin: 0, count: new.count)] {
            if run.isNew {
                runs.append(run)
            } else {
                for offset in 0..<run.count {
                    let before = old.cell(at: run.origin + offset)
                    let after = newElement(new.pointer(at: position + offset))
                    SequenceContents.add(
                        .init(origin: run.origin + offset, count: 1, isReplaced: before != after), to: &runs)
                }
            }
            position += run.count
        }
        return SequenceChange(oldCount: old.count, runs: runs, isCleared: false)!
    }

    private static func add(_ run: SequenceChange.Run, to runs: inout [SequenceChange.Run]) {
        if let last = runs.last, last.isContinued(by: run) {
            runs[runs.count - 1].count += run.count
        } else {
            runs.append(run)
        }
    }

    /// Returns the current elements as runs by their history.
    private static func runs(
        _ difference: ViewChange, _ oldCount: Int, _ newCount: Int, mayReplace: Bool
    ) -> [SequenceChange.Run] {
        let moves = difference.moves.sorted { $0.to < $1.to }
        let origins = Dictionary(
            uniqueKeysWithValues: moves.enumerated().map { ($1.to, (from: $1.from, order: $0 + 1)) })
        let movedAway = Set(moves.map { $0.from })
        var runs: [SequenceChange.Run] = []
        var (old, new) = (0, 0)
        var (deletions, insertions) = (difference.deletions[...], difference.insertions[...])
        while old < oldCount || new < newCount {
            // The removals and insertions between two elements that stayed.
            let start = (old: old, new: new)
            while deletions.first == old { (old, deletions) = (old + 1, deletions.dropFirst()) }
            while insertions.first == new { (new, insertions) = (new + 1, insertions.dropFirst()) }
            let isMoved =
                (start.old..<old).contains(where: movedAway.contains)
                || (start.new..<new).contains { origins[$0] != nil }
            if mayReplace, old > start.old, old - start.old == new - start.new, !isMoved {
                add(.init(origin: start.old, count: old - start.old, isReplaced: true), to: &runs)
            } else {
                for position in start.new..<new {
                    if let (from, order) = origins[position] {
                        add(.init(origin: from, count: 1, moveOrder: order), to: &runs)
                    } else {
                        add(.init(origin: SequenceChange.Run.new, count: 1), to: &runs)
                    }
                }
            }
            let retained = min((deletions.first ?? oldCount) - old, (insertions.first ?? newCount) - new)
            if retained > 0 { add(.init(origin: old, count: retained), to: &runs) }
            (old, new) = (old + retained, new + retained)
        }
        return runs
    }
}
