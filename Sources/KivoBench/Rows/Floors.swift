import Foundation

/// The lower bounds of this machine, measured in the same run.
enum Floor: String, CaseIterable {
    /// Reading a stored `Int` of a plain final class through a call.
    case get = "floor.get"
    /// Writing it through a call.
    case set = "floor.set"
    /// Appending an `Int` to a reserved array.
    case array = "floor.array"
    /// Reading 8 bytes at a random place of 64 MB, where each place depends on the result of the previous read.
    case random = "floor.random"
    /// Reading 16 bytes of each of a million elements once: the strings that a condition compares.
    case scan = "floor.scan"
    /// Overwriting 4 KiB of a preallocated file of 1 MiB, and waiting until they are on the disk.
    case fsync = "floor.fsync"

    var row: Row {
        switch self {
        case .get: Row(rawValue, .floor, .ns) { Self.measureGet($0.size(5_000_000)) }
        case .set: Row(rawValue, .floor, .ns) { Self.measureSet($0.size(5_000_000)) }
        case .array: Row(rawValue, .floor, .ns) { Self.measureArray($0.size(1_000_000)) }
        case .random: Row(rawValue, .floor, .ns) { Self.measureRandom($0.randomWalk, $0.size(250_000)) }
        case .scan: Row(rawValue, .floor, .ms) { Self.measureScan($0.size(1_000_000)) }
        case .fsync: Row(rawValue, .floor, .us) { try Self.measureFsync(in: $0.filesDirectory()) }
        }
    }

    /// The median above which the floor was disturbed, or nil where a disturbance cannot be detected.
    private var limit: Double? { self == .fsync ? 200_000 : nil }

    /// Returns a message if the samples show that the floor was disturbed.
    func disturbance(_ samples: [Double]) -> String? {
        guard let limit, !samples.isEmpty, samples.median > limit else { return nil }
        let unit = row.unit
        return "\(rawValue) took \(Figure.text(samples.median / unit.size)) \(unit.rawValue)"
            + ", more than \(Figure.text(limit / unit.size))"
    }

    private static func measureGet(_ count: Int) -> Samples {
        let plain = Plain()
        return Sampling.perOperation(count) { for _ in 0..<$0 { keep(read(plain)) } }
    }

    private static func measureSet(_ count: Int) -> Samples {
        let plain = Plain()
        return Sampling.perOperation(count) {
            for value in 0..<$0 { write(plain, value) }
            expect(read(plain) == $0 - 1, "floor.set did not set")
        }
    }

    private static func measureArray(_ count: Int) -> Samples {
        var array: [Int] = []
        array.reserveCapacity(count)
        return Sampling.perOperation(count) {
            array.removeAll(keepingCapacity: true)
            for value in 0..<$0 { array.append(value) }
            consume(array[$0 / 2])
        }
    }

    private static func measureRandom(_ walk: RandomWalk, _ count: Int) -> Samples {
        Sampling.perOperation(count, repetitions: 5) { walk.go($0) }
    }

    private static func measureScan(_ count: Int) -> Samples {
        let words = (0..<count * 2).map { UInt64($0) }
        return Sampling.repetitions(7) {
            nanoseconds { consume(Int(truncatingIfNeeded: words.reduce(0, &+))) }
        }
    }

    private static func measureFsync(in directory: URL) throws -> Samples {
        let page = 4_096
        let size = 1 << 20
        let path = directory.appendingPathComponent("floor").path
        let file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
        guard file >= 0 else { throw CocoaError(.fileWriteUnknown) }
        defer {
            close(file)
            unlink(path)
        }
        func overwrite(_ bytes: [UInt8], at offset: Int) {
            let written = bytes.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, off_t(offset)) }
            expect(written == bytes.count, "floor.fsync could not write")
            synchronize(file)
        }
        overwrite([UInt8](repeating: 0, count: size), at: 0)
        var round = 0
        return Sampling.steps(atMost: 200, seconds: 1) {
            round += 1
            let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: round), count: page)
            return nanoseconds { overwrite(bytes, at: round * page % size) }
        }
    }

    private static func synchronize(_ file: Int32) {
        #if canImport(Darwin)
        let result = fcntl(file, F_FULLFSYNC)
        #else
        let result = fdatasync(file)
        #endif
        expect(result == 0, "floor.fsync could not synchronize")
    }
}

/// A random walk through 64 MB, in which each read returns the next place. It measures the cost of a read that no cache holds and
/// that cannot begin before the previous one ends.
final class RandomWalk {
    /// One cycle through all places, in random order.
    private let next: [Int]
    private var position = 0

    init() {
        var positions = Array(0..<(64 << 20) / MemoryLayout<Int>.stride)
        var random = SplitMix64(state: 14)
        // Sattolo's shuffle: every permutation that is a single cycle is equally likely.
        for last in stride(from: positions.count - 1, to: 0, by: -1) {
            positions.swapAt(last, random.below(last))
        }
        next = positions
    }

    /// Continues from the end of the last walk, so that the caches do not hold the next places.
    func go(_ steps: Int) {
        var position = position
        for _ in 0..<steps { position = next[position] }
        self.position = position
        consume(position)
    }
}
