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
