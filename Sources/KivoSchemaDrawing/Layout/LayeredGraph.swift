/// A graph of boxes and edges, to be laid out in layers from left to right.
struct LayeredGraph {
    /// A rectangle.
    struct Box {
        /// The visible size.
        var width: Double
        var height: Double
        /// The free space to the right.
        var margin = 0.0
    }

    /// An edge from one box to another one. The offsets of its ends are from the tops of the boxes. The layout determines on
    /// which sides the ends are.
    struct Edge {
        var source: Int
        var target: Int
        var sourceOffset: Double
        var targetOffset: Double
    }

    struct Point: Equatable {
        var x: Double
        var y: Double
    }

    /// The positions of all boxes and edges.
    struct Layout {
        /// The upper left corners of the boxes.
        var origins: [Point]
        /// The route of each edge from source to target. After each point with an even index the route is straight up to the next
        /// point. After a point with an odd index it passes from one layer to another.
        var routes: [[Point]]
        var width: Double
        var height: Double
    }

    var boxes: [Box]
    var edges: [Edge]

    /// The distance between a box and the one below it.
    static let boxGap = 22.0
    /// The height of the lane of an edge that passes through a layer.
    static let laneHeight = 4.0
    static let laneGap = 9.0

    /// Lays out all boxes. The caller lays out unconnected parts of a graph separately.
    func layout() -> Layout {
        let layers = LayerAssignment(self).layers
        let chains = LayerChains(self, layers)
        let order = LayerOrder(chains).order
        let tops = LayerPlacement(chains, order).tops
        return layout(chains, order, tops)
    }

    private func layout(_ chains: LayerChains, _ order: [[Int]], _ tops: [Double]) -> Layout {
        var lefts: [Double] = []
        var rights: [Double] = []
        var x = 0.0
        for layer in order.indices {
            let width = order[layer].map { node in
                node < boxes.count ? boxes[node].width + boxes[node].margin : 0
            }.max()!
            lefts.append(x)
            rights.append(x + width)
            let crossing = layer < chains.segments.count ? chains.segments[layer].count : 0
            x += width + min(150, 56 + 5 * Double(crossing))
        }
        let origins = boxes.indices.map { Point(x: lefts[chains.layers[$0]], y: tops[$0]) }
        let routes = edges.indices.map { index in
            route(edges[index], chains.chains[index], chains, origins, lefts, rights, tops)
        }
        let height = chains.heights.indices.map { tops[$0] + chains.heights[$0] }.max() ?? 0
        return Layout(origins: origins, routes: routes, width: rights.last ?? 0, height: height)
    }

    /// Returns the route of an edge through the nodes of its chain. The chain runs from left to right, even if the edge does not.
    private func route(
        _ edge: Edge, _ chain: [Int], _ chains: LayerChains, _ origins: [Point], _ lefts: [Double],
        _ rights: [Double], _ tops: [Double]
    ) -> [Point] {
        let (first, last) = (chain[0], chain[chain.count - 1])
        let isBackward = first != edge.source
        let (firstOffset, lastOffset) =
            isBackward ? (edge.targetOffset, edge.sourceOffset) : (edge.sourceOffset, edge.targetOffset)
        var points = [
            Point(x: origins[first].x + boxes[first].width, y: tops[first] + firstOffset),
            Point(x: rights[chains.layers[first]], y: tops[first] + firstOffset),
        ]
        for node in chain.dropFirst().dropLast() {
            let y = tops[node] + LayeredGraph.laneHeight / 2
            points.append(Point(x: lefts[chains.layers[node]], y: y))
            points.append(Point(x: rights[chains.layers[node]], y: y))
        }
        let end = Point(x: origins[last].x, y: tops[last] + lastOffset)
        points += [end, end]
        return isBackward ? points.reversed() : points
    }
}

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
