/// Which of some places are still taken, by number: all of them at first.
///
/// The n-th place that is taken, and how many are before a place, are found in O(log n) by a Fenwick tree.
struct PresenceTree {
    private var isPresent: [Bool]
    /// At i, how many places are taken among the last `i & -i` up to i; counted from 1.
    private var sums: [Int32]
    /// The number of places that are taken.
    private(set) var count: Int

    init(count: Int) {
        isPresent = Array(repeating: true, count: count)
        sums = (0...count).map { Int32($0 & -$0) }
        self.count = count
    }

    /// Whether a place is taken.
    func contains(_ place: Int) -> Bool { isPresent[place] }

    /// Gives up a place, if it is taken.
    mutating func remove(_ place: Int) {
        guard isPresent[place] else { return }
        isPresent[place] = false
        count -= 1
        var index = place + 1
        while index < sums.count {
            sums[index] -= 1
            index += index & -index
        }
    }

    /// The number of places before one that are taken.
    func rank(_ place: Int) -> Int {
        var (sum, index) = (0, place)
        while index > 0 {
            sum += Int(sums[index])
            index -= index & -index
        }
        return sum
    }

    /// The place that is taken and has so many before it.
    func select(_ rank: Int) -> Int {
        precondition(rank >= 0 && rank < count, "there are not so many places")
        var (index, left) = (0, rank)
        var step = 1 << (Int.bitWidth - 1 - (sums.count - 1).leadingZeroBitCount)
        while step > 0 {
            let next = index + step
            if next < sums.count, Int(sums[next]) <= left {
                left -= Int(sums[next])
                index = next
            }
            step >>= 1
        }
        return index
    }
}
