/// A set of numbered slots that are still occupied. At first all are.
///
/// A Fenwick tree finds the n-th occupied slot, and the number of occupied slots before a slot, in O(log n).
struct PresenceTree {
    private var isPresent: [Bool]
    /// At index i, counted from 1: the number of occupied slots among the last `i & -i` up to i.
    private var sums: [Int32]
    /// The number of occupied slots.
    private(set) var count: Int

    init(count: Int) {
        isPresent = Array(repeating: true, count: count)
        sums = (0...count).map { Int32($0 & -$0) }
        self.count = count
    }

    /// Whether a slot is occupied.
    func contains(_ slot: Int) -> Bool { isPresent[slot] }

    /// Releases a slot, if it is occupied.
    mutating func remove(_ slot: Int) {
        guard isPresent[slot] else { return }
        isPresent[slot] = false
        count -= 1
        var index = slot + 1
        while index < sums.count {
            sums[index] -= 1
            index += index & -index
        }
    }

    /// Returns the number of occupied slots before a slot.
    func rank(_ slot: Int) -> Int {
        var (sum, index) = (0, slot)
        while index > 0 {
            sum += Int(sums[index])
            index -= index & -index
        }
        return sum
    }

    /// Returns the occupied slot with the given number of occupied slots before it.
    func select(_ rank: Int) -> Int {
        precondition(rank >= 0 && rank < count, "there are fewer occupied slots")
        var (index, remaining) = (0, rank)
        var step = 1 << (Int.bitWidth - 1 - (sums.count - 1).leadingZeroBitCount)
        while step > 0 {
            let next = index + step
            if next < sums.count, Int(sums[next]) <= remaining {
                remaining -= Int(sums[next])
                index = next
            }
            step >>= 1
        }
        return index
    }
}
