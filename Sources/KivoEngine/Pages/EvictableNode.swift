/// A node that can be evicted on its own: a leaf of a table or a bucket of an index.
package struct EvictableNode {
    /// The word that refers to the node.
    package let reference: UnsafeMutableRawPointer
    /// The description of the node's page.
    package let expected: PageExpectation
    /// The number of bytes that the node takes in memory, approximately.
    package let byteCount: Int

    /// Creates the description of a leaf of a version.
    init(_ leaf: Leaf, _ expected: ExpectedTreeNode, _ spec: TableSpec) {
        reference = leaf.base
        self.expected = .tree(expected)
        byteCount = leaf.residentByteCount(spec)
    }

    /// Creates the description of a bucket of a version.
    init(_ bucket: HashIndex.Bucket, _ expected: ExpectedIndexNode) {
        reference = bucket.reference
        self.expected = .index(expected)
        byteCount = HashIndex.Bucket.byteCount(bucket.capacity) + EvictableNode.overhead
    }

    /// Creates the description of a node that was read from a page. Returns nil if it is none that can be evicted.
    package init?(
        _ reference: UnsafeMutableRawPointer, _ expected: PageExpectation, _ catalog: Catalog
    ) {
        switch expected {
        case .tree(let node) where node.level == 0:
            self.init(Leaf(base: reference), node, catalog.tables[Int(node.table)])
        case .index(let node) where HashIndex.isBucket(reference):
            self.init(HashIndex.Bucket(reference), node)
        default: return nil
        }
    }

    /// The bytes that the allocator and the tables of pages take for a node.
    private static let overhead = 112
}

extension Leaf {
    /// Removes the leaf, its values and the sequences in its page from the newest version, which has a page in their place.
    func evict(_ spec: TableSpec, _ memory: WriteMemory) {
        for (index, column) in spec.columns.enumerated() {
            let buffer = self.column(index)
            occupied.forEach { slot in
                switch column.kind {
                case .string, .bytes, .any:
                    // Values in pages of their own stay in the newest version.
                    guard let bits = buffer.ownedBits(slot, column.kind), bits.page == nil,
                        !bits.isTrivial(memory.heap.strings)
                    else { return }
                    // An older version no longer leads to the leaf either, but its readers may have the address.
                    memory.retire(bits, storedBy: OwnedBits.unknownTransaction)
                case .sequence, .keySet:
                    SequenceNode.partOfPage(buffer.data + slot * 8)?.evict(column.element, memory)
                case .word, .wide, .link: break
                }
            }
        }
        retire(memory)
    }
}

extension HashIndex.Bucket {
    /// Removes the bucket and the keys in its page from the newest version, which has a page in their place.
    func evict(_ memory: WriteMemory) {
        for index in 0..<count { SequenceNode.partOfPage(keySlot(index))?.evict(nil, memory) }
        memory.retire(base)
    }
}

extension SequenceNode {
    /// Removes a node and its elements from the newest version. `element` is nil for keys.
    func evict(_ element: ElementKind?, _ memory: WriteMemory) {
        if let element, element.isReference, isLeaf {
            for index in 0..<count {
                let slot = elements + index * element.stride
                if let (bits, id) = element.ownedBits(slot, memory.heap), bits.page == nil {
                    memory.retire(bits, storedBy: id)
                }
            }
        }
        memory.retire(base)
    }
}
