/// What a page says, as far as it can be compared with others: what a verification looks at instead of bringing nodes in.
struct PageContents {
    /// A page that this one leads to.
    struct Reference {
        var offset: Int
        /// The child, the column, or the entry of a bucket that has it.
        var place: Int
        /// The word that is to lead to it.
        var slot: UnsafeMutableRawPointer
    }

    /// What the node of the page is.
    enum Node {
        /// The level of an inner node of a table, and the numbers of rows below.
        case inner(level: Int, counts: [(index: Int, count: Int)])
        /// A leaf of a table: its first key, the highest key of a row, the number of rows.
        case leaf(TableID, first: ObjectKey, highest: ObjectKey, count: Int)
        /// The leaf of a sequence, with its number of elements.
        case sequenceLeaf(ElementKind, count: Int)
        /// The level of an inner node of a sequence, and the numbers of elements below.
        case sequenceInner(ElementKind, level: Int, totals: [Int])
        /// The hashes of a bucket, and how many keys it has itself.
        case bucket(hashes: [UInt64], keyCount: Int)
        /// An inner node of an index.
        case indexInner
    }

    var node: Node
    var references: [Reference]
}

extension PageReader {
    /// What the page says, by reading it as ``node(_:)`` does. Nothing is made that lasts.
    mutating func contents(_ role: NodeRole) throws(PageFlaw) -> PageContents {
        defer { memory.cancel() }
        let (node, kind, references) = try looseNode(role)
        defer { giveUpValues(of: node, kind) }
        return PageContents(node: contents(of: node, kind), references: references)
    }

    /// Gives up the strings and bytes that a node has which does not come to be.
    func giveUpValues(of node: UnsafeMutableRawPointer, _ kind: PageLayout.Kind) {
        switch kind {
        case .leaf: Leaf(base: node).releaseValues(catalog.tables[table].columns)
        case .sequenceLeaf: SequenceNode(base: node).releaseElements(element, memory.heap)
        default: break
        }
    }

    /// Looks at a node whose slots are empty.
    func contents(of node: UnsafeMutableRawPointer, _ kind: PageLayout.Kind) -> PageContents.Node {
        switch kind {
        case .inner:
            let counts = InnerNode(base: node).counts
            let below = (0..<InnerNode.fanout).map { (index: $0, count: Int(counts[$0])) }
            return .inner(level: level, counts: below.filter { $0.count > 0 })
        case .leaf:
            let leaf = Leaf(base: node)
            var highest: ObjectKey = 0
            leaf.forEachRow(in: leaf.occupied) { highest = $1 }
            return .leaf(table, first: leaf.firstKey, highest: highest, count: leaf.occupied.count)
        case .sequenceLeaf:
            return .sequenceLeaf(element, count: SequenceNode(base: node).count)
        case .sequenceInner:
            let sequence = SequenceNode(base: node)
            let totals = (0..<sequence.count).map { sequence.totals[$0] }
            return .sequenceInner(element, level: level, totals: totals)
        case .bucket:
            let bucket = HashIndex.Bucket(node)
            let hashes = (0..<bucket.count).map { bucket.entries[$0].hash }
            // Keys in pages of their own are not there: their slots are empty.
            let keyCount = (0..<bucket.count).reduce(0) { $0 + bucket.keys($1).count }
            return .bucket(hashes: hashes, keyCount: keyCount)
        case .indexInner: return .indexInner
        }
    }
}
