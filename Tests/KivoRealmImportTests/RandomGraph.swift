import RealmFileBuilding

/// Objects that link to each other in every way, and own parts, which own others.
struct RandomGraph {
    struct Node {
        var key: Int64
        var id: Int
        var next: Int?
        var many: [Int] = []
        var seen: [Int] = []
        var own: Int?
        var parts: [Int] = []
    }

    struct Part {
        var number: Int
        var sub: Int?
    }

    private(set) var nodes: [Node] = []
    private(set) var parts: [Part] = []

    init(using random: inout some RandomNumberGenerator) {
        let count = Int.random(in: 0...40, using: &random)
        var key: Int64 = -1
        let ids = Array(-count..<count).shuffled(using: &random)
        for index in 0..<count {
            key +=
                Int.random(in: 0..<3, using: &random) > 0 ? 1 : Int64.random(in: 1...1 << 33, using: &random)
            nodes.append(Node(key: key, id: ids[index]))
        }
        for index in nodes.indices {
            func some(_ random: inout some RandomNumberGenerator) -> Int {
                Int.random(in: 0..<count, using: &random)
            }
            if Bool.random(using: &random) { nodes[index].next = some(&random) }
            for _ in 0..<Int.random(in: 0...6, using: &random) { nodes[index].many.append(some(&random)) }
            nodes[index].seen = Set((0..<Int.random(in: 0...6, using: &random)).map { _ in some(&random) })
                .sorted()
            if Bool.random(using: &random) { nodes[index].own = makePart(&random) }
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                nodes[index].parts.append(makePart(&random))
            }
        }
    }

    private mutating func makePart(_ random: inout some RandomNumberGenerator) -> Int {
        let place = parts.count
        parts.append(Part(number: Int.random(in: -1000...1000, using: &random)))
        if Int.random(in: 0..<3, using: &random) == 0 { parts[place].sub = makePart(&random) }
        return place
    }

    /// A file with the classes `GraphNode` and `GraphPart`.
    func file() -> [UInt8] {
        var builder = FileBuilder()
        func key(_ place: Int) -> Int64 { nodes[place].key }
        func lists(_ lists: [[Int64]]) -> Int64 {
            let refs = lists.map { $0.isEmpty ? 0 : builder.integers($0) }
            return builder.references(refs)
        }
        let leaves = [
            builder.integers(nodes.map { Int64($0.id) }),
            builder.integers(nodes.map { $0.next.map { key($0) + 1 } ?? 0 }),
            lists(nodes.map { $0.many.map(key) }), lists(nodes.map { $0.seen.map(key) }),
            builder.integers(nodes.map { $0.own.map { Int64($0) + 1 } ?? 0 }),
            lists(nodes.map { $0.parts.map { Int64($0) } }),
        ]
        let nodeRoot = builder.cluster(keys: nodes.map(\.key), leaves)
        let nodeTable = builder.table(
            [
                FileBuilder.Column(name: "id", type: 0),
                FileBuilder.Column(name: "next", type: 12, attributes: 16, target: 0),
                FileBuilder.Column(name: "many", type: 12, attributes: 32, target: 0),
                FileBuilder.Column(name: "seen", type: 12, attributes: 128, target: 0),
                FileBuilder.Column(name: "own", type: 12, attributes: 16, target: 1),
                FileBuilder.Column(name: "parts", type: 12, attributes: 32, target: 1),
            ], root: nodeRoot)
        let partLeaves = [
            builder.integers(parts.map { Int64($0.number) }),
            builder.integers(parts.map { $0.sub.map { Int64($0) + 1 } ?? 0 }),
        ]
        // A cluster has no more objects than 256.
        let partRoot = builder.cluster(keys: parts.indices.map { Int64($0) }, partLeaves)
        let partTable = builder.table(
            [
                FileBuilder.Column(name: "number", type: 0),
                FileBuilder.Column(name: "sub", type: 12, attributes: 16, target: 1),
            ], root: partRoot, index: 1, isEmbedded: true)
        return builder.finish([("class_GraphNode", nodeTable), ("class_GraphPart", partTable)])
    }
}
