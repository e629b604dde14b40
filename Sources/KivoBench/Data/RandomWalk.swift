/// A walk through 64 MB, each step of which reads where the next one leads: what a read costs that no cache holds and
/// that cannot begin before the read ahead of it is done.
final class RandomWalk {
    /// One circle through all places, in random order.
    private let next: [Int]
    private var place = 0

    init() {
        var places = Array(0..<(64 << 20) / MemoryLayout<Int>.stride)
        var random = SplitMix64(state: 14)
        // Sattolo's shuffle: every permutation that is a single circle is equally likely.
        for last in stride(from: places.count - 1, to: 0, by: -1) { places.swapAt(last, random.below(last)) }
        next = places
    }

    /// Goes on from where the last walk ended, so that the caches do not hold what is read.
    func go(_ steps: Int) {
        var place = place
        for _ in 0..<steps { place = next[place] }
        self.place = place
        consume(place)
    }
}
