/// An order of the nodes in each layer with few edge crossings.
///
/// Layer by layer, forwards and backwards, nodes are sorted by the mean position of their neighbours. In each pass, adjacent
/// nodes are exchanged while this reduces crossings. The best order of all passes is kept.
struct LayerOrder {
    /// The nodes of each layer, from top to bottom.
    private(set) var order: [[Int]]
    private let chains: LayerChains
    private var positions: [Int]
    /// The ends of each node's segments, in the previous and in the next layer.
    private var before: [[End]]
    private var after: [[End]]

    /// The other end of a segment.
    private struct End {
        var node: Int
        /// The offset of the segment on that node, as a fraction of its height.
        var there: Double
        /// The offset of the segment on this node, as a fraction of its height.
        var here: Double
    }

    private static let passes = 24

    init(_ chains: LayerChains) {
        self.chains = chains
        order = Array(repeating: [], count: (chains.layers.max() ?? -1) + 1)
        for node in chains.layers.indices { order[chains.layers[node]].append(node) }
        positions = Array(repeating: 0, count: chains.layers.count)
        before = Array(repeating: [], count: chains.layers.count)
        after = before
        for segment in chains.segments.joined() {
            let left = segment.leftOffset / (chains.heights[segment.left] + 1)
            let right = segment.rightOffset / (chains.heights[segment.right] + 1)
            after[segment.left].append(End(node: segment.right, there: right, here: left))
            before[segment.right].append(End(node: segment.left, there: left, here: right))
        }
        notePositions()
        var best = order
        var fewest = crossings
        for pass in 0..<LayerOrder.passes where fewest > 0 {
            sweep(isForward: pass % 2 == 0)
            exchangeNeighbours()
            let count = crossings
            if count < fewest { (fewest, best) = (count, order) }
        }
        order = best
    }

    private mutating func notePositions() {
        for layer in order { for (index, node) in layer.enumerated() { positions[node] = index } }
    }

    private mutating func sweep(isForward: Bool) {
        let layers = isForward ? Array(order.indices.dropFirst()) : order.indices.dropLast().reversed()
        for layer in layers {
            let wanted = order[layer].map { node in
                let ends = isForward ? before[node] : after[node]
                if ends.isEmpty { return Double(positions[node]) }
                return ends.reduce(0) { $0 + Double(positions[$1.node]) + $1.there } / Double(ends.count)
            }
            let sorted = order[layer].indices.sorted { (wanted[$0], $0) < (wanted[$1], $1) }
            order[layer] = sorted.map { order[layer][$0] }
            notePositions()
        }
    }

    private mutating func exchangeNeighbours() {
        for _ in 0..<8 {
            var isBetter = false
            for layer in order.indices {
                for index in order[layer].indices.dropLast() {
                    let (a, b) = (order[layer][index], order[layer][index + 1])
                    guard crossings(b, above: a) < crossings(a, above: b) else { continue }
                    order[layer].swapAt(index, index + 1)
                    (positions[a], positions[b]) = (index + 1, index)
                    isBetter = true
                }
            }
            if !isBetter { return }
        }
    }

    /// Returns the number of crossings between the segments of two nodes of a layer, if one is above the other.
    private func crossings(_ upper: Int, above lower: Int) -> Int {
        crossings(before[upper], before[lower]) + crossings(after[upper], after[lower])
    }

    private func crossings(_ upper: [End], _ lower: [End]) -> Int {
        var count = 0
        for a in upper {
            for b in lower where Double(positions[a.node]) + a.there > Double(positions[b.node]) + b.there {
                count += 1
            }
        }
        return count
    }

    /// The total number of crossings.
    var crossings: Int {
        var count = 0
        for layer in order {
            for index in layer.indices {
                for next in layer[(index + 1)...] { count += crossings(after[layer[index]], after[next]) }
                count += crossings(after[layer[index]])
            }
        }
        return count
    }

    /// Returns the number of crossings between segments of one node.
    private func crossings(_ ends: [End]) -> Int {
        var count = 0
        for a in ends {
            for b in ends where a.here < b.here {
                if Double(positions[a.node]) + a.there > Double(positions[b.node]) + b.there { count += 1 }
            }
        }
        return count
    }
}
