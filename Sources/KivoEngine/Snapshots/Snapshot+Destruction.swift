extension Snapshot {
    /// Releases everything that this version owns when the store is closed. The newest version owns all nodes. Nodes in files
    /// that were not loaded are skipped.
    func destroy(_ catalog: Catalog, _ heap: Heap) {
        for id in 0..<tableCount {
            guard let block = headers[id] else { continue }
            let header = TableHeader(base: block)
            let columns = catalog.tables[id].columns
            if let root = NodeSlot.loadedNode(header.rootSlot) {
                Snapshot.destroy(root, level: header.height, columns, heap)
            }
            for ordinal in 0..<header.indexCount {
                HashIndex(root: NodeSlot.loadedNode(header.indexes + ordinal))
                    .forEachBlock(isLoaded: true) { heap.free($0) }
            }
            heap.free(block)
        }
        heap.free(base)
    }

    private static func destroy(
        _ node: UnsafeMutableRawPointer, level: Int, _ columns: [ColumnSpec], _ heap: Heap
    ) {
        if level > 0 {
            let inner = InnerNode(base: node)
            for index in 0..<InnerNode.fanout {
                if let child = NodeSlot.loadedNode(inner.children + index) {
                    destroy(child, level: level - 1, columns, heap)
                }
            }
            heap.free(node)
            return
        }
        let leaf = Leaf(base: node)
        for (index, column) in columns.enumerated() {
            let buffer = leaf.column(index)
            leaf.occupied.forEach { slot in
                switch column.kind {
                case .string, .bytes, .any: buffer.ownedBits(slot, column.kind)?.release()
                case .sequence:
                    let root = NodeSlot.loadedNode(buffer.data + slot * 8)
                    PersistentSequence(root: root, element: column.element!).destroy(heap)
                case .keySet:
                    KeyMultiset(loadedSlot: buffer.data + slot * 8)
                        .forEachBlock(isLoaded: true) { heap.free($0) }
                case .word, .wide, .link: break
                }
            }
        }
        leaf.forEachBlock { heap.free($0) }
    }
}
