/// A string to search for in a column.
///
/// A short string may be stored elsewhere, if it was built up there. So a string in place and one stored elsewhere must be
/// compared by their bytes.
struct StringNeedle {
    private let text: String
    private let bits: StringBits
    private let layout = StringLayout.current

    init(_ text: String) {
        // A short string that is created from its bytes is in place.
        self.text = String(decoding: Array(text.utf8), as: UTF8.self)
        bits = StringBits(self.text)
    }

    /// Slots without a row hold the bits of removed strings, so only candidates may be read in full.
    func scan(_ buffer: ColumnBuffer, _ candidates: Bits256) -> Bits256 {
        guard layout.isKnown else { return scanStrings(buffer, candidates) }
        let words = buffer.data.assumingMemoryBound(to: (UInt64, UInt64).self)
        var result = Bits256()
        for index in 0..<(buffer.capacity + 63) >> 6 {
            var matches: UInt64 = 0
            var unsure: UInt64 = 0
            for slot in 0..<min(64, buffer.capacity) {
                let (low, high) = words[index &* 64 &+ slot]
                let other = StringBits(low: low, high: high)
                matches |= (bits.isSameInPlace(as: other) ? 1 : 0) &<< UInt64(slot)
                unsure |= (other.isElsewhere ? 1 : 0) &<< UInt64(slot)
            }
            unsure &= ~matches & candidates[word: index]
            while unsure != 0 {
                let slot = unsure.trailingZeroBitCount
                unsure &= unsure - 1
                if isEqual(buffer, index &* 64 &+ slot) { matches |= 1 << UInt64(slot) }
            }
            result[word: index] = matches
        }
        return result
    }

    /// Scans by ordinary string comparison, where the layout of strings is unknown.
    private func scanStrings(_ buffer: ColumnBuffer, _ candidates: Bits256) -> Bits256 {
        var result = Bits256()
        candidates.forEach { if isEqual(buffer, $0) { result.insert($0) } }
        return result
    }

    @inline(never)
    private func isEqual(_ buffer: ColumnBuffer, _ slot: Int) -> Bool {
        // A large value exceeds the threshold. It cannot equal a shorter needle and need not be read.
        if text.utf8.count <= LargeValue.threshold, buffer.large(slot, .string) != nil { return false }
        guard let string = ColumnValues.optionalString(buffer.data, slot) else { return false }
        return string.utf8.count == text.utf8.count && string.utf8.elementsEqual(text.utf8)
    }
}
