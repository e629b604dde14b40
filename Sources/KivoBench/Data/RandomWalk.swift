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
