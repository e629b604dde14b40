/// The eviction of nodes from the newest version: what is the same in a file is removed from memory, and read again when it is needed.
///
/// A node is evicted in two steps, which are two passes of the clock of a ``PageCache``. The first pass puts the node's page in place
/// of its address. A reader that comes to the page before the second pass finds the node, and puts the address back; otherwise the
/// second pass evicts the node. So reading an address costs nothing more, and what is used again stays.
///
///     slot of the parent        table of the file         node
///     address            ───────────────────────────────►  clean      in use
///     page               ──►    address, unused     ──►   clean      passed once
///     page                      no address                retired    passed twice: evicted
///
/// Readers may use the address as long as they see their version. Therefore an eviction makes a version, with the contents of the one
/// before: what was evicted is freed like what a commit replaced, once all older versions are unpinned. Nobody copies a node of the
/// newest version meanwhile, because the caller holds the write lock: a copy could retain an address that this takes away.
package struct Eviction {
    private let snapshot: Snapshot
    private let catalog: Catalog
    private let memory: WriteMemory
    /// The number of bytes of the evicted nodes, approximately.
    private var byteCount = 0

    /// Creates an eviction from the newest version, which the caller has pinned.
    ///
    /// - Parameter id: The number of a transaction, which has no other blocks.
    package init(_ snapshot: Snapshot, _ catalog: Catalog, _ heap: Heap, id: UInt64) {
        self.snapshot = snapshot
        self.catalog = catalog
        memory = WriteMemory(id: id, heap: heap)
    }

    /// Evicts nodes until those in memory are below the limit of the cache. Returns the commit with the version without them, or
    /// nil if none was evicted.
    ///
    /// - Precondition: The caller holds the write lock, and no transaction is built on the version.
    package mutating func commit() -> Commit? {
        memory.heap.cache.turn { pass(over: $0) }
        guard byteCount > 0 else {
            _ = memory.commit()
            return nil
        }
        var retired = memory.commit()
        retired.evictedByteCount = byteCount
        return Commit(id: memory.id, snapshot: snapshot, changes: RowChangeSet(), retired: retired)
    }

    /// Passes the clock over a node.
    private mutating func pass(over entry: PageCache.Entry) -> ClockPass {
        guard let file = PageFiles.file(entry.page.file), let slot = snapshot.slot(of: entry.expected) else {
            return .gone
        }
        let pass = file.passClock(over: entry.page.offset, slot) { evictSequences(below: $0, entry.expected) }
        if case .evicted(let reference) = pass {
            byteCount += entry.byteCount
            retire(reference, entry.expected)
        }
        return pass
    }

    // MARK: Sequences

    /// Evicts the sequences of a leaf, or the keys of a bucket, that have pages of their own. The slots of the node refer to the pages
    /// then, and whoever needs a sequence reads it again.
    private mutating func evictSequences(
        below reference: UnsafeMutableRawPointer, _ expected: PageExpectation
    ) {
        switch expected {
        case .tree(let node):
            let leaf = Leaf(base: reference)
            for (index, column) in catalog.tables[Int(node.table)].columns.enumerated()
            where column.kind == .sequence || column.kind == .keySet {
                let (data, expected) = (leaf.column(index).data, ExpectedSequenceNode(column))
                let element = column.kind == .sequence ? column.element : nil
                leaf.occupied.forEach { evict(data + $0 * 8, expected, element) }
            }
        default:
            let bucket = HashIndex.Bucket(reference)
            for index in 0..<bucket.count { evict(bucket.keySlot(index), .keys, nil) }
        }
    }

    /// Evicts a node of a sequence that has a page of its own, and before it those below it. `element` is nil for keys.
    private mutating func evict(
        _ slot: UnsafeMutableRawPointer, _ expected: ExpectedSequenceNode, _ element: ElementKind?
    ) {
        let word = NodeSlot.load(slot)
        guard word != 0, word & 1 == 0,
            let page = PageReference(stub: UInt64(word))
                ?? UnsafeMutableRawPointer(bitPattern: word).flatMap({ PageReference(ofNode: $0) }),
            let base = PageFiles.file(page.file)?.takeNode(
                at: page.offset, slot, .sequence(expected),
                { evictChildren(of: SequenceNode(base: $0), expected, element) })
        else { return }
        let node = SequenceNode(base: base)
        let bytes = node.isLeaf ? node.capacity * (element?.stride ?? 8) : SequenceNode.fanout * 16
        byteCount += bytes
        memory.heap.cache.forgetSequence(byteCount: bytes)
        node.evict(element, memory)
    }

    private mutating func evictChildren(
        of node: SequenceNode, _ expected: ExpectedSequenceNode, _ element: ElementKind?
    ) {
        if node.isLeaf { return }
        for index in 0..<node.count {
            evict(
                UnsafeMutableRawPointer(node.children + index),
                expected.child(ofLevel: node.level, total: node.totals[index]), element)
        }
    }

    private func retire(_ reference: UnsafeMutableRawPointer, _ expected: PageExpectation) {
        switch expected {
        case .tree(let node):
            Leaf(base: reference).evict(catalog.tables[Int(node.table)], memory)
        default: HashIndex.Bucket(reference).evict(memory)
        }
    }
}

extension Snapshot {
    /// Returns the slot that leads to a leaf or to a bucket, or nil if there is none with nodes in memory above it.
    fileprivate func slot(of expected: PageExpectation) -> UnsafeMutableRawPointer? {
        switch expected {
        case .tree(let node): table(TableID(node.table)).header?.slot(ofLeaf: node.prefix)
        case .index(let node): table(TableID(node.table)).header?.slot(of: node)
        case .sequence, .value: nil
        }
    }
}

extension TableHeader {
    fileprivate func slot(of bucket: ExpectedIndexNode) -> UnsafeMutableRawPointer? {
        guard Int(bucket.ordinal) < indexCount else { return nil }
        var slot = UnsafeMutableRawPointer(indexes + Int(bucket.ordinal))
        let hash = bucket.level == 0 ? 0 : bucket.prefix << UInt64(64 - 4 * Int(bucket.level))
        for level in 0..<Int(bucket.level) {
            guard let node = NodeSlot.loadedNode(slot), !HashIndex.isBucket(node) else { return nil }
            slot = UnsafeMutableRawPointer(HashIndex.children(node) + HashIndex.child(hash, level))
        }
        return slot
    }
}
