/// A parallel traversal of the trees of two versions of a table that skips the parts in common.
///
/// Pages that are not in memory are compared in the files first and loaded only if they differ. So comparing with a version that
/// was hardly read takes little memory.
struct TreeDifference {
    /// Whether pages with equal bytes contain equal values.
    let mayComparePages: Bool

    /// The tree below a node, by the slot of the node and its level above the leaves.
    private struct Subtree {
        var slot: UnsafeMutableRawPointer
        var level: Int

        /// Returns the child below a level, or nil if there is none. Above its level, a tree counts as the first child of a
        /// taller one.
        func child(_ index: Int, below level: Int) -> Subtree? {
            if self.level < level { return index == 0 ? self : nil }
            let node = InnerNode(base: NodeSlot.node(slot, level == 0 ? .leaf : .inner)!)
            let child = Subtree(slot: UnsafeMutableRawPointer(node.children + index), level: level - 1)
            return child.isEmpty ? nil : child
        }

        var isEmpty: Bool { NodeSlot.load(slot) == 0 }
        var leaf: Leaf { Leaf(base: NodeSlot.node(slot, .leaf)!) }
    }

    /// Calls `body` with the leaves of each span of keys in which the versions may differ, ascending. At least one leaf is not
    /// nil.
    func forEachPair(_ old: Table, _ new: Table, _ body: (Leaf?, Leaf?) -> Void) {
        let roots = (root(old), root(new))
        traverse(roots.0, roots.1, level: max(roots.0?.level ?? 0, roots.1?.level ?? 0), body)
    }

    private func root(_ table: Table) -> Subtree? {
        guard let header = table.header else { return nil }
        let tree = Subtree(slot: UnsafeMutableRawPointer(header.rootSlot), level: header.height)
        return tree.isEmpty ? nil : tree
    }

    private func traverse(_ old: Subtree?, _ new: Subtree?, level: Int, _ body: (Leaf?, Leaf?) -> Void) {
        if old == nil, new == nil { return }
        if let old, let new, old.level == new.level, areSame(old, new) { return }
        if level == 0 { return body(old?.leaf, new?.leaf) }
        for index in 0..<InnerNode.fanout {
            traverse(
                old?.child(index, below: level), new?.child(index, below: level), level: level - 1, body)
        }
    }

    private func areSame(_ old: Subtree, _ new: Subtree) -> Bool {
        let words = (NodeSlot.load(old.slot), NodeSlot.load(new.slot))
        if words.0 == words.1 { return true }
        guard mayComparePages, let first = PageReference(stub: UInt64(words.0)),
            let second = PageReference(stub: UInt64(words.1)),
            let bytes = PageFiles.file(of: first).bytes(at: first.offset),
            let others = PageFiles.file(of: second).bytes(at: second.offset)
        else { return false }
        return bytes.withUnsafeBytes { a in
            others.withUnsafeBytes { b in PageLayout.areEqual(a, b) }
        }
    }
}

extension PageLayout {
    /// Whether two complete pages certainly have the same contents, wherever they are stored. Pages with references are not
    /// comparable, because equal contents may be at different offsets.
    fileprivate static func areEqual(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
        a.count == b.count && references(a).isEmpty && a[checksumSize...].elementsEqual(b[checksumSize...])
    }
}
