/// A search for a needle in bytes. O(bytes), also if they were chosen to make it slow.
///
/// Places are found by the first and the last byte of the needle, eight at a time, and then compared. Where comparisons often fail
/// late, the rest is searched by the needle's borders (Knuth, Morris and Pratt).
struct ByteSearch: Sendable {
    private let needle: [UInt8]
    /// For each beginning of the needle, by its count less one: the count of the longest shorter beginning with which it ends.
    private let borders: [Int32]

    init(_ needle: [UInt8]) {
        self.needle = needle
        var borders = [Int32](repeating: 0, count: needle.count)
        var count = 0
        for index in needle.indices.dropFirst() {
            while count > 0, needle[count] != needle[index] { count = Int(borders[count - 1]) }
            if needle[count] == needle[index] { count += 1 }
            borders[index] = Int32(truncatingIfNeeded: count)
        }
        self.borders = borders
    }

    /// Returns whether the bytes contain the needle.
    func succeeds(in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = needle.first, let last = needle.last else { return true }
        guard bytes.count >= needle.count, let base = bytes.baseAddress else { return false }
        let (firsts, lasts) = (UInt64(first) &* 0x0101_0101_0101_0101, UInt64(last) &* 0x0101_0101_0101_0101)
        let (end, back) = (bytes.count - needle.count + 1, needle.count - 1)
        var (start, compared) = (0, 0)
        while start + 8 <= end {
            let address = UnsafeRawPointer(base + start)
            let heads = UInt64(littleEndian: address.loadUnaligned(as: UInt64.self))
            let tails = UInt64(littleEndian: (address + back).loadUnaligned(as: UInt64.self))
            var places = ShortText.zeros((heads ^ firsts) | (tails ^ lasts))
            while places != 0 {
                let count = bytes.matchCount(needle, at: start + places.trailingZeroBitCount >> 3)
                if count == needle.count { return true }
                compared += count
                places &= places - 1
            }
            if compared > bytes.count { return succeeds(in: bytes, from: start) }
            start += 8
        }
        return succeeds(in: bytes, from: start)
    }

    /// Returns whether the bytes from a position on contain the needle. Each is read once.
    private func succeeds(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Bool {
        var count = 0
        for index in start..<bytes.count {
            while count > 0, needle[count] != bytes[index] { count = Int(borders[count - 1]) }
            if needle[count] == bytes[index] { count += 1 }
            if count == needle.count { return true }
        }
        return false
    }
}
