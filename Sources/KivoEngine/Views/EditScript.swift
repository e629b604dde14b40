/// An element and its position in the old or in the new order.
struct PositionedKey {
    var position: Int
    var key: ObjectKey
}

/// The shortest description of a change that removed some elements from an ordered sequence and inserted others.
struct EditScript {
    /// An element that was removed and reinserted, or a run of untouched elements, with its rank in the old and in the new
    /// order.
    private struct Kept {
        var old: (untouched: Int, rank: Int)
        var new: (untouched: Int, rank: Int)
        /// The weight of keeping the item in place: the number of its elements and, on a tie, the number of untouched ones.
        var weight: Int64

        static func weight(touched count: Int) -> Int64 { Int64(count) << 32 }
        static func weight(untouched count: Int) -> Int64 { Int64(count) << 32 | Int64(count) }
    }

    private let removed: [PositionedKey]
    private let inserted: [PositionedKey]
    private let oldCount: Int

    /// Creates the edit that removed `removed`, at positions of the old order, and inserted `inserted`, at positions of the new
    /// order. Both ascend by position. Untouched elements keep their relative order.
    init(removed: [PositionedKey], inserted: [PositionedKey], oldCount: Int) {
        self.removed = removed
        self.inserted = inserted
        self.oldCount = oldCount
    }

    /// Returns the shortest edit, which leaves the heaviest run of elements in unchanged order in place. O(k log k).
    func change() -> ViewChange {
        let matches = matches()
        var change = ViewChange()
        if matches.isEmpty {
            change.deletions = removed.map { $0.position }
            change.insertions = inserted.map { $0.position }
            return change
        }
        var staysOld = [Bool](repeating: false, count: removed.count)
        var staysNew = [Bool](repeating: false, count: inserted.count)
        var movedRuns: [Range<Int>] = []
        if areUnmoved(matches) {
            for (old, new) in matches { (staysOld[old], staysNew[new]) = (true, true) }
        } else {
            let (runs, kept) = keptItems(matches)
            let stays = EditScript.heaviestRun(kept)
            for (index, match) in matches.enumerated() where stays[index] {
                (staysOld[match.old], staysNew[match.new]) = (true, true)
            }
            for (index, run) in runs.enumerated() where !stays[matches.count + index] {
                movedRuns.append(run)
            }
        }
        for (old, new) in matches where !staysOld[old] {
            change.moves.append(.init(from: removed[old].position, to: inserted[new].position))
        }
        for (index, element) in removed.enumerated() where !staysOld[index] {
            change.deletions.append(element.position)
        }
        for (index, element) in inserted.enumerated() where !staysNew[index] {
            change.insertions.append(element.position)
        }
        if !movedRuns.isEmpty { addMoved(movedRuns, to: &change) }
        return change
    }

    /// Returns the pairs of a removal and an insertion of the same element, occurrence by occurrence, as indexes into both
    /// arrays.
    private func matches() -> [(old: Int, new: Int)] {
        if removed.isEmpty || inserted.isEmpty { return [] }
        if removed.count == 1, inserted.count == 1 {
            return removed[0].key == inserted[0].key ? [(0, 0)] : []
        }
        var indexes: [ObjectKey: [Int]] = [:]
        indexes.reserveCapacity(removed.count)
        for (index, element) in removed.enumerated().reversed() {
            indexes[element.key, default: []].append(index)
        }
        var matches: [(old: Int, new: Int)] = []
        for (index, element) in inserted.enumerated() {
            if let old = indexes[element.key]?.popLast() { matches.append((old, index)) }
        }
        return matches
    }

    /// Whether no element moved: all matches lie between the same untouched elements, in the same order.
    private func areUnmoved(_ matches: [(old: Int, new: Int)]) -> Bool {
        var last = 0
        for (old, new) in matches {
            if old < last || removed[old].position - old != inserted[new].position - new { return false }
            last = old
        }
        return true
    }

    /// Returns the runs of untouched elements between the matches, as ranks among the untouched elements, and all items that
    /// could stay.
    private func keptItems(
        _ matches: [(old: Int, new: Int)]
    ) -> (runs: [Range<Int>], kept: [Kept]) {
        var kept = matches.map { old, new in
            Kept(
                old: (removed[old].position - old, old), new: (inserted[new].position - new, new),
                weight: Kept.weight(touched: 1))
        }
        let untouched = oldCount - removed.count
        var cuts = Set(kept.flatMap { [$0.old.untouched, $0.new.untouched] })
        cuts.formUnion([0, untouched])
        let bounds = cuts.sorted()
        var runs: [Range<Int>] = []
        for (start, end) in zip(bounds, bounds.dropFirst()) {
            kept.append(
                Kept(
                    old: (start, Int.max), new: (start, Int.max), weight: Kept.weight(untouched: end - start))
            )
            runs.append(start..<end)
        }
        return (runs, kept)
    }

    /// Returns which items belong to the heaviest run that is in the same order before and after.
    private static func heaviestRun(_ kept: [Kept]) -> [Bool] {
        let byNew = kept.indices.sorted { kept[$0].new < kept[$1].new }
        var newRank = [Int](repeating: 0, count: kept.count)
        for (rank, index) in byNew.enumerated() { newRank[index] = rank }
        // Half the size of optional indexes, which the loops below would read.
        let none = -1
        // A Fenwick tree of the heaviest run that ends at or before each rank of the new order.
        var best = [(weight: Int64, item: Int)](repeating: (0, none), count: kept.count + 1)
        var previous = [Int](repeating: none, count: kept.count)
        for index in kept.indices.sorted(by: { kept[$0].old < kept[$1].old }) {
            var (run, rank) = ((weight: Int64(0), item: none), newRank[index])
            while rank > 0 {
                if best[rank].weight > run.weight { run = best[rank] }
                rank &= rank - 1
            }
            previous[index] = run.item
            let weight = run.weight + kept[index].weight
            rank = newRank[index] + 1
            while rank < best.count {
                if best[rank].weight < weight { best[rank] = (weight, index) }
                rank += rank & -rank
            }
        }
        var heaviest = (weight: Int64(0), item: none)
        var rank = kept.count
        while rank > 0 {
            if best[rank].weight > heaviest.weight { heaviest = best[rank] }
            rank &= rank - 1
        }
        var stays = [Bool](repeating: false, count: kept.count)
        var item = heaviest.item
        while item != none {
            stays[item] = true
            item = previous[item]
        }
        return stays
    }

    /// Adds runs of untouched elements that count as moved. The runs are ranks among the untouched elements.
    private func addMoved(_ runs: [Range<Int>], to change: inout ViewChange) {
        var (oldIndex, newIndex) = (0, 0)
        for run in runs {
            for rank in run {
                while oldIndex < removed.count, removed[oldIndex].position - oldIndex <= rank {
                    oldIndex += 1
                }
                while newIndex < inserted.count, inserted[newIndex].position - newIndex <= rank {
                    newIndex += 1
                }
                change.deletions.append(rank + oldIndex)
                change.insertions.append(rank + newIndex)
                change.moves.append(.init(from: rank + oldIndex, to: rank + newIndex))
            }
        }
        change.deletions.sort()
        change.insertions.sort()
    }

    /// Merges two lists of elements with ascending positions. Positions in `later` do not count the elements in `first`; positions
    /// in the result count all elements.
    static func merge(_ first: [PositionedKey], _ later: [PositionedKey]) -> [PositionedKey] {
        var merged: [PositionedKey] = []
        var index = 0
        for element in later {
            while index < first.count, first[index].position - index <= element.position {
                merged.append(first[index])
                index += 1
            }
            merged.append(PositionedKey(position: element.position + index, key: element.key))
        }
        return merged + first[index...]
    }
}
