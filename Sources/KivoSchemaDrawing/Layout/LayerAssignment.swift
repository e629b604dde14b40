/// An assignment of a graph's boxes to layers.
///
/// Edges lead to the right. In each cycle some edges must lead back: as few as a greedy choice finds. Then boxes move closer to
/// their neighbours, and layers that are much higher than the intended picture are spread over several ones.
struct LayerAssignment {
    /// The layer of each box, from 0.
    private(set) var layers: [Int]
    private let graph: LayeredGraph
    /// The edges, reversed where necessary so that they lead to the right, without edges from a box to itself.
    private var arcs: [(from: Int, to: Int)] = []

    init(_ graph: LayeredGraph) {
        self.graph = graph
        layers = Array(repeating: 0, count: graph.boxes.count)
        let rank = LayerAssignment.ranks(graph)
        for edge in graph.edges where edge.source != edge.target {
            let isForward = rank[edge.source] < rank[edge.target]
            arcs.append(isForward ? (edge.source, edge.target) : (edge.target, edge.source))
        }
        assignLongestPaths(rank)
        pullTogether(rank)
        spread()
    }

    /// Returns the ranks of the boxes in an order with few backward edges. Boxes without outgoing edges go to the end, and boxes
    /// without incoming edges to the start. In a cycle, the box with the largest excess of outgoing edges goes first.
    private static func ranks(_ graph: LayeredGraph) -> [Int] {
        var outgoing = Array(repeating: 0, count: graph.boxes.count)
        var incoming = outgoing
        var neighbours = Array(repeating: [(box: Int, isOutgoing: Bool)](), count: graph.boxes.count)
        for edge in graph.edges where edge.source != edge.target {
            outgoing[edge.source] += 1
            incoming[edge.target] += 1
            neighbours[edge.source].append((edge.target, true))
            neighbours[edge.target].append((edge.source, false))
        }
        var ranks = Array(repeating: 0, count: graph.boxes.count)
        var rest = Array(graph.boxes.indices)
        var (first, last) = (0, graph.boxes.count - 1)
        while !rest.isEmpty {
            let sink = rest.firstIndex { outgoing[$0] == 0 }
            let index =
                sink ?? rest.firstIndex { incoming[$0] == 0 }
                ?? rest.indices.max { a, b in
                    let (x, y) = (rest[a], rest[b])
                    return (outgoing[x] - incoming[x], -x) < (outgoing[y] - incoming[y], -y)
                }!
            let box = rest.remove(at: index)
            if sink != nil {
                ranks[box] = last
                last -= 1
            } else {
                ranks[box] = first
                first += 1
            }
            for neighbour in neighbours[box] {
                if neighbour.isOutgoing { incoming[neighbour.box] -= 1 } else { outgoing[neighbour.box] -= 1 }
            }
        }
        return ranks
    }

    private mutating func assignLongestPaths(_ rank: [Int]) {
        let outgoing = Dictionary(grouping: arcs, by: \.from)
        for box in graph.boxes.indices.sorted(by: { rank[$0] < rank[$1] }) {
            for arc in outgoing[box] ?? [] { layers[arc.to] = max(layers[arc.to], layers[box] + 1) }
        }
    }

    /// Moves boxes to the right if this shortens the total length of their edges.
    private mutating func pullTogether(_ rank: [Int]) {
        for box in graph.boxes.indices.sorted(by: { rank[$0] > rank[$1] }) {
            let outgoing = arcs.filter { $0.from == box }
            let incoming = arcs.count { $0.to == box }
            guard let nearest = outgoing.map({ layers[$0.to] }).min(), outgoing.count > incoming else {
                continue
            }
            layers[box] = max(layers[box], nearest - 1)
        }
    }

    /// Moves boxes out of layers that are too high: first to the right, if they have no edges to the next layer, then to the
    /// left, if they have none from the previous layer.
    private mutating func spread() {
        let area = graph.boxes.reduce(0) {
            $0 + ($1.width + $1.margin + 100) * ($1.height + LayeredGraph.boxGap)
        }
        let tallest = graph.boxes.map(\.height).max() ?? 0
        let limit = max(tallest, (area * 0.7).squareRoot())
        var layer = 0
        while layer <= layers.max()! {
            while height(layer) > limit, let box = movable(from: layer, by: 1) { layers[box] += 1 }
            layer += 1
        }
        layer = layers.max()!
        while layer >= layers.min()! {
            while height(layer) > limit, let box = movable(from: layer, by: -1) { layers[box] -= 1 }
            layer -= 1
        }
        let first = layers.min()!
        layers = layers.map { $0 - first }
    }

    private func height(_ layer: Int) -> Double {
        var height = -LayeredGraph.boxGap
        for box in layers.indices where layers[box] == layer {
            height += graph.boxes[box].height + LayeredGraph.boxGap
        }
        return height
    }

    /// Returns the box of a layer that can move to the next one and has the fewest edges. Of several such boxes it is the middle
    /// one, so that the remaining boxes are above and below its edges. Returns nil if there is none, or if the layer would become
    /// empty.
    private func movable(from layer: Int, by step: Int) -> Int? {
        let boxes = layers.indices.filter { layers[$0] == layer }
        guard boxes.count > 1 else { return nil }
        let movable = boxes.filter { box in
            arcs.allSatisfy { arc in
                step > 0
                    ? arc.from != box || layers[arc.to] > layer + 1
                    : arc.to != box || layers[arc.from] < layer - 1
            }
        }
        guard let fewest = movable.map(edgeCount).min() else { return nil }
        let best = movable.filter { edgeCount($0) == fewest }
        return best[best.count / 2]
    }

    private func edgeCount(_ box: Int) -> Int { arcs.count { $0.from == box || $0.to == box } }
}
