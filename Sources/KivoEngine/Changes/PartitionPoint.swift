extension RandomAccessCollection where Index == Int {
    /// The index of the first element for which `isBefore` does not hold; it must hold for all before that and for none
    /// after. O(log n).
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
