import Foundation

/// Random numbers that are the same for the same seed. A process prints its seed once; `KIVO_TEST_SEED=n` repeats its
/// tests.
struct TestRandom: RandomNumberGenerator {
    private var state: UInt64

    /// What the generators of this process start from.
    private static let seed: UInt64 = {
        let wished = ProcessInfo.processInfo.environment["KIVO_TEST_SEED"].flatMap(UInt64.init)
        if let wished { return wished }
        let seed = UInt64.random(in: 0...UInt64.max)
        // Standard error is not buffered: the seed is seen even if a test traps.
        FileHandle.standardError.write(Data("KivoJournalTests: KIVO_TEST_SEED=\(seed)\n".utf8))
        return seed
    }()

    /// A generator whose numbers depend on its name, too.
    init(_ name: String = #function) {
        state = name.utf8.reduce(Self.seed) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

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
