/// A test of two bytes that strings must contain, which excludes most strings in place before a ``StringKernel`` tests them.
///
/// A slot is two words, and the bytes of a string begin with the first. All 16 bytes are compared at once, without a branch for
/// each string: which of many strings match is unpredictable, and a wrong prediction takes longer than the test.
struct ByteFilter {
    private let first: UInt8
    private let second: UInt8
    /// The number of bytes from the first byte to the second; nil if they may be anywhere.
    private let distance: Int?

    private init(_ first: UInt8, _ second: UInt8, distance: Int?) {
        (self.first, self.second, self.distance) = (first, second, distance)
    }

    /// Returns the filter of strings that contain a run of bytes; nil for all strings.
    static func run(_ run: [UInt8]) -> ByteFilter? {
        guard let first = run.first else { return nil }
        let distance = min(run.count, StringBits.largest) - 1
        return ByteFilter(first, run[distance], distance: distance)
    }

    /// Returns the filter of strings that contain all of some runs of bytes; nil for all strings.
    static func runs(_ runs: [[UInt8]]) -> ByteFilter? {
        let longest = runs.max { $0.count < $1.count } ?? []
        let singles = runs.filter { $0.count == 1 }
        guard longest.count == 1, singles.count > 1 else { return run(longest) }
        return ByteFilter(singles[0][0], singles[singles.count - 1][0], distance: nil)
    }

    /// Returns the slots, as bits, of strings that may pass, and of those that are not in place.
    ///
    /// - Parameters:
    ///   - slots: Up to 64 slots, one after the other. Their bytes are read, whether or not they hold strings.
    ///   - folding: The folding of ASCII before the strings are tested; nil for none. With any, all strings that are not ASCII may
    ///     pass, because other characters are folded, too.
    func candidates(_ slots: UnsafeBufferPointer<(UInt64, UInt64)>, _ folding: TextTest.Folding.ASCII?)
        -> UInt64
    {
        let isFolding = folding == .lowercase
        let firsts = SIMD16(repeating: isFolding ? first | 0x20 : first)
        let seconds = SIMD16(repeating: isFolding ? second | 0x20 : second)
        // Letters have the same bytes with this bit in lower and in upper case.
        let blur = SIMD16<UInt8>(repeating: isFolding ? 0x20 : 0)
        // The bits of the high word of a string in place, and of one that is all ASCII.
        let needed: UInt64 = folding == nil ? 0b1 << 61 : 0b11 << 61
        let address = UnsafeRawPointer(slots.baseAddress.unsafelyUnwrapped)
        guard let distance else {
            return candidates(slots.count) { slot in
                let bytes = (address + slot &* 16).loadUnaligned(as: SIMD16<UInt8>.self) | blur
                let isThere = ByteFilter.any(bytes .== firsts) & ByteFilter.any(bytes .== seconds)
                return isThere | ByteFilter.bit(slots[slot].1 & needed ^ needed)
            }
        }
        // The bytes behind the last slot are not those of a slot.
        let last = UInt64(1) &<< UInt64(slots.count &- 1)
        return last
            | candidates(slots.count &- 1) { slot in
                let bytes = (address + slot &* 16).loadUnaligned(as: SIMD16<UInt8>.self) | blur
                let behind = (address + (slot &* 16 &+ distance)).loadUnaligned(as: SIMD16<UInt8>.self) | blur
                let isThere = ByteFilter.any((bytes .== firsts) .& (behind .== seconds))
                return isThere | ByteFilter.bit(slots[slot].1 & needed ^ needed)
            }
    }

    @inline(__always)
    private func candidates(_ count: Int, _ isCandidate: (Int) -> UInt64) -> UInt64 {
        var result: UInt64 = 0
        for slot in 0..<count { result |= isCandidate(slot) &<< UInt64(slot) }
        return result
    }

    /// Returns 1 if any bit is set.
    @inline(__always)
    private static func bit(_ word: UInt64) -> UInt64 { word == 0 ? 0 : 1 }

    /// Returns 1 if any byte is equal.
    @inline(__always)
    private static func any(_ mask: SIMDMask<SIMD16<Int8>>) -> UInt64 {
        // All bits of an equal byte are set. As two words they are tested by one comparison; the library has no test of a mask
        // that takes as little.
        let words = unsafeBitCast(mask, to: SIMD2<UInt64>.self)
        return bit(words[0] | words[1])
    }
}
