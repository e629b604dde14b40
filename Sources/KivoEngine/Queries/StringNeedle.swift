/// A string that a column is searched for.
///
/// A short string can be elsewhere than in place, if it was built up there: what is in place and what is not are never
/// taken for different without a look.
struct StringNeedle {
    private let text: String
    private let bits: StringBits
    private let layout = StringLayout.current

    init(_ text: String) {
        // Made anew from its bytes, a short string is in place.
        self.text = String(decoding: Array(text.utf8), as: UTF8.self)
        bits = StringBits(self.text)
    }

    /// Slots without a row hold the bits of strings that are gone, so only candidates are looked at closely.
    func scan(_ buffer: ColumnBuffer, _ candidates: Bits256) -> Bits256 {
        guard layout.isKnown else { return scanStrings(buffer, candidates) }
        let words = buffer.data.assumingMemoryBound(to: (UInt64, UInt64).self)
        var result = Bits256()
        for index in 0..<(buffer.capacity + 63) >> 6 {
            var found: UInt64 = 0
            var unsure: UInt64 = 0
            for slot in 0..<min(64, buffer.capacity) {
                let (low, high) = words[index &* 64 &+ slot]
                let other = StringBits(low: low, high: high)
                found |= (bits.isSameInPlace(as: other) ? 1 : 0) &<< UInt64(slot)
                unsure |= (other.isElsewhere ? 1 : 0) &<< UInt64(slot)
            }
            unsure &= ~found & candidates[word: index]
            while unsure != 0 {
                let slot = unsure.trailingZeroBitCount
                unsure &= unsure - 1
                if isEqual(buffer, index &* 64 &+ slot) { found |= 1 << UInt64(slot) }
            }
            result[word: index] = found
        }
        return result
    }

    /// The same where strings are not looked into.
    private func scanStrings(_ buffer: ColumnBuffer, _ candidates: Bits256) -> Bits256 {
        var result = Bits256()
        candidates.forEach { if isEqual(buffer, $0) { result.insert($0) } }
        return result
    }

    @inline(never)
    private func isEqual(_ buffer: ColumnBuffer, _ slot: Int) -> Bool {
        // A large string is longer than any other: it need not be read.
        if text.utf8.count <= LargeValue.threshold, buffer.large(slot, .string) != nil { return false }
        guard let string = ColumnValues.optionalString(buffer.data, slot) else { return false }
        return string.utf8.count == text.utf8.count && string.utf8.elementsEqual(text.utf8)
    }
}
