/// A set of places, by number, that are still occupied. At first all are.
///
/// A Fenwick tree finds the n-th occupied place, and the number of occupied places before a place, in O(log n).
struct PresenceTree {
    private var isPresent: [Bool]
    /// At index i, counted from 1: the number of occupied places among the last `i & -i` up to i.
    private var sums: [Int32]
    /// The number of occupied places.
    private(set) var count: Int

    init(count: Int) {
        isPresent = Array(repeating: true, count: count)
        sums = (0...count).map { Int32($0 & -$0) }
        self.count = count
    }

    /// Whether a place is occupied.
    func contains(_ place: Int) -> Bool { isPresent[place] }

    /// Releases a place, if it is occupied.
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

    /// Returns the number of occupied places before a place.
    func rank(_ place: Int) -> Int {
        var (sum, index) = (0, place)
        while index > 0 {
            sum += Int(sums[index])
            index -= index & -index
        }
        return sum
    }

    /// Returns the occupied place with the given number of occupied places before it.
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
