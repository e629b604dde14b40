/// A cursor over the objects of a table, cluster by cluster.
///
/// The tree is traversed on demand. A traversal always ends: its depth is limited, and it visits no more nodes than fit into the
/// file.
package struct ClusterCursor {
    private let view: FileView
    /// The offset of the root, for errors.
    private let root: Int
    /// The number of objects in the whole tree, as stored in the root.
    let count: Int
    private var single: Cluster?
    private var path: [Level] = []
    private var remainingNodes: Int
    private var remainingObjects: Int

    /// The maximum depth: with 8 bits of a key for each level, 64 bits need no more.
    private static let deepest = 8

    package init(root: Int64, _ view: FileView) throws(RealmFileError) {
        self.view = view
        self.root = Int(truncatingIfNeeded: root)
        let node = try view.node(at: root)
        if node.isInner {
            let level = try Level(node, offset: 0, view)
            count = level.total
            path.append(level)
        } else {
            let cluster = try Cluster(node, offset: 0, view)
            count = cluster.count
            single = cluster
        }
        remainingObjects = count
        remainingNodes = view.nodeLimit(count)
    }

    /// Returns the number of objects in a tree, as stored in its root.
    static func count(root: Int64, _ view: FileView) throws(RealmFileError) -> Int {
        try ClusterCursor(root: root, view).count
    }

    /// Returns the next cluster, or nil at the end.
    package mutating func next() throws(RealmFileError) -> Cluster? {
        if let cluster = single {
            single = nil
            remainingObjects = 0
            return cluster
        }
        while let level = path.last {
            guard level.next < level.count else {
                path.removeLast()
                continue
            }
            path[path.count - 1].next += 1
            remainingNodes -= 1
            guard remainingNodes >= 0 else {
                throw .damaged(offset: root, reason: "a table has more parts than fit into the file")
            }
            let (node, offset) = try level.child(level.next, view)
            if node.isInner {
                guard path.count < ClusterCursor.deepest else { throw node.damaged("a table is too deep") }
                path.append(try Level(node, offset: offset, view))
                continue
            }
            let cluster = try Cluster(node, offset: offset, view)
            remainingObjects -= cluster.count
            guard remainingObjects >= 0 else { break }
            return cluster
        }
        guard remainingObjects == 0 else {
            throw .damaged(offset: root, reason: "a table does not have the \(count) objects it should have")
        }
        return nil
    }

    /// Returns the cluster with the object at a position, and its index there, or nil beyond the last object.
    static func find(
        position: Int, root: Int64, _ view: FileView
    ) throws(RealmFileError) -> (cluster: Cluster, index: Int)? {
        var position = position
        var (node, offset) = (try view.node(at: root), Int64(0))
        var depth = 0
        descent: while node.isInner {
            depth += 1
            guard depth <= deepest else { throw node.damaged("a table is too deep") }
            let level = try Level(node, offset: offset, view)
            for index in 0..<level.count {
                let child = try level.child(index, view)
                let count =
                    child.node.isInner
                    ? try Level(child.node, offset: 0, view).total
                    : try Cluster(child.node, offset: 0, view).count
                if position < count {
                    (node, offset) = child
                    continue descent
                }
                position -= count
            }
            return nil
        }
        let cluster = try Cluster(node, offset: offset, view)
        return position < cluster.count ? (cluster, position) : nil
    }

    /// Returns the cluster with the object that has a key, and its index there, or nil if there is none.
    static func find(
        key: Int64, root: Int64, _ view: FileView
    ) throws(RealmFileError) -> (cluster: Cluster, index: Int)? {
        var (node, offset) = (try view.node(at: root), Int64(0))
        var depth = 0
        while node.isInner {
            depth += 1
            guard depth <= deepest else { throw node.damaged("a table is too deep") }
            let level = try Level(node, offset: offset, view)
            var first = 0
            var end = level.count
            while first < end {
                let middle = (first + end) / 2
                if level.childOffset(middle) <= key { first = middle + 1 } else { end = middle }
            }
            if first == 0 { return nil }
            (node, offset) = try level.child(first - 1, view)
        }
        let cluster = try Cluster(node, offset: offset, view)
        return cluster.index(ofKey: key).map { (cluster, $0) }
    }
}

extension ClusterCursor {
    /// An inner node.
    fileprivate struct Level {
        private static let mostChildren = 256

        private let node: Node
        private let slots: IntegerArray
        private let offset: Int64
        /// The keys, or nil if the keys of each child follow those of the previous one.
        private let keys: IntegerArray?
        private let shift: Int
        let count: Int
        let total: Int
        var next = 0

        init(_ node: Node, offset: Int64, _ view: FileView) throws(RealmFileError) {
            self.node = node
            self.offset = offset
            slots = try node.references("a part of a table")
            count = slots.count - 3
            guard count >= 0, count <= Level.mostChildren else {
                throw node.damaged("a table in \(count) parts")
            }
            guard let depth = slots.slot(1).tagged, (1...8).contains(depth) else {
                throw node.damaged("the depth of a table is missing")
            }
            guard let total = slots.slot(2).tagged, total <= UInt64(view.elementLimit) else {
                throw node.damaged("the number of objects in a table is missing or too large")
            }
            shift = 8 * Int(depth)
            self.total = Int(total)
            switch slots.slot(0) {
            case .none: keys = nil
            case .ref(let ref):
                let keys = try view.node(at: ref).integers("the first keys of the parts of a table")
                guard keys.count == count else { throw node.damaged("a table has parts without keys") }
                self.keys = keys
            case .tagged: throw node.damaged("a number stands where keys should be")
            }
        }

        /// Returns the number that is added to the keys of a child. Overflows are detected when the sums become keys.
        func childOffset(_ index: Int) -> Int64 {
            let relative = keys.map { $0.unsigned(index) } ?? UInt64(index) << UInt64(shift)
            return offset &+ Int64(bitPattern: relative)
        }

        func child(_ index: Int, _ view: FileView) throws(RealmFileError) -> (node: Node, offset: Int64) {
            guard case .ref(let ref) = slots.slot(3 + index) else {
                throw node.damaged("a part of a table is missing")
            }
            return (try view.node(at: ref), childOffset(index))
        }
    }
}
