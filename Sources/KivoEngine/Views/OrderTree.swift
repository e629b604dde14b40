/// The elements of a view in their order: tokens with their ranks in a ``PersistentSequence``. Positions, insertions and removals are
/// O(log n). Earlier versions exist only where they were frozen.
///
/// Owns its nodes, and shares them with frozen orders through their history. The tree is stored inline in its view: a change that
/// concerns many views reads each of them once, when none of it is in the processor's caches. Not thread-safe.
struct OrderTree: ~Copyable {
    typealias Entry = ElementOrder.Ranked

    let heap = Heap()
    private var memory: WriteMemory
    private var history: OrderHistory?
    private var sequence = PersistentSequence(root: nil, element: .wide)

    init() { memory = WriteMemory(id: 1, heap: heap) }

    deinit {
        guard let history else { return sequence.forEachBlock { heap.free($0) } }
        var nodes: [UnsafeMutableRawPointer] = []
        sequence.forEachBlock { nodes.append($0) }
        history.retire(nodes)
    }

    var count: Int { sequence.count }

    /// Fills an empty tree with entries in order.
    mutating func fill(_ entries: [Entry]) {
        precondition(count == 0, "only an empty tree is filled")
        sequence = entries.withUnsafeBytes { bytes in
            PersistentSequence(count: entries.count, .wide, memory) { elements, positions in
                let stride = MemoryLayout<Entry>.stride
                UnsafeMutableRawBufferPointer(start: elements, count: positions.count * stride).copyMemory(
                    from: UnsafeRawBufferPointer(
                        rebasing: bytes[positions.lowerBound * stride..<positions.upperBound * stride]))
            }
        }
        endEdits()
    }

    mutating func insert(_ entry: Entry, at position: Int) {
        sequence.insert(OrderTree.cell(entry), at: position, memory)
    }

    mutating func remove(at position: Int) { sequence.remove(at: position, memory) }

    /// Frees the nodes that insertions and removals replaced. Call this after them.
    func endEdits() {
        let replaced = memory.commit()
        history?.retire(replaced.blocks)
    }

    /// Returns the current order, or that of the elements in a range of positions, which stays as it is. O(1). Later edits copy the nodes that
    /// they change, each once.
    mutating func frozen(_ range: Range<Int>? = nil) -> FrozenOrder {
        let time = memory.id
        memory = WriteMemory(id: time + 1, heap: heap)
        let history = history ?? OrderHistory(heap)
        self.history = history
        return history.freeze(sequence, range ?? 0..<count, at: time)
    }

    private static func cell(_ entry: Entry) -> Cell {
        .wide(UInt64(bitPattern: entry.rank), UInt64(bitPattern: entry.token))
    }

    @inline(__always)
    static func entry(_ address: UnsafeMutableRawPointer, _ index: Int) -> Entry {
        let words = (address + index &* 16).assumingMemoryBound(to: (Int64, Int64).self)
        return Entry(rank: words.pointee.0, token: words.pointee.1)
    }

    subscript(position: Int) -> Entry { OrderTree.entry(sequence.pointer(at: position), 0) }

    /// Calls `body` with each entry at some positions in order.
    func forEach(in positions: Range<Int>, _ body: (Entry) -> Void) {
        OrderTree.forEach(of: sequence, in: positions, body)
    }

    /// Calls `body` with each entry at some positions of a version in order.
    static func forEach(
        of sequence: PersistentSequence, in positions: Range<Int>, _ body: (Entry) -> Void
    ) {
        sequence.forEachRun(in: positions) { elements, range in
            for index in 0..<range.count { body(OrderTree.entry(elements, index)) }
            return true
        }
    }

    /// Calls `body` with each entry at some positions in order until it returns false.
    func forEachWhile(in positions: Range<Int>, _ body: (Entry) -> Bool) {
        var goesOn = true
        sequence.forEachRun(in: positions) { elements, range in
            for index in 0..<range.count where goesOn { goesOn = body(OrderTree.entry(elements, index)) }
            return goesOn
        }
    }

    /// Returns the number of entries for which `isBefore` holds. These must precede all other entries. O(log n).
    @inline(__always)
    func partitionPoint(_ isBefore: (Entry) -> Bool) -> Int {
        guard let root = sequence.root else { return 0 }
        var node = SequenceNode(base: root)
        var position = 0
        while !node.isLeaf {
            // The last child whose first entry is before the position, or the first child.
            var (low, high) = (0, node.count - 1)
            while low < high {
                let middle = (low + high + 1) / 2
                if isBefore(OrderTree.first(of: node.child(middle))) {
                    low = middle
                } else {
                    high = middle - 1
                }
            }
            for index in 0..<low { position += node.totals[index] }
            node = node.child(low)
        }
        var (low, high) = (0, node.count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(OrderTree.entry(node.elements, middle)) { low = middle + 1 } else { high = middle }
        }
        return position + low
    }

    /// Returns the first position in a range whose entry is not before the position, or the end of the range. Like
    /// ``partitionPoint(_:)``, but `isBefore` is only called with entries of the range. O(log n).
    @inline(__always)
    func partitionPoint(in range: Range<Int>, _ isBefore: (Entry) -> Bool) -> Int {
        guard let root = sequence.root, !range.isEmpty else { return range.lowerBound }
        var node = SequenceNode(base: root)
        var position = 0
        while !node.isLeaf {
            // The children that hold the first and the last entry of the range.
            var (low, lowStart) = (0, position)
            while lowStart + node.totals[low] <= range.lowerBound {
                lowStart += node.totals[low]
                low += 1
            }
            var (high, highStart) = (low, lowStart)
            // The range may extend beyond this node.
            while high < node.count - 1, highStart + node.totals[high] < range.upperBound {
                highStart += node.totals[high]
                high += 1
            }
            let first = low
            while low < high {
                let middle = (low + high + 1) / 2
                if isBefore(OrderTree.first(of: node.child(middle))) {
                    low = middle
                } else {
                    high = middle - 1
                }
            }
            for index in first..<low { lowStart += node.totals[index] }
            position = lowStart
            node = node.child(low)
        }
        var low = max(0, range.lowerBound - position)
        var high = min(node.count, range.upperBound - position)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(OrderTree.entry(node.elements, middle)) { low = middle + 1 } else { high = middle }
        }
        return position + low
    }

    private static func first(of node: SequenceNode) -> Entry {
        var node = node
        while !node.isLeaf { node = node.child(0) }
        return entry(node.elements, 0)
    }

    /// Checks the nodes of the tree. O(n).
    func checkInvariants() { sequence.checkInvariants() }
}
