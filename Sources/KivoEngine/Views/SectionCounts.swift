/// The number of rows of each section, by section number, in a Fenwick tree that also sums the rows of all smaller numbers.
struct SectionCounts {
    private var counts: [Int] = []
    /// At index i, counted from 1: the number of rows of the last `i & -i` sections up to i.
    private var sums = [0]

    /// The number of rows of the section with a number; 0 for an unknown number. O(1).
    subscript(number: Int) -> Int { number < counts.count ? counts[number] : 0 }

    /// Returns the number of rows in all sections of smaller numbers. O(log n).
    func start(of number: Int) -> Int {
        var (index, sum) = (min(number, counts.count), 0)
        while index > 0 {
            sum += sums[index]
            index &= index - 1
        }
        return sum
    }

    /// Changes the number of rows of a section. O(log n).
    mutating func add(_ change: Int, to number: Int) {
        while counts.count <= number { grow() }
        counts[number] += change
        var index = number + 1
        while index < sums.count {
            sums[index] += change
            index += index & -index
        }
    }

    private mutating func grow() {
        let end = counts.count
        counts.append(0)
        sums.append(start(of: end) - start(of: (end + 1) & end))
    }
}
