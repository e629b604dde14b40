extension ResultWindow {
    /// Returns how the elements in the window differ, from how all elements of the result do. O(c log c) for c changed elements.
    ///
    ///     before   ┆ a b[c d e]f g ┆          deleted: b        in the window: c, which slid out
    ///     after    ┆ a c[d e f]g   ┆                                           f, which slid in
    func change(_ whole: ViewChange, from oldCount: Int, to newCount: Int) -> ViewChange {
        let (old, new) = (range(of: oldCount), range(of: newCount))
        // Elements that stay keep their order, so that the windows have ranges of them.
        let staying = { (range: Range<Int>, changed: [Int]) in
            range.lowerBound - changed.partitionPoint { $0 < range.lowerBound }..<range.upperBound
                - changed.partitionPoint { $0 < range.upperBound }
        }
        let (before, after) = (staying(old, whole.deletions), staying(new, whole.insertions))
        var change = ViewChange()
        change.deletions = positions(
            whole.deletions, in: old,
            before.without(after).map { position(ofStaying: $0, besides: whole.deletions) })
        change.insertions = positions(
            whole.insertions, in: new,
            after.without(before).map { position(ofStaying: $0, besides: whole.insertions) })
        change.modifications = whole.modifications.filter { position in
            new.contains(position)
                && before.contains(position - whole.insertions.partitionPoint { $0 < position })
        }
        .map { $0 - new.lowerBound }
        change.moves = whole.moves.filter { old.contains($0.from) && new.contains($0.to) }
            .map { CollectionChanges.Move(from: $0.from - old.lowerBound, to: $0.to - new.lowerBound) }
        return change
    }

    /// Returns the position of an element of those that stay, which are at all positions but some.
    private func position(ofStaying index: Int, besides changed: [Int]) -> Int {
        var (low, high) = (0, changed.count)
        while low < high {
            let middle = (low + high) / 2
            if changed[middle] - middle <= index { low = middle + 1 } else { high = middle }
        }
        return index + low
    }

    /// Returns positions in the window, ascending: those of a range, and those of elements that slid into it or out of it.
    private func positions(_ changed: [Int], in range: Range<Int>, _ slid: [Int]) -> [Int] {
        let first = changed.partitionPoint { $0 < range.lowerBound }
        let end = changed.partitionPoint { $0 < range.upperBound }
        return (changed[first..<end] + slid).sorted().map { $0 - range.lowerBound }
    }
}

extension Range<Int> {
    /// Returns the numbers that are not in another range.
    fileprivate func without(_ other: Range<Int>) -> [Int] {
        if isEmpty { return [] }
        let (lower, upper) = (
            other.isEmpty ? upperBound : other.lowerBound, other.isEmpty ? upperBound : other.upperBound
        )
        return Array(lowerBound..<Swift.max(lowerBound, Swift.min(lower, upperBound)))
            + Array(Swift.min(upperBound, Swift.max(upper, lowerBound))..<upperBound)
    }
}
