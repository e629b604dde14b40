/// A set of pairs of words that answers membership by about one comparison: a hash table of which at most a quarter is used.
///
/// The second word of a pair is not 0. Pairs whose first word is unlike all members' are excluded by a word of 64 bits.
struct WordPairSet {
    private let filter: UInt64
    private let slots: [SIMD2<UInt64>]
    private let shift: UInt64

    init(_ pairs: [(UInt64, UInt64)]) {
        var bits = 2
        while 1 << bits < pairs.count * 4 { bits += 1 }
        shift = UInt64(64 - bits)
        var slots = Array(repeating: SIMD2<UInt64>(), count: 1 << bits)
        for (first, second) in pairs {
            let pair = SIMD2(first, second)
            var index = WordPairSet.hash(first, second, shift)
            while slots[index][1] != 0, slots[index] != pair { index = (index + 1) & (slots.count - 1) }
            slots[index] = pair
        }
        self.slots = slots
        filter = pairs.reduce(0) { $0 | 1 &<< WordPairSet.filterBit($1.0) }
    }

    @inline(__always)
    private static func filterBit(_ first: UInt64) -> UInt64 { (first &* 0x9E37_79B9_7F4A_7C15) &>> 58 }

    @inline(__always)
    func contains(_ pair: (UInt64, UInt64)) -> Bool {
        filter &>> WordPairSet.filterBit(pair.0) & 1 != 0 && find(pair)
    }

    private func find(_ pair: (UInt64, UInt64)) -> Bool {
        slots.withUnsafeBufferPointer { slots in
            var index = WordPairSet.hash(pair.0, pair.1, shift)
            while true {
                let slot = slots[index]
                if slot[0] == pair.0, slot[1] == pair.1 { return true }
                if slot[1] == 0 { return false }
                index = (index &+ 1) & (slots.count &- 1)
            }
        }
    }

    @inline(__always)
    private static func hash(_ first: UInt64, _ second: UInt64, _ shift: UInt64) -> Int {
        let mixed = (first &* 0x9E37_79B9_7F4A_7C15) ^ (second &* 0xC2B2_AE3D_27D4_EB4F)
        return Int(truncatingIfNeeded: ((mixed ^ mixed &>> 32) &* 0x9E37_79B9_7F4A_7C15) &>> shift)
    }
}
