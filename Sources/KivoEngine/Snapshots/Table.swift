/// A table of a snapshot, for reading.
///
/// An unowned view: valid as long as its ``Snapshot``.
package struct Table {
    let header: TableHeader?

    /// The number of rows. O(1).
    package var count: Int { header?.count ?? 0 }

    /// A key above all keys that were allocated in this or an earlier version.
    package var nextKey: ObjectKey { header?.nextKey ?? 1 }

    /// Returns the leaf whose span contains a key, or nil if there is none. O(height).
    @inline(__always)
    package func leaf(containing key: ObjectKey) -> Leaf? {
        guard let header, var node = header.rootNode else { return nil }
        let leafIndex = header.leafIndex(of: key)
        guard header.covers(leafIndex) else { return nil }
        var level = header.height
        while level > 0 {
            guard
                let child = InnerNode(base: node).child(
                    InnerNode.childIndex(leafIndex, level: level), level: level)
            else { return nil }
            node = child
            level -= 1
        }
        return Leaf(base: node)
    }

    /// Returns the leaf whose span contains a key if it is in memory, else nil. O(height).
    func residentLeaf(containing key: ObjectKey) -> Leaf? {
        guard let header, key > 0, let slot = header.slot(ofLeaf: header.leafIndex(of: key)) else {
            return nil
        }
        return NodeSlot.loadedNode(slot).map { Leaf(base: $0) }
    }

    /// Returns the leaf and slot of an object, or nil if there is no object with this key. O(height).
    @inline(__always)
    package func locate(_ key: ObjectKey) -> (leaf: Leaf, slot: Int)? {
        guard key > 0, let leaf = leaf(containing: key), let slot = leaf.slot(of: key) else { return nil }
        return (leaf, slot)
    }

    /// Returns whether there is an object with this key. O(height).
    package func contains(_ key: ObjectKey) -> Bool { locate(key) != nil }

    /// Returns the key at a position in ascending order. O(height · fanout).
    package func key(at position: Int) -> ObjectKey {
        let located = leafContaining(position)
        return located.row(at: position).key
    }

    /// A leaf and the positions of its rows.
    package struct LocatedLeaf {
        /// The leaf.
        package let leaf: Leaf
        /// The position of the first row.
        package let start: Int
        /// The number of rows.
        package let count: Int
        fileprivate let firstKey: ObjectKey
        fileprivate let isFull: Bool

        /// Returns the row at a position within the leaf. For a full leaf, this needs no read of the leaf.
        @inline(__always)
        package func row(at position: Int) -> (key: ObjectKey, slot: Int) {
            if isFull { return (firstKey + ObjectKey(position - start), position - start) }
            let slot = leaf.occupied.select(position - start)
            return (leaf.key(ofSlot: slot), slot)
        }
    }

    /// Returns the leaf that contains a position. Traps if the position is out of range.
    package func leafContaining(_ position: Int) -> LocatedLeaf {
        guard let header, var node = header.rootNode, position >= 0, position < header.count else {
            fatalError("position \(position) is outside of a table of \(count) rows")
        }
        var rest = position
        var leafIndex = 0
        var count = header.count
        var level = header.height
        while level > 0 {
            let inner = InnerNode(base: node)
            let (child, before) = inner.child(containing: rest)
            rest -= before
            count = Int(inner.counts[child])
            leafIndex = leafIndex << InnerNode.fanoutBits | child
            node = inner.child(child, level: level)!
            level -= 1
        }
        let shift = header.leafShift
        return LocatedLeaf(
            leaf: Leaf(base: node), start: position - rest, count: count,
            firstKey: ObjectKey(leafIndex) << shift, isFull: count == 1 << shift)
    }

    /// Returns the number of rows with a smaller key. O(height · fanout).
    package func position(of key: ObjectKey) -> Int {
        guard let header, var node = header.rootNode else { return 0 }
        let leafIndex = header.leafIndex(of: key)
        if !header.covers(leafIndex) { return header.count }
        var before = 0
        var level = header.height
        while level > 0 {
            let inner = InnerNode(base: node)
            let index = InnerNode.childIndex(leafIndex, level: level)
            for child in 0..<index { before += Int(inner.counts[child]) }
            guard let child = inner.child(index, level: level) else { return before }
            node = child
            level -= 1
        }
        return before + Leaf(base: node).rank(of: key)
    }

    /// Returns the existing rows of a block, as the offsets of their keys.
    package func keyBits(in block: KeyBlock) -> Bits256 {
        var bits = Bits256()
        var leaf = nextLeaf(from: block.key(at: 0))
        while let next = leaf, next.block == block {
            bits = bits | next.keyBits(of: next.occupied)
            leaf = nextLeaf(after: next)
        }
        return bits
    }

    /// Returns the leaf after one of this version, or nil if there is none. O(height · fanout).
    package func nextLeaf(after leaf: Leaf) -> Leaf? {
        nextLeaf(from: leaf.firstKey + ObjectKey(leaf.span))
    }

    /// Returns the first leaf whose span ends above a key, or nil if there is none. O(height · fanout).
    package func nextLeaf(from key: ObjectKey) -> Leaf? {
        guard let header, let root = header.rootNode else { return nil }
        let leafIndex = header.leafIndex(of: key)
        guard header.covers(leafIndex) else { return nil }
        return Table.nextLeaf(root, level: header.height, base: 0, from: leafIndex)
    }

    private static func nextLeaf(
        _ node: UnsafeMutableRawPointer, level: Int, base: Int, from leafIndex: Int
    ) -> Leaf? {
        if level == 0 { return base >= leafIndex ? Leaf(base: node) : nil }
        let inner = InnerNode(base: node)
        let shift = InnerNode.fanoutBits * (level - 1)
        let first = base > leafIndex ? 0 : (leafIndex - base) >> shift
        guard first < InnerNode.fanout else { return nil }
        for index in first..<InnerNode.fanout {
            guard let child = inner.child(index, level: level) else { continue }
            let leaf = nextLeaf(child, level: level - 1, base: base + index << shift, from: leafIndex)
            if let leaf { return leaf }
        }
        return nil
    }

    /// Returns the first row whose key is at least `key`, or nil if there is none. O(height · fanout).
    func firstRow(from key: ObjectKey) -> Row? {
        if let row = row(key) { return row }
        var leaf = nextLeaf(from: key)
        while let next = leaf {
            if let slot = next.slots(from: key, to: .max).next(from: 0) {
                return Row(next, slot, next.key(ofSlot: slot))
            }
            leaf = nextLeaf(after: next)
        }
        return nil
    }

    /// Calls `body` with each leaf in ascending order until it returns false.
    package func forEachLeaf(_ body: (Leaf) -> Bool) {
        guard let header, let root = header.rootNode else { return }
        _ = Table.forEachLeaf(root, level: header.height, body)
    }

    private static func forEachLeaf(
        _ node: UnsafeMutableRawPointer, level: Int, _ body: (Leaf) -> Bool
    ) -> Bool {
        if level == 0 { return body(Leaf(base: node)) }
        let inner = InnerNode(base: node)
        for index in 0..<InnerNode.fanout {
            guard let child = inner.child(index, level: level) else { continue }
            if !forEachLeaf(child, level: level - 1, body) { return false }
        }
        return true
    }

    /// Calls `body` with each leaf in ascending order, except those in files for which `scan` returns true.
    func forEachLeaf(orScanned scan: (PageReference) -> Bool, _ body: (Leaf) -> Void) {
        guard let header, let root = header.rootNode else { return }
        Table.forEachLeaf(root, level: header.height, orScanned: scan, body)
    }

    private static func forEachLeaf(
        _ node: UnsafeMutableRawPointer, level: Int, orScanned scan: (PageReference) -> Bool,
        _ body: (Leaf) -> Void
    ) {
        if level == 0 { return body(Leaf(base: node)) }
        let inner = InnerNode(base: node)
        for index in 0..<InnerNode.fanout {
            if level == 1, let page = NodeSlot.page(inner.children + index), scan(page) { continue }
            guard let child = inner.child(index, level: level) else { continue }
            forEachLeaf(child, level: level - 1, orScanned: scan, body)
        }
    }

    /// Calls `body` with each key in ascending order.
    package func forEachKey(_ body: (ObjectKey) -> Void) {
        forEachLeaf { leaf in
            leaf.forEachRow(in: leaf.occupied) { _, key in body(key) }
            return true
        }
    }

    /// Calls `body` with each key in ascending order until it returns false.
    package func forEachKeyWhile(_ body: (ObjectKey) -> Bool) {
        forEachLeaf { leaf in
            var continues = true
            leaf.forEachRow(in: leaf.occupied) { _, key in if continues { continues = body(key) } }
            return continues
        }
    }

    /// Returns the value of an object's column, which must not be a sequence. Traps if there is no such object.
    package func cell(_ key: ObjectKey, _ column: Int, _ kind: ColumnKind) -> Cell {
        guard let (leaf, slot) = locate(key) else { fatalError("no object of key \(key)") }
        return leaf.column(column).cell(slot, kind)
    }

    /// Returns the sequence of an object's column; empty if there is no such object.
    package func sequence(_ key: ObjectKey, _ column: Int, _ element: ElementKind) -> PersistentSequence {
        guard let (leaf, slot) = locate(key) else { return PersistentSequence(root: nil, element: element) }
        return leaf.column(column).sequence(slot, element)
    }
}

/// A row of a table, by its location in a leaf. Valid as long as its ``Snapshot``.
@usableFromInline package struct Row {
    /// The leaf that contains the row.
    package let leaf: Leaf
    /// The slot of the row in the leaf.
    package let slot: Int
    /// The key of the object.
    package let key: ObjectKey

    /// Creates a row from its leaf, slot and key.
    @inline(__always)
    package init(_ leaf: Leaf, _ slot: Int, _ key: ObjectKey) {
        self.leaf = leaf
        self.slot = slot
        self.key = key
    }
}

extension Table {
    /// Returns the row of an object, or nil if there is none.
    @inline(__always)
    package func row(_ key: ObjectKey) -> Row? {
        guard let (leaf, slot) = locate(key) else { return nil }
        return Row(leaf, slot, key)
    }
}
