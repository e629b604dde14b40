/// How many rows sections have, by their numbers, and how many those of smaller numbers have together: a Fenwick tree.
struct SectionCounts {
    private var counts: [Int] = []
    /// At i, the rows of the last `i & -i` sections up to i, counted from 1.
    private var sums = [0]

    /// The number of rows of the section of a number; 0 of one that is not known. O(1).
    subscript(number: Int) -> Int { number < counts.count ? counts[number] : 0 }

    /// How many rows the sections of smaller numbers have. O(log n).
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
