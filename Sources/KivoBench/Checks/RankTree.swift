/// Counts elements by places, so that how many there are before a place is known in O(log n).
struct RankTree {
    /// A Fenwick tree: node i (from 1) holds the sum of as many places up to i as its lowest bit says.
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

    /// How many elements are at places before that one.
    func count(before place: Int) -> Int {
        var (node, sum) = (place, 0)
        while node > 0 {
            sum += nodes[node]
            node &= node - 1
        }
        return sum
    }
}
