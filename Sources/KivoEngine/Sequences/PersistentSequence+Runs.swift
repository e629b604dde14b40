/// Insertion and removal of runs of elements. Nodes are filled and emptied as a whole, and each is visited once.
extension PersistentSequence {
    /// Inserts elements before a position (0 ... count). `cell` returns each by its index among them. O(elements + log n).
    ///
    /// At the end leaves are filled completely. Elsewhere the new elements and those of the affected leaf are spread evenly.
    /// `cell` is called in order, once for each element.
    mutating func insert(
        _ number: Int, at position: Int, _ memory: WriteMemory, _ cell: (Int) -> Cell
    ) {
        precondition(position >= 0 && position <= count, "position out of range")
        if number == 0 { return }
        var nodes: [SequenceNode]
        if let root {
            var node = SequenceNode(base: root)
            let siblings = insert(number, at: position, into: &node, memory, cell)
            self.root = node.base
            if siblings.isEmpty { return }
            nodes = [node] + siblings
        } else {
            nodes = makeLeaves(0..<number, memory, cell)
        }
        while nodes.count > 1 {
            let level = nodes[0].level + 1
            nodes = parts(of: nodes.count, capacity: SequenceNode.fanout, arePacked: true).map { part in
                let inner = SequenceNode.makeInner(level: level, memory)
                inner.setChildren(nodes[part])
                return inner
            }
        }
        root = nodes[0].base
    }

    /// Inserts below a node, which is replaced by a writable one. Returns its new right siblings.
    private func insert(
        _ number: Int, at position: Int, into node: inout SequenceNode, _ memory: WriteMemory,
        _ cell: (Int) -> Cell
    ) -> [SequenceNode] {
        memory.countWork(1)
        if node.isLeaf { return insert(number, at: position, intoLeaf: &node, memory, cell) }
        node = node.writable(stride: element.stride, memory)
        let (index, start) = node.child(containing: position)
        let isLast = index == node.count - 1
        var child = node.child(index)
        let siblings = insert(number, at: position - start, into: &child, memory, cell)
        node.children[index] = child.base
        node.totals[index] = child.total
        if node.count + siblings.count <= node.capacity {
            for (offset, sibling) in siblings.enumerated() {
                node.insertChild(sibling, at: index + 1 + offset)
            }
            node.total += number
            return []
        }
        var children = (0..<node.count).map { node.child($0) }
        children.insert(contentsOf: siblings, at: index + 1)
        let groups = parts(of: children.count, capacity: node.capacity, arePacked: isLast)
        node.setChildren(children[groups[0]])
        return groups.dropFirst().map { group in
            let right = SequenceNode.makeInner(level: node.level, memory)
            right.setChildren(children[group])
            return right
        }
    }

    private func insert(
        _ number: Int, at position: Int, intoLeaf leaf: inout SequenceNode, _ memory: WriteMemory,
        _ cell: (Int) -> Cell
    ) -> [SequenceNode] {
        let stride = element.stride
        let (kept, total) = (leaf.count, leaf.count + number)
        guard total > SequenceNode.leafCapacity, position < kept else {
            // This also covers appending to a leaf that overflows: it is filled, and the rest gets new leaves.
            let filled = min(total, SequenceNode.leafCapacity)
            if filled == kept { return makeLeaves(0..<number, memory, cell) }
            leaf = leaf.writable(capacity: SequenceNode.leafCapacity(for: filled), stride: stride, memory)
            let slot = leaf.elements + position * stride
            let run = filled - kept
            if position < kept {
                (slot + run * stride).copyMemory(from: slot, byteCount: (kept - position) * stride)
            }
            initialize(slot, 0..<run, memory, cell)
            (leaf.count, leaf.total) = (filled, filled)
            return run == number ? [] : makeLeaves(run..<number, memory, cell)
        }
        let source = leaf
        let leaves = parts(of: total, capacity: SequenceNode.leafCapacity, arePacked: false).map { part in
            let leaf = SequenceNode.makeLeaf(capacity: SequenceNode.leafCapacity, stride: stride, memory)
            // The elements before the position, the new ones, and those after the position.
            let before = part.clamped(to: 0..<position)
            let new = part.clamped(to: position..<position + number)
            let following = part.clamped(to: position + number..<total)
            var slot = leaf.elements
            slot.copyMemory(
                from: source.elements + before.lowerBound * stride, byteCount: before.count * stride)
            slot += before.count * stride
            initialize(slot, new.lowerBound - position..<new.upperBound - position, memory, cell)
            slot += new.count * stride
            slot.copyMemory(
                from: source.elements + (following.lowerBound - number) * stride,
                byteCount: following.count * stride)
            (leaf.count, leaf.total) = (part.count, part.count)
            return leaf
        }
        memory.retire(source.base)
        leaf = leaves[0]
        return Array(leaves.dropFirst())
    }

    /// Returns full leaves of new elements, and one leaf with the rest.
    private func makeLeaves(
        _ indexes: Range<Int>, _ memory: WriteMemory, _ cell: (Int) -> Cell
    ) -> [SequenceNode] {
        parts(of: indexes.count, capacity: SequenceNode.leafCapacity, arePacked: true).map { part in
            memory.countWork(1)
            let leaf = SequenceNode.makeLeaf(
                capacity: SequenceNode.leafCapacity(for: part.count), stride: element.stride, memory)
            let start = indexes.lowerBound + part.lowerBound
            initialize(leaf.elements, start..<start + part.count, memory, cell)
            (leaf.count, leaf.total) = (part.count, part.count)
            return leaf
        }
    }

    private func initialize(
        _ slot: UnsafeMutableRawPointer, _ indexes: Range<Int>, _ memory: WriteMemory, _ cell: (Int) -> Cell
    ) {
        if element == .word {
            // Fast path for the most common kind, which avoids a check of the kind for each element.
            let words = slot.assumingMemoryBound(to: UInt64.self)
            for (offset, index) in indexes.enumerated() {
                guard case .word(let word) = cell(index) else { fatalError("no element of kind word") }
                words[offset] = word
            }
            return
        }
        var slot = slot
        for index in indexes {
            element.initialize(slot, cell(index), memory)
            slot += element.stride
        }
    }

    /// Divides a number of items among nodes: full nodes except for the last, or evenly.
    private func parts(of total: Int, capacity: Int, arePacked: Bool) -> [Range<Int>] {
        let number = (total + capacity - 1) / capacity
        return (0..<number).map { part in
            arePacked
                ? part * capacity..<min(total, (part + 1) * capacity)
                : total * part / number..<total * (part + 1) / number
        }
    }

    /// Removes the elements of a range of positions. O(elements + log n).
    mutating func remove(_ range: Range<Int>, _ memory: WriteMemory) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "position out of range")
        if range.isEmpty { return }
        if range.count == count { return removeAll(memory) }
        var node = SequenceNode(base: root!)
        remove(range, from: &node, memory)
        while !node.isLeaf, node.count == 1 {
            memory.retire(node.base)
            node = node.child(0)
        }
        root = node.base
    }

    /// Removes some elements, but not all, below a node, which is replaced by a writable one.
    private func remove(_ range: Range<Int>, from node: inout SequenceNode, _ memory: WriteMemory) {
        memory.countWork(1)
        let stride = element.stride
        node = node.writable(stride: stride, memory)
        node.total -= range.count
        if node.isLeaf {
            let slot = node.elements + range.lowerBound * stride
            retireElements(slot, range.count, memory)
            slot.copyMemory(
                from: slot + range.count * stride, byteCount: (node.count - range.upperBound) * stride)
            node.count -= range.count
            return
        }
        var (index, start) = node.child(containing: range.lowerBound)
        let first = index
        var removedCount = 0
        while start < range.upperBound {
            var child = node.child(index)
            let positions = start..<start + child.total
            let part = range.clamped(to: positions)
            if part == positions {
                PersistentSequence(root: child.base, element: element).retireAll(memory)
                removedCount += 1
            } else {
                remove(part.lowerBound - start..<part.upperBound - start, from: &child, memory)
                node.children[index - removedCount] = child.base
                node.totals[index - removedCount] = child.total
            }
            start = positions.upperBound
            index += 1
        }
        if removedCount > 0 {
            let moved = node.count - index
            (node.totals + index - removedCount).update(from: node.totals + index, count: moved)
            (node.children + index - removedCount).update(from: node.children + index, count: moved)
            node.count -= removedCount
        }
        // At most two of the children that lost elements remain.
        for shrunk in [first + 1, first] where shrunk < node.count {
            let child = node.child(shrunk)
            if child.count <= child.capacity / 4 { merge(node, around: shrunk, memory) }
        }
    }

    private func retireElements(_ elements: UnsafeMutableRawPointer, _ number: Int, _ memory: WriteMemory) {
        guard element.isReference else { return }
        for index in 0..<number { element.retire(elements + index * element.stride, memory) }
    }

    /// Removes all elements and nodes from the newest version.
    func retireAll(_ memory: WriteMemory) {
        if element.isReference {
            forEachRun { elements, range in
                retireElements(elements, range.count, memory)
                return true
            }
        }
        forEachBlock {
            memory.countWork(1)
            memory.retire($0)
        }
    }
}

extension SequenceNode {
    /// Returns the capacity of a leaf for a number of elements. Capacities grow in steps.
    static func leafCapacity(for count: Int) -> Int {
        var capacity = 4
        while capacity < count { capacity *= 4 }
        return min(capacity, leafCapacity)
    }

    /// Returns this leaf if the transaction owns it and it has the capacity; otherwise a copy.
    fileprivate func writable(capacity: Int, stride: Int, _ memory: WriteMemory) -> SequenceNode {
        if capacity <= self.capacity { return writable(stride: stride, memory) }
        let larger = SequenceNode.makeLeaf(capacity: capacity, stride: stride, memory)
        larger.elements.copyMemory(from: elements, byteCount: count * stride)
        (larger.count, larger.total) = (count, count)
        memory.retire(base)
        return larger
    }

    /// Replaces the children of this node.
    fileprivate func setChildren(_ nodes: ArraySlice<SequenceNode>) {
        (count, total) = (0, 0)
        for node in nodes {
            insertChild(node, at: count)
            total += node.total
        }
    }
}
