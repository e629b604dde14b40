extension PersistentSequence {
    /// Creates a sequence whose elements `initialize` writes: it receives the memory of a leaf, and the positions of the elements
    /// there. The nodes are as dense as if the elements had been appended. O(count).
    init(
        count: Int, _ element: ElementKind, _ memory: WriteMemory,
        initialize: (UnsafeMutableRawPointer, Range<Int>) -> Void
    ) {
        self.init(root: nil, element: element)
        var nodes: [SequenceNode] = []
        for start in stride(from: 0, to: count, by: SequenceNode.leafCapacity) {
            let positions = start..<min(start + SequenceNode.leafCapacity, count)
            var capacity = 4
            while capacity < positions.count { capacity = min(capacity * 4, SequenceNode.leafCapacity) }
            let leaf = SequenceNode.makeLeaf(capacity: capacity, stride: element.stride, memory)
            initialize(leaf.elements, positions)
            (leaf.count, leaf.total) = (positions.count, positions.count)
            nodes.append(leaf)
        }
        var level = 0
        while nodes.count > 1 {
            level += 1
            nodes = stride(from: 0, to: nodes.count, by: SequenceNode.fanout).map { start in
                let inner = SequenceNode.makeInner(level: level, memory)
                for child in nodes[start..<min(start + SequenceNode.fanout, nodes.count)] {
                    inner.insertChild(child, at: inner.count)
                    inner.total += child.total
                }
                return inner
            }
        }
        root = nodes.first?.base
    }

    /// Inserts an element before a position (0 ... count). O(log n).
    mutating func insert(_ cell: Cell, at position: Int, _ memory: WriteMemory) {
        precondition(position >= 0 && position <= count, "position out of range")
        guard let root else {
            let leaf = SequenceNode.makeLeaf(capacity: 4, stride: element.stride, memory)
            element.initialize(leaf.elements, cell, memory)
            (leaf.count, leaf.total) = (1, 1)
            self.root = leaf.base
            return
        }
        var node = SequenceNode(base: root)
        let sibling = insert(cell, at: position, into: &node, memory)
        self.root = node.base
        guard let sibling else { return }
        let top = SequenceNode.makeInner(level: node.level + 1, memory)
        top.insertChild(node, at: 0)
        top.insertChild(sibling, at: 1)
        top.total = node.total + sibling.total
        self.root = top.base
    }

    /// Inserts below `node`, which becomes writable. Returns a new right sibling if the node was split.
    private func insert(
        _ cell: Cell, at position: Int, into node: inout SequenceNode, _ memory: WriteMemory
    ) -> SequenceNode? {
        memory.countWork(1)
        node = node.writable(stride: element.stride, memory)
        if node.isLeaf { return insert(cell, at: position, intoLeaf: &node, memory) }
        let (index, start) = node.child(containing: position)
        var child = node.child(index)
        let sibling = insert(cell, at: position - start, into: &child, memory)
        node.children[index] = child.base
        node.totals[index] = child.total
        node.total += 1
        guard let sibling else { return nil }
        if node.count < node.capacity {
            node.insertChild(sibling, at: index + 1)
            return nil
        }
        // When appending, the full node stays full, so that lists that grow at the end stay dense.
        let kept = index == node.count - 1 ? node.count : node.count / 2
        let right = SequenceNode.makeInner(level: node.level, memory)
        for moved in kept..<node.count { right.insertChild(node.child(moved), at: moved - kept) }
        node.count = kept
        if index + 1 >= kept, index + 1 - kept <= right.count {
            right.insertChild(sibling, at: index + 1 - kept)
        } else {
            node.insertChild(sibling, at: index + 1)
        }
        for inner in [node, right] { inner.total = (0..<inner.count).reduce(0) { $0 + inner.totals[$1] } }
        return right
    }

    private func insert(
        _ cell: Cell, at position: Int, intoLeaf leaf: inout SequenceNode, _ memory: WriteMemory
    ) -> SequenceNode? {
        let stride = element.stride
        if leaf.count == leaf.capacity {
            if leaf.capacity < SequenceNode.leafCapacity {
                let capacity = min(leaf.capacity * 4, SequenceNode.leafCapacity)
                let larger = SequenceNode.makeLeaf(capacity: capacity, stride: stride, memory)
                larger.elements.copyMemory(from: leaf.elements, byteCount: leaf.count * stride)
                (larger.count, larger.total) = (leaf.count, leaf.count)
                memory.retire(leaf.base)
                leaf = larger
            } else {
                let kept = position == leaf.count ? leaf.count : leaf.count / 2
                let right = SequenceNode.makeLeaf(capacity: leaf.capacity, stride: stride, memory)
                let moved = leaf.count - kept
                right.elements.copyMemory(from: leaf.elements + kept * stride, byteCount: moved * stride)
                (right.count, right.total) = (moved, moved)
                (leaf.count, leaf.total) = (kept, kept)
                if position >= kept {
                    open(right, at: position - kept, cell, memory)
                } else {
                    open(leaf, at: position, cell, memory)
                }
                return right
            }
        }
        open(leaf, at: position, cell, memory)
        return nil
    }

    /// Makes room in a leaf and initialises the element there.
    private func open(_ leaf: SequenceNode, at position: Int, _ cell: Cell, _ memory: WriteMemory) {
        let stride = element.stride
        let slot = leaf.elements + position * stride
        let moved = leaf.count - position
        if moved > 0 { (slot + stride).copyMemory(from: slot, byteCount: moved * stride) }
        element.initialize(slot, cell, memory)
        leaf.count += 1
        leaf.total += 1
    }

    /// Appends an element if the transaction owns the nodes down to the last leaf and that leaf has room. Returns the count
    /// before, or nil if the element was not appended.
    func appendInPlace(_ cell: Cell, _ memory: WriteMemory) -> Int? {
        guard let root else { return nil }
        let id = memory.id
        var node = SequenceNode(base: root)
        while true {
            guard node.base.load(as: UInt64.self) == id else { return nil }
            if node.isLeaf { break }
            node = node.child(node.count - 1)
        }
        guard node.count < node.capacity else { return nil }
        element.initialize(node.elements + node.count * element.stride, cell, memory)
        node.count += 1
        let before = SequenceNode(base: root).total
        node = SequenceNode(base: root)
        while !node.isLeaf {
            node.total += 1
            node.totals[node.count - 1] += 1
            node = node.child(node.count - 1)
        }
        node.total += 1
        return before
    }

    /// Removes the element at a position. O(log n).
    mutating func remove(at position: Int, _ memory: WriteMemory) {
        precondition(position >= 0 && position < count, "position out of range")
        var node = SequenceNode(base: root!)
        remove(at: position, from: &node, memory)
        root = node.base
        while !node.isLeaf, node.count == 1 {
            let child = node.child(0)
            memory.retire(node.base)
            root = child.base
            node = child
        }
        if node.count == 0 {
            memory.retire(node.base)
            root = nil
        }
    }

    private func remove(at position: Int, from node: inout SequenceNode, _ memory: WriteMemory) {
        memory.countWork(1)
        let stride = element.stride
        node = node.writable(stride: stride, memory)
        node.total -= 1
        if node.isLeaf {
            let slot = node.elements + position * stride
            element.retire(slot, memory)
            let moved = node.count - position - 1
            if moved > 0 { slot.copyMemory(from: slot + stride, byteCount: moved * stride) }
            node.count -= 1
            return
        }
        let (index, start) = node.child(containing: position)
        var child = node.child(index)
        remove(at: position - start, from: &child, memory)
        node.children[index] = child.base
        node.totals[index] = child.total
        if child.count == 0 {
            memory.retire(child.base)
            node.removeChild(at: index)
        } else if child.count <= child.capacity / 4 {
            merge(node, around: index, memory)
        }
    }

    /// Merges the child at `index` with a neighbour if both fit well into one node.
    func merge(_ node: SequenceNode, around index: Int, _ memory: WriteMemory) {
        let left = index > 0 ? index - 1 : index
        guard left + 1 < node.count else { return }
        let (a, b) = (node.child(left), node.child(left + 1))
        guard a.count + b.count <= min(a.capacity, b.capacity) / 2 else { return }
        let target = a.writable(stride: element.stride, memory)
        if a.isLeaf {
            (target.elements + target.count * element.stride)
                .copyMemory(from: b.elements, byteCount: b.count * element.stride)
            target.count += b.count
        } else {
            for moved in 0..<b.count { target.insertChild(b.child(moved), at: target.count) }
        }
        target.total += b.total
        memory.retire(b.base)
        node.removeChild(at: left + 1)
        node.children[left] = target.base
        node.totals[left] = target.total
    }

    /// Replaces the element at a position. O(log n).
    mutating func set(_ cell: Cell, at position: Int, _ memory: WriteMemory) {
        precondition(position >= 0 && position < count, "position out of range")
        let stride = element.stride
        var node = SequenceNode(base: root!).writable(stride: stride, memory)
        root = node.base
        var rest = position
        while !node.isLeaf {
            let (index, start) = node.child(containing: rest)
            let child = node.child(index).writable(stride: stride, memory)
            node.children[index] = child.base
            rest -= start
            node = child
        }
        let slot = node.elements + rest * stride
        element.retire(slot, memory)
        element.initialize(slot, cell, memory)
    }

    /// Moves an element so that it ends up at `target`. O(log n).
    mutating func move(from source: Int, to target: Int, _ memory: WriteMemory) {
        let cell = cell(at: source)
        remove(at: source, memory)
        insert(cell, at: target, memory)
    }

    /// Removes all elements. O(n).
    mutating func removeAll(_ memory: WriteMemory) {
        retireAll(memory)
        root = nil
    }

    /// Releases everything that the sequence owns, when the whole store is closed.
    ///
    /// - Parameter free: Frees a block; nil for the heap's own function.
    func destroy(_ heap: Heap, _ free: ((UnsafeMutableRawPointer) -> Void)? = nil) {
        forEachBlock(isLoaded: true) { block in
            let node = SequenceNode(base: block)
            if element.isReference, node.isLeaf {
                for index in 0..<node.count {
                    element.ownedBits(node.elements + index * element.stride, heap)?.bits.release()
                }
            }
            if let free { free(block) } else { heap.free(block) }
        }
    }

    /// Releases the references that a transaction stored, when it is cancelled. They are in nodes that it owns.
    func releaseElements(storedBy memory: WriteMemory) {
        guard let root, memory.owns(root) else { return }
        releaseElements(SequenceNode(base: root), memory)
    }

    private func releaseElements(_ node: SequenceNode, _ memory: WriteMemory) {
        for index in 0..<node.count {
            if node.isLeaf {
                if let (bits, storedBy) = element.ownedBits(
                    node.elements + index * element.stride, memory.heap),
                    storedBy == memory.id
                {
                    bits.release()
                }
            } else if memory.owns(node.child(index).base) {
                releaseElements(node.child(index), memory)
            }
        }
    }
}
