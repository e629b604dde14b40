extension CollectionChanges {
    /// Returns the current positions of elements that were at the given positions. A deleted element gets a negative number of
    /// its own.
    func places(ofOld positions: [Int64], isSame: (Int, Int) -> Bool) -> [Int64] {
        var moved: [Int: Int] = [:]
        for move in moves where moved[move.from] == nil && isSame(move.from, move.to) {
            moved[move.from] = move.to
        }
        return positions.enumerated().map { index, old in
            let old = Int(old)
            if let place = moved[old] { return Int64(place) }
            let before = deletions.partitionPoint { $0 < old }
            if before < deletions.count, deletions[before] == old { return Int64(-1 - index) }
            // The position among the retained elements, plus the number of insertions before it.
            let kept = old - before
            let inserted = insertions.indices.partitionPoint { insertions[$0] - $0 <= kept }
            return Int64(kept + inserted)
        }
    }
}
