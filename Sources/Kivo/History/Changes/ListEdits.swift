import KivoEngine

extension ChangeSet {
    /// The difference between two versions of a list, with the elements that differ.
    ///
    /// Only operations count, as for collection listeners: a removed element that is inserted again is removed and inserted. An element
    /// that was moved is among the deletions and the insertions, and both positions are among the ``moves``.
    public struct ListEdits: Sendable, Equatable {
        /// An element and its position.
        public struct Element: Sendable, Hashable {
            /// The position of the element.
            public let index: Int
            /// The element.
            public let value: Value
        }

        /// An element that was replaced, or an embedded object of which properties differ.
        public struct Modification: Sendable, Hashable {
            /// The position in the old list.
            public let oldIndex: Int
            /// The position in the new list.
            public let newIndex: Int
            /// The old element.
            public let old: Value
            /// The new element.
            public let new: Value
        }

        /// The history of the new list's positions.
        let change: SequenceChange
        /// The old elements by their old positions: those that were removed, moved or replaced.
        let removed: [Int: Value]
        /// The new elements by their new positions: those that were inserted, moved or replaced.
        let inserted: [Int: Value]

        /// Creates edits. Elements that were replaced by equal ones count as unchanged.
        ///
        /// - Precondition: `removed` and `inserted` have the elements of all positions that the change marks.
        init(_ change: SequenceChange, removed: [Int: Value], inserted: [Int: Value]) {
            (self.change, self.removed, self.inserted) = ListEdits.reduced(change, removed, inserted)
        }

        /// The number of elements of the old list.
        public var oldCount: Int { change.oldCount }
        /// The number of elements of the new list.
        public var newCount: Int { change.newCount }

        /// The removed elements and the old positions of those that were moved, ascending, by their positions in the old list.
        ///
        /// - Complexity: O(n log n) in the number of edits; this and the other lists are made with each call.
        public var deletions: [Element] {
            change.resolve().deletions.map { Element(index: $0, value: removed[$0]!) }
        }

        /// The inserted elements and the new positions of those that were moved, ascending, by their positions in the new list.
        ///
        /// - Complexity: O(n log n) in the number of edits.
        public var insertions: [Element] {
            change.resolve().insertions.map { Element(index: $0, value: inserted[$0]!) }
        }

        /// The elements that were replaced in place, ascending.
        ///
        /// - Complexity: O(n log n) in the number of edits.
        public var modifications: [Modification] {
            let resolved = change.resolve()
            return zip(resolved.modificationsOld, resolved.modifications).map { old, new in
                Modification(oldIndex: old, newIndex: new, old: removed[old]!, new: inserted[new]!)
            }
        }

        /// The elements that were moved, ascending by their new positions.
        ///
        /// - Complexity: O(n log n) in the number of edits.
        public var moves: [CollectionMove] {
            change.resolve().moves.map { CollectionMove($0) }.sorted { $0.to < $1.to }
        }

        /// Returns whether two edits have equal deletions, insertions, modifications and moves.
        public static func == (a: ListEdits, b: ListEdits) -> Bool {
            a.oldCount == b.oldCount && a.newCount == b.newCount && a.deletions == b.deletions
                && a.insertions == b.insertions && a.modifications == b.modifications && a.moves == b.moves
        }

        /// Whether the lists are equal: nothing was edited, or elements were moved back to where they were.
        var isEmpty: Bool {
            if removed.isEmpty && inserted.isEmpty { return true }
            let resolved = change.resolve()
            return resolved.deletions.isEmpty && resolved.insertions.isEmpty && resolved.modifications.isEmpty
        }
    }
}

extension ChangeSet.ListEdits {
    /// Returns edits in which only elements that differ are marked as replaced.
    private static func reduced(
        _ change: SequenceChange, _ removed: [Int: ChangeSet.Value], _ inserted: [Int: ChangeSet.Value]
    ) -> (SequenceChange, [Int: ChangeSet.Value], [Int: ChangeSet.Value]) {
        var (removed, inserted) = (removed, inserted)
        var runs: [SequenceChange.Run] = []
        var position = 0
        for run in change.runs {
            defer { position += run.count }
            guard run.isReplaced else {
                runs.append(run)
                continue
            }
            for offset in 0..<run.count {
                var part = run
                (part.origin, part.count) = (run.origin + offset, 1)
                if removed[part.origin] == inserted[position + offset] {
                    part.isReplaced = false
                    if part.moveOrder == 0 {
                        removed[part.origin] = nil
                        inserted[position + offset] = nil
                    }
                }
                runs.append(part)
            }
        }
        return (SequenceChange(oldCount: change.oldCount, runs: runs, isCleared: false)!, removed, inserted)
    }

    /// Creates the edits between two lists of which no operations are known: a longest ascending run of equal elements stays, and where as
    /// many elements were removed as inserted, they were replaced.
    ///
    /// - Complexity: O(n log n) in the elements.
    init(from old: [ChangeSet.Value], to new: [ChangeSet.Value]) {
        let difference = SequenceDifference.between(old, new)
        var (deletions, insertions) = (difference.deletions[...], difference.insertions[...])
        var runs: [SequenceChange.Run] = []
        var (i, j) = (0, 0)
        while i < old.count || j < new.count {
            let start = (i, j)
            while deletions.first == i { (i, deletions) = (i + 1, deletions.dropFirst()) }
            while insertions.first == j { (j, insertions) = (j + 1, insertions.dropFirst()) }
            let (removed, inserted) = (i - start.0, j - start.1)
            if removed == inserted, removed > 0 {
                runs.append(SequenceChange.Run(origin: start.0, count: removed, isReplaced: true))
            } else if inserted > 0 {
                runs.append(SequenceChange.Run(origin: SequenceChange.Run.new, count: inserted))
            }
            let kept = min((deletions.first ?? old.count) - i, (insertions.first ?? new.count) - j)
            if kept > 0 { runs.append(SequenceChange.Run(origin: i, count: kept)) }
            (i, j) = (i + kept, j + kept)
        }
        let change = SequenceChange(oldCount: old.count, runs: runs, isCleared: false)!
        var (removed, inserted): ([Int: ChangeSet.Value], [Int: ChangeSet.Value]) = ([:], [:])
        ChangeSet.ListEdits.forEachMark(in: change) { position, newPosition in
            if let position { removed[position] = old[position] }
            if let newPosition { inserted[newPosition] = new[newPosition] }
        }
        self.init(change, removed: removed, inserted: inserted)
    }

    /// Calls `body` with the positions that the change of a list marks. An element that was moved or replaced has both positions. One that
    /// was removed has only an old position, and one that was inserted only a new one.
    ///
    /// - Complexity: O(n log n) in the number of edits.
    static func forEachMark(in change: SequenceChange, _ body: (_ old: Int?, _ new: Int?) -> Void) {
        var position = 0
        var kept: [Range<Int>] = []
        for run in change.runs {
            if run.isNew {
                for index in position..<position + run.count { body(nil, index) }
            } else {
                kept.append(run.origin..<run.origin + run.count)
                if run.isReplaced || run.moveOrder != 0 {
                    for offset in 0..<run.count { body(run.origin + offset, position + offset) }
                }
            }
            position += run.count
        }
        kept.sort { $0.lowerBound < $1.lowerBound }
        var end = 0
        for range in kept + [change.oldCount..<change.oldCount] {
            for index in end..<range.lowerBound { body(index, nil) }
            end = range.upperBound
        }
    }

    /// The edits that lead back.
    var inverse: ChangeSet.ListEdits {
        ChangeSet.ListEdits(change.inverse, removed: inserted, inserted: removed)
    }

    /// Returns the elements of the new list, from those of the old one. Returns nil if these are not as many as they were.
    ///
    /// - Complexity: O(n) in the elements of both lists.
    func applied(to old: [ChangeSet.Value]) -> [ChangeSet.Value]? {
        guard old.count == oldCount else { return nil }
        var new: [ChangeSet.Value] = []
        new.reserveCapacity(newCount)
        for run in change.runs {
            for offset in 0..<run.count { new.append(inserted[new.count] ?? old[run.origin + offset]) }
        }
        return new
    }

    /// Returns the composition with edits that begin where these end.
    ///
    /// - Complexity: O(n log n) in the number of edits of both.
    func followed(by next: ChangeSet.ListEdits) -> ChangeSet.ListEdits {
        var composed = change
        composed.append(next.change)
        let (forward, backward) = (Origins(of: change.inverse), Origins(of: next.change))
        var (removed, inserted): ([Int: ChangeSet.Value], [Int: ChangeSet.Value]) = ([:], [:])
        ChangeSet.ListEdits.forEachMark(in: composed) { old, new in
            if let old {
                removed[old] = self.removed[old] ?? next.removed[forward[old]!]!
            }
            if let new {
                inserted[new] = next.inserted[new] ?? self.inserted[backward[new]!]!
            }
        }
        return ChangeSet.ListEdits(composed, removed: removed, inserted: inserted)
    }

    /// The positions before a change of the elements after it.
    private struct Origins {
        private var starts: [Int] = []
        private var runs: [SequenceChange.Run]

        init(of change: SequenceChange) {
            runs = change.runs
            var position = 0
            for run in runs {
                starts.append(position)
                position += run.count
            }
        }

        /// Returns the position before the change, or nil if the element was inserted. O(log n).
        subscript(position: Int) -> Int? {
            let slot = starts.partitionPoint { $0 <= position } - 1
            return runs[slot].isNew ? nil : runs[slot].origin + position - starts[slot]
        }
    }
}
