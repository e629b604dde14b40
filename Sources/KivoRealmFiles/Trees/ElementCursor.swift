/// A cursor over the elements of a list, a set, one half of a dictionary or a list of inverse links, leaf by leaf.
///
/// The tree is traversed on demand. A traversal always ends: its depth is limited, and it visits no more nodes than fit into the
/// file.
package struct ElementCursor {
    private let view: FileView
    private let kind: ElementKind
    /// The offset of the root, for errors.
    private let root: Int
    /// The number of elements in the whole tree, as stored in the root.
    let count: Int
    private var single: Leaf?
    private var path: [Level] = []
    private var remainingNodes: Int
    private var remainingElements: Int

    private struct Level {
        let slots: IntegerArray
        var next: Int
        /// The index after the last child's.
        let end: Int
    }

    /// The maximum depth, which exceeds the depth of a tree with any number of elements.
    private static let deepest = 8

    package init(root: Int64, _ kind: ElementKind, _ view: FileView) throws(RealmFileError) {
        self.view = view
        self.kind = kind
        self.root = Int(truncatingIfNeeded: root)
        if root == 0 {
            count = 0
        } else {
            let node = try view.node(at: root)
            if node.isInner {
                let level = try ElementCursor.level(node)
                count = try ElementCursor.total(node, level.slots)
                path.append(level)
            } else {
                let leaf = try Leaf(node, kind, inCluster: false, view)
                count = leaf.count
                single = leaf
            }
        }
        remainingElements = count
        remainingNodes = view.nodeLimit(count)
        guard count <= view.elementLimit else {
            throw .damaged(
                offset: self.root, reason: "a collection of \(count) elements is too large for the file")
        }
    }

    /// Returns the next leaf, or nil at the end.
    package mutating func next() throws(RealmFileError) -> Leaf? {
        if let leaf = single {
            single = nil
            remainingElements = 0
            return leaf
        }
        while let level = path.last {
            guard level.next < level.end else {
                path.removeLast()
                continue
            }
            path[path.count - 1].next += 1
            guard case .ref(let ref) = level.slots.slot(level.next) else {
                throw .damaged(offset: root, reason: "a part of a collection is missing")
            }
            remainingNodes -= 1
            guard remainingNodes >= 0 else {
                throw .damaged(offset: root, reason: "a collection has more parts than fit into the file")
            }
            let node = try view.node(at: ref)
            if node.isInner {
                guard path.count < ElementCursor.deepest else {
                    throw node.damaged("a collection is too deep")
                }
                path.append(try ElementCursor.level(node))
                continue
            }
            let leaf = try Leaf(node, kind, inCluster: false, view)
            remainingElements -= leaf.count
            guard remainingElements >= 0 else { break }
            return leaf
        }
        guard remainingElements == 0 else {
            throw .damaged(
                offset: root, reason: "a collection does not have the \(count) elements it should have")
        }
        return nil
    }

    /// Returns one element of a tree without reading those before it.
    static func element(
        _ index: Int, root: Int64, _ kind: ElementKind, _ view: FileView
    ) throws(RealmFileError) -> RawValue {
        var node = try view.node(at: root)
        var index = index
        var depth = 0
        while node.isInner {
            depth += 1
            guard depth <= deepest else { throw node.damaged("a collection is too deep") }
            let level = try level(node)
            let children = level.end - 1
            var child: Int
            switch level.slots.slot(0) {
            case .tagged(let size):
                guard size > 0, let size = Int(exactly: size) else {
                    throw node.damaged("the parts of a collection are empty")
                }
                child = index / size
                index %= size
            case .ref(let ref):
                let starts = try view.node(at: ref).integers("where the parts of a collection start")
                guard starts.count == children - 1 else {
                    throw node.damaged("a collection has parts without a start")
                }
                child = 0
                var end = starts.count
                while child < end {
                    let middle = (child + end) / 2
                    if starts.unsigned(middle) <= UInt64(index) { child = middle + 1 } else { end = middle }
                }
                if child > 0 { index -= Int(starts.unsigned(child - 1)) }
            case .none: throw node.damaged("it is not said where the parts of a collection start")
            }
            guard child < children, case .ref(let ref) = level.slots.slot(1 + child) else {
                throw node.damaged("a part of a collection is missing")
            }
            node = try view.node(at: ref)
        }
        let leaf = try Leaf(node, kind, inCluster: false, view)
        guard index < leaf.count else { throw node.damaged("an element of a collection is missing") }
        return try leaf.value(at: index, view)
    }

    private static func level(_ node: Node) throws(RealmFileError) -> Level {
        let slots = try node.references("a part of a collection")
        guard slots.count >= 3 else { throw node.damaged("a collection without parts") }
        return Level(slots: slots, next: 1, end: slots.count - 1)
    }

    private static func total(_ node: Node, _ slots: IntegerArray) throws(RealmFileError) -> Int {
        guard let total = slots.slot(slots.count - 1).tagged, let count = Int(exactly: total) else {
            throw node.damaged("the number of elements of a collection is missing")
        }
        return count
    }
}

/// A cursor over the keys of the objects that link to one object, from one column.
package struct InverseLinkCursor {
    private var one: Int64?
    private var cursor: ElementCursor?
    /// The number of keys.
    package let count: Int

    /// - Parameter slot: The object's slot in the column with the inverse links.
    package init(_ slot: Slot, _ view: FileView) throws(RealmFileError) {
        switch slot {
        case .none: count = 0
        case .tagged(let key):
            one = Int64(bitPattern: key)
            count = 1
        case .ref(let ref):
            // Up to format 23 this is one leaf of any length, even after the file is upgraded.
            let cursor = try ElementCursor(root: ref, .key, view)
            count = cursor.count
            self.cursor = cursor
        }
    }

    /// Returns some more keys, or nil at the end.
    package mutating func next() throws(RealmFileError) -> Keys? {
        if let key = one {
            one = nil
            return .one(key)
        }
        guard case .integers(let keys)? = try cursor?.next() else { return nil }
        return .some(keys)
    }

    /// One key, or the keys of a leaf.
    package enum Keys {
        case one(Int64)
        case some(IntegerArray)

        package var count: Int { if case .some(let keys) = self { keys.count } else { 1 } }

        package subscript(index: Int) -> Int64 {
            switch self {
            case .one(let key): key
            case .some(let keys): keys[index]
            }
        }
    }
}
