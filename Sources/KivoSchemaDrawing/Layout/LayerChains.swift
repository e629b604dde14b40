/// A graph whose boxes are in layers, with a lane in each layer through which an edge passes. Every segment leads from one layer
/// to the next.
struct LayerChains {
    /// A part of an edge.
    struct Segment {
        var left: Int
        var right: Int
        /// The offsets of the segment's ends from the tops of their nodes.
        var leftOffset: Double
        var rightOffset: Double
    }

    /// The layer of each node. The boxes come first, by their numbers, and then the lanes.
    private(set) var layers: [Int]
    /// The height of each node.
    private(set) var heights: [Double]
    /// The nodes of each edge, from left to right.
    private(set) var chains: [[Int]] = []
    /// The segments after each layer but the last.
    private(set) var segments: [[Segment]]
    let boxCount: Int

    init(_ graph: LayeredGraph, _ boxLayers: [Int]) {
        boxCount = graph.boxes.count
        layers = boxLayers
        heights = graph.boxes.map(\.height)
        segments = Array(repeating: [], count: boxLayers.max() ?? 0)
        for edge in graph.edges {
            let isForward = boxLayers[edge.source] < boxLayers[edge.target]
            let (left, right) = isForward ? (edge.source, edge.target) : (edge.target, edge.source)
            let (leftOffset, rightOffset) =
                isForward ? (edge.sourceOffset, edge.targetOffset) : (edge.targetOffset, edge.sourceOffset)
            add(left, right, leftOffset, rightOffset)
        }
    }

    func isLane(_ node: Int) -> Bool { node >= boxCount }

    private mutating func add(_ left: Int, _ right: Int, _ leftOffset: Double, _ rightOffset: Double) {
        precondition(layers[left] < layers[right], "edges lead from one layer to another")
        var chain = [left]
        var offset = leftOffset
        for layer in layers[left]..<layers[right] {
            let isLast = layer + 1 == layers[right]
            let next = isLast ? right : layers.count
            if !isLast {
                layers.append(layer + 1)
                heights.append(LayeredGraph.laneHeight)
            }
            let nextOffset = isLast ? rightOffset : LayeredGraph.laneHeight / 2
            segments[layer].append(
                Segment(
                    left: chain[chain.count - 1], right: next, leftOffset: offset, rightOffset: nextOffset))
            chain.append(next)
            offset = nextOffset
        }
        chains.append(chain)
    }
}
