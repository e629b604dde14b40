#if hasFeature(Embedded)
import Synchronization
#else
import Foundation
#endif

/// Random numbers that are the same for the same seed. A process prints its seed once; `KIVO_TEST_SEED=n` repeats its tests,
/// with `SWIFT_DETERMINISTIC_HASHING=1` down to the shape of the indexes of strings.
public struct RandomSource: RandomNumberGenerator, Sendable {
    private var state: UInt64

    #if hasFeature(Embedded)
    private static let chosenSeed = Atomic<UInt64>(0)

    /// The seed from which the generators of this process start. There is no environment to ask: the program sets it.
    public static var processSeed: UInt64 {
        get { chosenSeed.load(ordering: .relaxed) }
        set { chosenSeed.store(newValue, ordering: .relaxed) }
    }
    #else
    /// The seed of this process's generators.
    private static let processSeed: UInt64 = {
        let wished = ProcessInfo.processInfo.environment["KIVO_TEST_SEED"].flatMap(UInt64.init)
        if let wished { return wished }
        let seed = UInt64.random(in: 0...UInt64.max)
        report("KIVO_TEST_SEED=\(seed)")
        return seed
    }()

    #endif

    /// Writes a line to standard error, which is not buffered: it is seen even if a test traps.
    static func report(_ line: String) {
        #if !hasFeature(Embedded)
        FileHandle.standardError.write(Data("\(line)\n".utf8))
        #endif
    }

    /// The seed of a name: another one in each process, unless `KIVO_TEST_SEED` says which.
    public static func seed(for name: String = #function) -> UInt64 {
        name.utf8.reduce(processSeed) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }

    /// A generator of the seed of a name.
    public init(_ name: String = #function) { self.init(seed: RandomSource.seed(for: name)) }

    /// A generator of a seed.
    public init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 to below a bound, which is above 0.
    public mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

    /// True so many times of a hundred.
    public mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
}
