extension Array<ElementOrder.Ranked> {
    /// Sorts by rank; elements with equal ranks keep their order. Many ranks are sorted byte by byte, from the lowest, without
    /// the bytes in which all of them agree. O(n).
    mutating func sortByRank() {
        if indices.dropFirst().allSatisfy({ self[$0 - 1].rank <= self[$0].rank }) { return }
        if count < 256 || count > Int(UInt32.max) { return sort { $0.rank < $1.rank } }
        var counts = [UInt32](repeating: 0, count: 8 * 256)
        counts.withUnsafeMutableBufferPointer { counts in
            for element in self {
                let digits = UInt64(bitPattern: element.rank) ^ (1 << 63)
                for byte in 0..<8 {
                    counts[byte &* 256 &+ Int(truncatingIfNeeded: digits &>> UInt64(byte &* 8) & 0xFF)] &+= 1
                }
            }
        }
        var other = self
        for byte in 0..<8 {
            let digits = counts[byte * 256..<(byte + 1) * 256]
            if digits.contains(UInt32(count)) { continue }
            var starts: [UInt32] = []
            starts.reserveCapacity(256)
            var start: UInt32 = 0
            for digit in digits {
                starts.append(start)
                start += digit
            }
            distribute(byte, &starts, to: &other)
            swap(&self, &other)
        }
    }

    /// Moves elements whose ranks have the same highest byte next to each other, in their order. Returns their ranges. O(n).
    mutating func partition() -> [Range<Int>] {
        if isEmpty || count > Int(UInt32.max) { return [indices] }
        var counts = [Int](repeating: 0, count: 256)
        for element in self { counts[Int((UInt64(bitPattern: element.rank) ^ (1 << 63)) >> 56)] += 1 }
        var (ranges, starts, start): ([Range<Int>], [UInt32], Int) = ([], [], 0)
        for count in counts {
            starts.append(UInt32(start))
            ranges.append(start..<start + count)
            start += count
        }
        var other = self
        distribute(7, &starts, to: &other)
        swap(&self, &other)
        return ranges
    }

    /// Moves the elements to the places for their digits.
    private func distribute(_ byte: Int, _ starts: inout [UInt32], to other: inout [Element]) {
        withUnsafeBufferPointer { elements in
            other.withUnsafeMutableBufferPointer { other in
                starts.withUnsafeMutableBufferPointer { starts in
                    for element in elements {
                        let digits = UInt64(bitPattern: element.rank) ^ (1 << 63)
                        let digit = Int(truncatingIfNeeded: digits &>> UInt64(byte &* 8) & 0xFF)
                        other[Int(starts[digit])] = element
                        starts[digit] &+= 1
                    }
                }
            }
        }
    }
}
