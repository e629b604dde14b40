/// The contents of a page, as far as they can be compared with those of others. A verification reads them instead of bringing nodes
/// in.
public struct PageContents {
    /// A page to which this one refers.
    public struct Reference {
        /// Where the page begins.
        public var offset: Int
        /// What the page has to be.
        public var expected: PageExpectation
        /// The child, the column, or the entry of a bucket that has it.
        var place: Int
        /// The word that is to lead to it.
        var slot: UnsafeMutableRawPointer

        /// Makes the empty slot lead to the page's node, where a reference does not fit: the file does so for all references of a
        /// page that it brings in.
        public func lead(to node: UnsafeMutableRawPointer) {
            slot.storeBytes(of: UInt(bitPattern: node), as: UInt.self)
        }

        /// Puts a large value in place of the empty one that stands for it, as ``lead(to:)`` does with nodes.
        public func hold(_ value: Cell) { LargeSlot.initialize(slot, value) }
    }

    /// The number of rows of a leaf, of all elements of a sequence, or of the keys in the page of a bucket; else 0.
    var count: Int
    var references: [Reference]
}

extension PageReader {
    /// The contents of the page, read as ``node()`` does. Nothing is made that lasts.
    mutating func contents() throws(PageFlaw) -> PageContents {
        defer { memory.cancel() }
        if case .value = expected {
            _ = try value()
            return PageContents(count: 0, references: [])
        }
        let (node, kind) = try looseNode()
        defer { giveUpValues(of: node, kind) }
        return PageContents(count: count(of: node, kind), references: references)
    }

    /// Gives up the strings and bytes that a node has which does not come to be.
    func giveUpValues(of node: UnsafeMutableRawPointer, _ kind: PageLayout.Kind) {
        switch expected {
        case .tree(let place) where kind == .leaf:
            Leaf(base: node).releaseValues(catalog.tables[Int(place.table)].columns)
        case .sequence(let place) where kind == .sequenceLeaf:
            SequenceNode(base: node).releaseElements(place.element, memory.heap)
        default: break
        }
    }

    /// Looks at a node whose slots are empty.
    private func count(of node: UnsafeMutableRawPointer, _ kind: PageLayout.Kind) -> Int {
        switch kind {
        case .leaf: return Leaf(base: node).occupied.count
        case .sequenceLeaf, .sequenceInner: return SequenceNode(base: node).total
        case .bucket:
            let bucket = HashIndex.Bucket(node)
            // Keys in pages of their own are not there: their slots are empty.
            return (0..<bucket.count).reduce(0) { $0 + bucket.keys($1).count }
        case .inner, .indexInner, .value: return 0
        }
    }
}
