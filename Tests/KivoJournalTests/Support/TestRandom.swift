import TestRandomness

/// The generator of the random tests.
typealias TestRandom = RandomSource

extension RandomSource {
    mutating func bytes(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        for offset in stride(from: 0, to: count, by: 8) {
            var word = next()
            for index in offset..<min(offset + 8, count) {
                bytes[index] = UInt8(truncatingIfNeeded: word)
                word >>= 8
            }
        }
        return bytes
    }
}
