import Foundation

/// Random numbers that are the same for the same seed, which is printed: `KIVO_TEST_SEED=n` repeats a run.
struct RandomSource: RandomNumberGenerator {
    private var state: UInt64

    init(_ name: String = #function) {
        let wished = ProcessInfo.processInfo.environment["KIVO_TEST_SEED"].flatMap(UInt64.init)
        state = wished ?? UInt64.random(in: 0...UInt64.max)
        // Standard error is not buffered: the seed is seen even if the test traps.
        FileHandle.standardError.write(Data("\(name): seed \(state)\n".utf8))
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
}
