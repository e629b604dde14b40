/// A node of a ``PersistentSequence``: a B+tree by position.
///
///     leaf                                inner
///     ┌───────────────────────────┐       ┌───────────────────────────┐
///     │   0  owner                │       │   0  owner                │
///     │   8  count     12  level=0│       │   8  count     12  level  │
///     │  16  total (= count)      │       │  16  total elements below │
///     │  24  capacity             │       │  24  capacity (64)        │
///     │  32  elements             │       │  32  64 totals, 64 nodes  │
///     └───────────────────────────┘       └───────────────────────────┘
///
/// Leaves start small and grow to 128 elements, so that a list of three costs little.
///
/// An unowned view: the memory lives as long as a pinned version reaches it.
struct SequenceNode {
    let base: UnsafeMutableRawPointer

    static let headerBytes = 32
    static let leafCapacity = 128
    static let fanout = 64

    var count: Int {
        get { Int(base.load(fromByteOffset: 8, as: Int32.self)) }
        nonmutating set { base.storeBytes(of: Int32(newValue), toByteOffset: 8, as: Int32.self) }
    }
    var level: Int { Int(base.load(fromByteOffset: 12, as: Int32.self)) }
    var isLeaf: Bool { level == 0 }
    var total: Int {
        get { base.load(fromByteOffset: 16, as: Int.self) }
        nonmutating set { base.storeBytes(of: newValue, toByteOffset: 16, as: Int.self) }
    }
    var capacity: Int { base.load(fromByteOffset: 24, as: Int.self) }

    var elements: UnsafeMutableRawPointer { base + SequenceNode.headerBytes }
    var totals: UnsafeMutablePointer<Int> { elements.assumingMemoryBound(to: Int.self) }
    var children: UnsafeMutablePointer<UnsafeMutableRawPointer> {
        (elements + SequenceNode.fanout * 8).assumingMemoryBound(to: UnsafeMutableRawPointer.self)
    }

    /// Returns the child at an index, loading it from its file if necessary.
    @inline(__always)
    func child(_ index: Int) -> SequenceNode {
        SequenceNode(base: NodeSlot.node(children + index, .sequence).unsafelyUnwrapped)
    }

    /// The first element below the node, which is not empty.
    var firstElement: UnsafeMutableRawPointer {
        var node = self
        while !node.isLeaf { node = node.child(0) }
        return node.elements
    }

    private static func make(level: Int, capacity: Int, bytes: Int, _ memory: WriteMemory) -> SequenceNode {
        let block = memory.allocate(headerBytes + bytes)
        block.storeBytes(of: 0, toByteOffset: 8, as: Int32.self)
        block.storeBytes(of: Int32(level), toByteOffset: 12, as: Int32.self)
        block.storeBytes(of: 0, toByteOffset: 16, as: Int.self)
        block.storeBytes(of: capacity, toByteOffset: 24, as: Int.self)
        return SequenceNode(base: block)
    }

    static func makeLeaf(capacity: Int, stride: Int, _ memory: WriteMemory) -> SequenceNode {
        make(level: 0, capacity: capacity, bytes: capacity * stride, memory)
    }

    static func makeInner(level: Int, _ memory: WriteMemory) -> SequenceNode {
        make(level: level, capacity: fanout, bytes: fanout * 16, memory)
    }

    /// Returns this node if the transaction owns it; otherwise a copy that it owns.
    func writable(stride: Int, _ memory: WriteMemory) -> SequenceNode {
        if memory.owns(base) { return self }
        let bytes = isLeaf ? capacity * stride : SequenceNode.fanout * 16
        return SequenceNode(base: memory.copy(base, byteCount: SequenceNode.headerBytes + bytes))
    }

    /// Returns the child that contains a position, and the position of its first element. For the position at the end, returns
    /// the last child.
    @inline(__always)
    func child(containing position: Int) -> (index: Int, start: Int) {
        var index = 0
        var start = 0
        let last = count - 1
        let totals = totals
        // Eight children at once: a node has up to 64.
        while index + 8 <= last {
            let sum = UnsafeRawPointer(totals + index).loadUnaligned(as: SIMD8<Int>.self).wrappedSum()
            if position < start + sum { break }
            (start, index) = (start + sum, index + 8)
        }
        while index < last, position >= start + totals[index] {
            start += totals[index]
            index += 1
        }
        return (index, start)
    }

    /// Inserts a child at an index. The node must have room.
    func insertChild(_ node: SequenceNode, at index: Int) {
        let moved = count - index
        (totals + index + 1).update(from: totals + index, count: moved)
        (children + index + 1).update(from: children + index, count: moved)
        totals[index] = node.total
        children[index] = node.base
        count += 1
    }

    func removeChild(at index: Int) {
        let moved = count - index - 1
        (totals + index).update(from: totals + index + 1, count: moved)
        (children + index).update(from: children + index + 1, count: moved)
        count -= 1
    }

    /// Returns the root in a slot of a sequence or of keys if it is a node in the page of its row or bucket.
    static func partOfPage(_ slot: UnsafeMutableRawPointer) -> SequenceNode? {
        let word = NodeSlot.load(slot)
        // Sets of one key have no node.
        guard word & 1 == 0, word != 0, PageReference(stub: UInt64(word)) == nil,
            let base = UnsafeMutableRawPointer(bitPattern: word), PageReference(ofNode: base) == nil
        else { return nil }
        return SequenceNode(base: base)
    }
}
