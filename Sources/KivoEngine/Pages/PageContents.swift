/// The contents of a page that can be compared with other pages. A verification reads them instead of loading nodes.
@usableFromInline package struct PageContents {
    /// A page to which this one refers.
    @usableFromInline package struct Reference {
        /// The offset of the page.
        @usableFromInline package var offset: Int
        /// The expected contents of the page.
        @usableFromInline package var expected: PageExpectation
        /// The child, column or bucket entry that contains the reference.
        var entryIndex: Int
        /// The word that is to refer to the page's node.
        var slot: UnsafeMutableRawPointer

        /// Stores the address of the page's node in the empty slot, where a reference does not fit. The file does this for all
        /// references of a page that it loads.
        @usableFromInline package func resolve(to node: UnsafeMutableRawPointer) {
            slot.storeBytes(of: UInt(bitPattern: node), as: UInt.self)
        }

        /// Replaces the empty placeholder by a large value, like ``resolve(to:)`` with nodes.
        @usableFromInline package func store(_ value: Cell) { LargeSlot.initialize(slot, value) }
    }

    /// The number of rows of a leaf, of all elements of a sequence, or of the keys in the page of a bucket; otherwise 0.
    var count: Int
    var references: [Reference]
}

extension PageReader {
    /// Reads the contents of the page like ``node()``, but keeps no node.
    ///
    /// - Parameter inspect: Called with the rows, if the page is a leaf.
    mutating func contents(_ inspect: (Leaf) -> Void = { _ in }) throws(PageFlaw) -> PageContents {
        defer { memory.cancel() }
        if case .value = expected {
            _ = try value()
            return PageContents(count: 0, references: [])
        }
        let (node, kind) = try unlinkedNode()
        defer { releaseValues(of: node, kind) }
        if case .tree = expected, kind == .leaf { inspect(Leaf(base: node)) }
        return PageContents(count: count(of: node, kind), references: references)
    }

    /// Releases the strings and bytes of a node that is discarded.
    func releaseValues(of node: UnsafeMutableRawPointer, _ kind: PageLayout.Kind) {
        switch expected {
        case .tree(let expected) where kind == .leaf:
            Leaf(base: node).releaseValues(catalog.tables[Int(expected.table)].columns)
        case .sequence(let expected) where kind == .sequenceLeaf:
            SequenceNode(base: node).releaseElements(expected.element, memory.heap)
        default: break
        }
    }

    /// Returns the count of a node whose slots are empty.
    private func count(of node: UnsafeMutableRawPointer, _ kind: PageLayout.Kind) -> Int {
        switch kind {
        case .leaf: return Leaf(base: node).occupied.count
        case .sequenceLeaf, .sequenceInner: return SequenceNode(base: node).total
        case .bucket:
            let bucket = HashIndex.Bucket(node)
            // Keys in pages of their own are missing because their slots are empty.
            return (0..<bucket.count).reduce(0) { $0 + bucket.keys($1).count }
        case .inner, .indexInner, .value: return 0
        }
    }
}
