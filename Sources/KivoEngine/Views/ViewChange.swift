/// The difference between two states of a collection or view. It has the old positions of removed elements and the new positions
/// of inserted ones, all ascending. A moved element is in both.
@usableFromInline package struct ViewChange: Sendable, Equatable {
    /// The old positions of removed elements.
    package var deletions: [Int]
    /// The new positions of inserted elements.
    package var insertions: [Int]
    /// The new positions of elements that stayed in place and count as modified. A view itself only reports assigned plain
    /// values: modifications of objects depend on the observer's key paths, which the view does not have.
    package var modifications: [Int]
    /// The moved elements, which are in both deletions and insertions, in no particular order.
    package var moves: [CollectionChanges.Move]

    /// Creates a difference; empty by default.
    package init(
        deletions: [Int] = [], insertions: [Int] = [], modifications: [Int] = [],
        moves: [CollectionChanges.Move] = []
    ) {
        self.deletions = deletions
        self.insertions = insertions
        self.modifications = modifications
        self.moves = moves
    }

    /// A Boolean value that indicates whether no element was inserted, removed or modified.
    package var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }

    /// The elements of ``modifications``, in the same order, as positions in the old collection.
    package var modificationsOld: [Int] {
        RetainedPositions.positions(modifications, without: insertions, with: deletions)
    }
}

/// The shortest edit between two sequences of elements, as deletions and insertions.
package enum SequenceDifference {
    /// Returns the edit from `old` to `new`. Equal elements are matched occurrence by occurrence, and a longest ascending run of
    /// matches stays. For distinct elements that is a longest common subsequence. O(n log n).
    package static func between<Element: Hashable>(_ old: [Element], _ new: [Element]) -> ViewChange {
        var start = 0
        while start < old.count, start < new.count, old[start] == new[start] { start += 1 }
        var (oldEnd, newEnd) = (old.count, new.count)
        while oldEnd > start, newEnd > start, old[oldEnd - 1] == new[newEnd - 1] {
            oldEnd -= 1
            newEnd -= 1
        }
        var positions: [Element: [Int]] = [:]
        for position in (start..<oldEnd).reversed() { positions[old[position], default: []].append(position) }
        var matches: [(old: Int, new: Int)] = []
        for position in start..<newEnd {
            if let match = positions[new[position]]?.popLast() { matches.append((match, position)) }
        }
        let stays = longestAscending(matches.map { $0.old })
        let kept = stays.map { matches[$0] }
        var change = ViewChange()
        change.deletions = rest(start..<oldEnd, without: kept.map { $0.old })
        change.insertions = rest(start..<newEnd, without: kept.map { $0.new })
        change.moves = rest(0..<matches.count, without: stays).map {
            CollectionChanges.Move(from: matches[$0].old, to: matches[$0].new)
        }
        return change
    }

    private static func rest(_ range: Range<Int>, without kept: [Int]) -> [Int] {
        var rest: [Int] = []
        var next = 0
        for position in range {
            if next < kept.count, kept[next] == position { next += 1 } else { rest.append(position) }
        }
        return rest
    }

    /// Returns the indices of a longest ascending subsequence.
    private static func longestAscending(_ values: [Int]) -> [Int] {
        var tails: [Int] = []
        // Half the size of optional indexes.
        let none = -1
        var previous = [Int](repeating: none, count: values.count)
        for (index, value) in values.enumerated() {
            var (low, high) = (0, tails.count)
            while low < high {
                let middle = (low + high) / 2
                if values[tails[middle]] < value { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[index] = tails[low - 1] }
            if low == tails.count { tails.append(index) } else { tails[low] = index }
        }
        var run: [Int] = []
        var index = tails.last ?? none
        while index != none {
            run.append(index)
            index = previous[index]
        }
        return run.reversed()
    }
}
