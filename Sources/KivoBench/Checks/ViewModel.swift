/// A model of a view of all items, computed from the values alone.
protocol ViewModel {
    /// Assigns values to rows, and returns the change that an observer of the view must receive. The rows are distinct and
    /// ascending.
    mutating func assign(_ values: [(row: Int, value: Int)]) -> ExpectedChange
}

/// All items in the order of the table.
struct WholeModel: ViewModel {
    func assign(_ values: [(row: Int, value: Int)]) -> ExpectedChange {
        .indices(modifications: values.map(\.row))
    }
}

/// The items with values above the median, in the order of the table.
struct FilteredModel: ViewModel {
    private var matches: [Bool]
    private var ranks: RankTree

    init(_ values: [Int]) {
        matches = values.map(Self.isMatch)
        ranks = RankTree(matches.map { $0 ? 1 : 0 })
    }

    static func isMatch(_ value: Int) -> Bool { value > ItemData.median }

    mutating func assign(_ values: [(row: Int, value: Int)]) -> ExpectedChange {
        let old = values.map { (was: matches[$0.row], position: ranks.count(before: $0.row)) }
        for (row, value) in values where matches[row] != Self.isMatch(value) {
            matches[row].toggle()
            ranks.add(matches[row] ? 1 : -1, at: row)
        }
        var (deletions, insertions, modifications): ([Int], [Int], [Int]) = ([], [], [])
        for ((row, _), (was, position)) in zip(values, old) {
            switch (was, matches[row]) {
            case (true, false): deletions.append(position)
            case (false, true): insertions.append(ranks.count(before: row))
            case (true, true): modifications.append(position)
            case (false, false): break
            }
        }
        return .indices(deletions: deletions, insertions: insertions, modifications: modifications)
    }
}

/// All items, sorted by value. Items with equal values are in the order of the table.
struct SortedModel: ViewModel {
    private var values: [Int]
    private var ranks: RankTree
    /// Linked lists of the rows of each value: the first row of each value, and the next row after each row.
    private var first: [Int32]
    private var next: [Int32]

    init(_ values: [Int]) {
        self.values = values
        var counts = [Int](repeating: 0, count: ItemData.values)
        first = [Int32](repeating: -1, count: ItemData.values)
        next = [Int32](repeating: -1, count: values.count)
        for (row, value) in values.enumerated() {
            counts[value] += 1
            next[row] = first[value]
            first[value] = Int32(row)
        }
        ranks = RankTree(counts)
    }

    mutating func assign(_ values: [(row: Int, value: Int)]) -> ExpectedChange {
        let old = values.map { position(of: $0.row) }
        for (row, value) in values {
            remove(row)
            self.values[row] = value
            insert(row)
        }
        return .reordered(old: old.sorted(), new: values.map { position(of: $0.row) }.sorted())
    }

    /// Returns the number of rows with smaller values.
    func count(below value: Int) -> Int { ranks.count(before: value) }

    /// Returns the position of a row in the view.
    func position(of row: Int) -> Int {
        let value = values[row]
        var position = ranks.count(before: value)
        var other = first[value]
        while other >= 0 {
            if other < row { position += 1 }
            other = next[Int(other)]
        }
        return position
    }

    private mutating func insert(_ row: Int) {
        let value = values[row]
        next[row] = first[value]
        first[value] = Int32(row)
        ranks.add(1, at: value)
    }

    private mutating func remove(_ row: Int) {
        let value = values[row]
        ranks.add(-1, at: value)
        if first[value] == row {
            first[value] = next[row]
            return
        }
        var other = Int(first[value])
        while next[other] != row { other = Int(next[other]) }
        next[other] = next[row]
    }
}

/// A tree of the numbers of elements at places, which counts the elements before a place in O(log n).
struct RankTree {
    /// A Fenwick tree: node i (from 1) holds the sum of the places up to i, as many as the value of its lowest set bit.
    private var nodes: [Int]

    init(_ counts: [Int]) {
        nodes = [0] + counts
        for node in 1..<nodes.count {
            let parent = node + node & -node
            if parent < nodes.count { nodes[parent] += nodes[node] }
        }
    }

    mutating func add(_ change: Int, at place: Int) {
        var node = place + 1
        while node < nodes.count {
            nodes[node] += change
            node += node & -node
        }
    }

    /// Returns the number of elements before a place.
    func count(before place: Int) -> Int {
        var (node, sum) = (place, 0)
        while node > 0 {
            sum += nodes[node]
            node &= node - 1
        }
        return sum
    }
}
