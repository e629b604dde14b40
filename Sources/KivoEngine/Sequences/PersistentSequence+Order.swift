extension PersistentSequence {
    /// Returns whether the elements in a range, and the two next to it, are strictly ascending. O(count · log n).
    @usableFromInline package func isAscending(around range: Range<Int>) -> Bool {
        let last = min(range.upperBound, count - 1)
        var position = max(range.lowerBound - 1, 0)
        guard position < last else { return true }
        var cell = self.cell(at: position)
        while position < last {
            position += 1
            let next = self.cell(at: position)
            if !cell.isOrderedBefore(next) { return false }
            cell = next
        }
        return true
    }
}

extension Array<Cell> {
    /// Returns the cells in the form of a sorted sequence: ascending, and each once.
    package func sortedAndUnique() -> [Cell] {
        var unique: [Cell] = []
        for cell in sorted(by: { $0.isOrderedBefore($1) })
        where unique.last.map({ $0.isOrderedBefore(cell) }) ?? true { unique.append(cell) }
        return unique
    }
}
