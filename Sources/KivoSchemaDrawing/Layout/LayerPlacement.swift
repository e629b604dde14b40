/// The vertical positions of the nodes, in a given order of each layer, so that edges are short, and straight if they pass
/// several layers.
///
/// In each layer, a node's ideal position is where its edges are level. The positions with the least sum of squared deviations
/// that the order and the gaps allow are computed exactly, by merging nodes that would overlap.
struct LayerPlacement {
    /// The top of each node; the highest is at 0.
    private(set) var tops: [Double]
    private let chains: LayerChains
    private let order: [[Int]]

    /// A pull of an edge on a node: the ideal distance of the node's top below that of another node.
    private struct Pull {
        var node: Int
        var distance: Double
        var weight: Double
    }

    init(_ chains: LayerChains, _ order: [[Int]]) {
        self.chains = chains
        self.order = order
        tops = Array(repeating: 0, count: chains.layers.count)
        let none = Array(repeating: [Pull](), count: chains.layers.count)
        var (before, after) = (none, none)
        for segment in chains.segments.joined() {
            let lanes = (chains.isLane(segment.left) ? 1 : 0) + (chains.isLane(segment.right) ? 1 : 0)
            let weight = [1.0, 2.0, 8.0][lanes]
            let distance = segment.leftOffset - segment.rightOffset
            before[segment.right].append(Pull(node: segment.left, distance: distance, weight: weight))
            after[segment.left].append(Pull(node: segment.right, distance: -distance, weight: weight))
        }
        for layer in order.indices { arrange(layer, none) }
        for _ in 0..<6 {
            for layer in order.indices { arrange(layer, before) }
            for layer in order.indices.reversed() { arrange(layer, after) }
        }
        let both = zip(before, after).map { $0 + $1 }
        for _ in 0..<10 {
            for layer in order.indices { arrange(layer, both) }
            for layer in order.indices.reversed() { arrange(layer, both) }
        }
        let highest = tops.min() ?? 0
        for node in tops.indices { tops[node] -= highest }
    }

    private func gap(_ upper: Int, _ lower: Int) -> Double {
        chains.isLane(upper) && chains.isLane(lower)
            ? LayeredGraph.laneGap
            : chains.isLane(upper) || chains.isLane(lower) ? 14 : LayeredGraph.boxGap
    }

    /// Adjacent nodes and their best position: the top of the layer's first node, if all nodes in between were at their minimum
    /// distances.
    private struct Cluster {
        var wanted: Double
        var weight: Double
        var count: Int
    }

    private mutating func arrange(_ layer: Int, _ pulls: [[Pull]]) {
        var clusters: [Cluster] = []
        var starts: [Double] = []
        var start = 0.0
        for (index, node) in order[layer].enumerated() {
            if index > 0 {
                let above = order[layer][index - 1]
                start += chains.heights[above] + gap(above, node)
            }
            starts.append(start)
            let pulls = pulls[node]
            let weight = pulls.reduce(0) { $0 + $1.weight }
            let wanted =
                weight > 0
                ? pulls.reduce(0) { $0 + (tops[$1.node] + $1.distance) * $1.weight } / weight : tops[node]
            var cluster = Cluster(wanted: wanted - start, weight: max(weight, 0.01), count: 1)
            while let last = clusters.last, last.wanted >= cluster.wanted {
                let weight = last.weight + cluster.weight
                cluster.wanted = (last.wanted * last.weight + cluster.wanted * cluster.weight) / weight
                cluster.weight = weight
                cluster.count += last.count
                clusters.removeLast()
            }
            clusters.append(cluster)
        }
        var index = 0
        for cluster in clusters {
            for _ in 0..<cluster.count {
                tops[order[layer][index]] = cluster.wanted + starts[index]
                index += 1
            }
        }
    }
}
