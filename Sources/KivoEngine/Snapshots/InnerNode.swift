/// An inner node of a table's radix tree: 64 children with the number of rows below each.
///
///     ┌────────────────────────────┐
///     │   0  owner                 │
///     │   8  counts   64 × UInt32  │
///     │ 264  children 64 × pointer │
///     └────────────────────────────┘
///
/// An unowned view: the memory lives as long as a pinned version reaches it.
struct InnerNode {
    let base: UnsafeMutableRawPointer

    static let fanoutBits = 6
    static let fanout = 1 << fanoutBits
    static let byteCount = 8 + fanout * 12

    var counts: UnsafeMutablePointer<UInt32> { (base + 8).assumingMemoryBound(to: UInt32.self) }
    var children: UnsafeMutablePointer<UnsafeMutableRawPointer?> {
        (base + 8 + InnerNode.fanout * 4).assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    }

    /// Returns the node at an index, loading it from its file if necessary. Returns nil if there are no rows below.
    @inline(__always)
    func child(_ index: Int, level: Int) -> UnsafeMutableRawPointer? {
        NodeSlot.node(children + index, level == 1 ? .leaf : .inner)
    }

    static func make(_ memory: WriteMemory) -> InnerNode {
        let block = memory.allocate(byteCount)
        (block + 8).initializeMemory(as: UInt8.self, repeating: 0, count: byteCount - 8)
        return InnerNode(base: block)
    }

    var total: Int { (0..<InnerNode.fanout).reduce(0) { $0 + Int(counts[$1]) } }

    /// Returns the child that contains the row at a position, and the number of rows before that child. Counts are summed eight
    /// at a time.
    @inline(__always)
    func child(containing position: Int) -> (index: Int, before: Int) {
        var before = 0
        var index = 0
        while true {
            let eight = UnsafeRawPointer(counts + index).loadUnaligned(as: SIMD8<UInt32>.self)
            let sum = Int(eight.wrappedSum())
            if position < before + sum { break }
            before += sum
            index += 8
        }
        while position >= before + Int(counts[index]) {
            before += Int(counts[index])
            index += 1
        }
        return (index, before)
    }

    /// Returns the index of the child that contains a leaf index, at a level (1 is just above the leaves).
    @inline(__always)
    static func childIndex(_ leafIndex: Int, level: Int) -> Int {
        (leafIndex >> (fanoutBits * (level - 1))) & (fanout - 1)
    }
}
