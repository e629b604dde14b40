extension CollectionChanges {
    /// Where elements are now that were at some positions; negative and different for each that is gone.
    func places(ofOld positions: [Int64], isSame: (Int, Int) -> Bool) -> [Int64] {
        let same = moves.filter { isSame($0.from, $0.to) }.map { ($0.from, $0.to) }
        let moved = Dictionary(same) { a, _ in a }
        return positions.enumerated().map { index, old in
            let old = Int(old)
            if let place = moved[old] { return Int64(place) }
            let before = deletions.partitionPoint { $0 < old }
            if before < deletions.count, deletions[before] == old { return Int64(-1 - index) }
            // The place among what was kept, and then as many further as was inserted before it.
            let kept = old - before
            var (low, high) = (0, insertions.count)
            while low < high {
                let middle = (low + high) / 2
                if insertions[middle] - middle <= kept { low = middle + 1 } else { high = middle }
            }
            return Int64(kept + low)
        }
    }
}

extension [Int] {
    /// The number of elements for which `isBefore` holds, which come before all others.
    fileprivate func partitionPoint(_ isBefore: (Int) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
