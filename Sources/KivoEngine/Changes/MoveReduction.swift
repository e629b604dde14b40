/// A search for moved elements of a list that need not count as moved.
///
/// The elements are examined in the sequence of their first moves. An element counts as unmoved if as many unmoved elements
/// precede it in the earlier list as in the current one. It then also counts as unmoved for the elements examined later.
struct MoveReduction {
    struct Element {
        let origin: Int
        let position: Int
        let order: Int
        let isReplaced: Bool
        /// The number of never moved elements before it in the current list.
        let unmovedBefore: Int
        /// The number of never moved elements before it in the earlier list.
        var unmovedBeforeOrigin = 0
    }

    /// The elements in order of position, until reduced.
    private var elements: [Element] = []
    /// The origin of each run of never moved elements, and the number of such elements before the run; both ascend.
    private var unmovedOrigins: [(origin: Int, before: Int)] = []
    private var unmovedCount = 0

    /// Adds a run of never moved elements. All elements must be added in order of position.
    mutating func addUnmoved(origin: Int, position: Int, count: Int) {
        unmovedOrigins.append((origin, unmovedCount))
        unmovedCount += count
    }

    /// Adds a moved element.
    mutating func add(_ run: SequenceChange.Run, at position: Int) {
        elements.append(
            Element(
                origin: run.origin, position: position, order: run.moveOrder, isReplaced: run.isReplaced,
                unmovedBefore: unmovedCount))
    }

    /// Splits the moved elements into those that count as moved, in sequence, and those that do not. O(n log n) in the number of
    /// moved elements and of runs.
    func reduce() -> (real: [Element], dropped: [Element]) {
        guard !elements.isEmpty else { return ([], []) }
        var byOrigin = Array(elements.indices)
        byOrigin.sort { elements[$0].origin < elements[$1].origin }
        var originRanks = [Int](repeating: 0, count: elements.count)
        var unmoved = unmovedOrigins.makeIterator()
        var nextUnmoved = unmoved.next()
        var moved = elements
        for (rank, element) in byOrigin.enumerated() {
            while let run = nextUnmoved, run.origin < moved[element].origin {
                nextUnmoved = unmoved.next()
            }
            originRanks[element] = rank
            moved[element].unmovedBeforeOrigin = nextUnmoved?.before ?? unmovedCount
        }

        // The elements were added by position, so an element's index is also its rank by position.
        var droppedOrigins = RankCounts(count: moved.count)
        var droppedPositions = RankCounts(count: moved.count)
        var real: [Element] = []
        var dropped: [Element] = []
        for index in moved.indices.sorted(by: { moved[$0].order < moved[$1].order }) {
            let element = moved[index]
            let before = element.unmovedBeforeOrigin + droppedOrigins.count(below: originRanks[index])
            if before == element.unmovedBefore + droppedPositions.count(below: index) {
                dropped.append(element)
                droppedOrigins.add(originRanks[index])
                droppedPositions.add(index)
            } else {
                real.append(element)
            }
        }
        return (real, dropped)
    }
}

/// A counter of the ranks below a rank among those added so far, each in O(log n): a binary indexed tree.
private struct RankCounts {
    private var sums: [Int]

    init(count: Int) {
        sums = Array(repeating: 0, count: count + 1)
    }

    mutating func add(_ rank: Int) {
        var node = rank + 1
        while node < sums.count {
            sums[node] += 1
            node += node & -node
        }
    }

    func count(below rank: Int) -> Int {
        var node = rank
        var total = 0
        while node > 0 {
            total += sums[node]
            node &= node - 1
        }
        return total
    }
}
