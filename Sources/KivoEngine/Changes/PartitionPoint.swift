extension RandomAccessCollection where Index == Int {
    /// Returns the index of the first element for which `isBefore` does not hold. It must hold for all elements before that index
    /// and for none after it. O(log n).
    @inline(__always)
    package func partitionPoint(_ isBefore: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
