/// A 64-bit checksum over 8-byte words, in four lanes so that the multiplications overlap.
///
/// Every step is a bijection of the lane for a given word and of the word for a given lane, and so is folding
/// one lane into the result. Damage that is confined to one word is therefore always noticed; any other
/// damage goes unnoticed once in 2⁶⁴. It guards against accidents, not against forgery.
package enum Checksum {
    private static let primes: (UInt64, UInt64, UInt64) = (
        0x9E37_79B1_85EB_CA87, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9
    )

    /// Returns the checksum of bytes, to which zeros are appended up to full words. Bytes that differ only in such zeros have the
    /// same checksum: the caller mixes the count into the seed.
    package static func of(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
        guard let base = bytes.baseAddress else { return finish((seed, seed, seed, seed)) }
        var lanes = (seed, seed, seed, seed)
        var offset = 0
        while offset + 32 <= bytes.count {
            lanes.0 = mixed(lanes.0, word(base, offset))
            lanes.1 = mixed(lanes.1, word(base, offset + 8))
            lanes.2 = mixed(lanes.2, word(base, offset + 16))
            lanes.3 = mixed(lanes.3, word(base, offset + 24))
            offset += 32
        }
        let rest = bytes.count - offset
        if rest > 0 { lanes.0 = mixed(lanes.0, lastWord(base + offset, rest)) }
        if rest > 8 { lanes.1 = mixed(lanes.1, lastWord(base + offset + 8, rest - 8)) }
        if rest > 16 { lanes.2 = mixed(lanes.2, lastWord(base + offset + 16, rest - 16)) }
        if rest > 24 { lanes.3 = mixed(lanes.3, lastWord(base + offset + 24, rest - 24)) }
        return finish(lanes)
    }

    /// Returns a seed made of two values.
    static func seed(_ first: UInt64, _ second: UInt64) -> UInt64 { mixed(first, second) }

    @inline(__always)
    private static func word(_ base: UnsafeRawPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Returns a word of which only the first `count` bytes may exist.
    private static func lastWord(_ base: UnsafeRawPointer, _ count: Int) -> UInt64 {
        if count >= 8 { return word(base, 0) }
        var result: UInt64 = 0
        for offset in (0..<count).reversed() {
            result = result << 8 | UInt64(base.load(fromByteOffset: offset, as: UInt8.self))
        }
        return result
    }

    /// Mixes a word into a lane. This is a bijection: an odd factor and a rotation lose nothing.
    @inline(__always)
    private static func mixed(_ lane: UInt64, _ word: UInt64) -> UInt64 {
        let sum = lane &+ word &* primes.1
        return (sum << 31 | sum >> 33) &* primes.0
    }

    private static func finish(_ lanes: (UInt64, UInt64, UInt64, UInt64)) -> UInt64 {
        var result = mixed(mixed(mixed(mixed(primes.2, lanes.0), lanes.1), lanes.2), lanes.3)
        result = (result ^ result >> 33) &* primes.1
        result = (result ^ result >> 29) &* primes.2
        return result ^ result >> 32
    }
}
