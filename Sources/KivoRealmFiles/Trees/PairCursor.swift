/// A cursor over the keys and values of a dictionary, ordered by key.
package struct PairCursor {
    private let view: FileView
    private var keys: LeafCursor
    private var values: LeafCursor
    /// The pairs in descending order, collected if the file has them in another order; nil otherwise.
    private var sorted: [(key: RawValue, value: RawValue)]?

    /// The leaves of one half of a dictionary, with a position in the current leaf.
    private struct LeafCursor {
        var cursor: ElementCursor
        var leaf: Leaf?
        var count = 0
        var index = 0

        init(_ cursor: ElementCursor) { self.cursor = cursor }

        mutating func next(_ view: FileView) throws(RealmFileError) -> RawValue? {
            while index == count {
                leaf = try cursor.next()
                guard let leaf else { return nil }
                count = leaf.count
                index = 0
            }
            defer { index += 1 }
            return try leaf!.value(at: index, view)
        }
    }

    /// - Parameter root: The root of the dictionary, or 0 if it is empty.
    package init(root: Int64, intKeys: Bool, _ view: FileView) throws(RealmFileError) {
        self.view = view
        let kind = ElementKind(type: intKeys ? .int : .string, isNullable: !intKeys)
        if root == 0 || view.version == 21 || view.version == 22 {
            keys = LeafCursor(try ElementCursor(root: 0, kind, view))
            values = LeafCursor(try ElementCursor(root: 0, .mixed, view))
            if root != 0 { sorted = try PairCursor.sorted(PairCursor.clusterPairs(root, kind, view), root) }
            return
        }
        let node = try view.node(at: root)
        let slots = try node.references("a dictionary")
        guard slots.count == 2, !node.isInner else {
            throw node.damaged("a dictionary has \(slots.count) parts, not 2")
        }
        let keys = try ElementCursor(root: slots.slot(0).ref, kind, view)
        let values = try ElementCursor(root: slots.slot(1).ref, .mixed, view)
        guard keys.count == values.count else {
            throw node.damaged("a dictionary has \(keys.count) keys and \(values.count) values")
        }
        self.keys = LeafCursor(keys)
        self.values = LeafCursor(values)
        if try !PairCursor.areAscending(keys, view) {
            try PairCursor.checkCount(keys.count, root, view)
            var pairs: [(key: RawValue, value: RawValue)] = []
            pairs.reserveCapacity(keys.count)
            while let pair = try next() { pairs.append(pair) }
            sorted = try PairCursor.sorted(pairs, root)
        }
    }

    /// Returns the number of pairs of a dictionary.
    package static func count(root: Int64, intKeys: Bool, _ view: FileView) throws(RealmFileError) -> Int {
        if root == 0 { return 0 }
        if view.version == 21 || view.version == 22 { return try ClusterCursor.count(root: root, view) }
        let node = try view.node(at: root)
        let kind = ElementKind(type: intKeys ? .int : .string, isNullable: !intKeys)
        return try ElementCursor(root: node.references("a dictionary").slot(0).ref, kind, view).count
    }

    /// Returns the next pair, or nil at the end.
    package mutating func next() throws(RealmFileError) -> (key: RawValue, value: RawValue)? {
        if sorted != nil { return sorted!.popLast() }
        guard let key = try keys.next(view), let value = try values.next(view) else { return nil }
        return (try PairCursor.key(key), value)
    }

    /// Returns a valid key. A key that is stored as null is an empty string.
    private static func key(_ value: RawValue) throws(RealmFileError) -> RawValue {
        switch value {
        case .null: return .string(RawBytes(UnsafeRawPointer(bitPattern: 8)!, 0))
        case .string(let bytes) where bytes.pieces != 0:
            throw .damaged(
                offset: Int(truncatingIfNeeded: bytes.pieces), reason: "a dictionary key is too long")
        default: return value
        }
    }

    private static func areAscending(_ keys: ElementCursor, _ view: FileView) throws(RealmFileError) -> Bool {
        var keys = LeafCursor(keys)
        var last: RawValue?
        while let next = try keys.next(view) {
            let key = try key(next)
            if let last, order(last, key) >= 0 { return false }
            last = key
        }
        return true
    }

    /// Returns the pairs in descending order.
    private static func sorted(
        _ pairs: consuming [(key: RawValue, value: RawValue)], _ root: Int64
    ) throws(RealmFileError) -> [(key: RawValue, value: RawValue)] {
        pairs.sort { order($0.key, $1.key) > 0 }
        for index in pairs.indices.dropFirst() where order(pairs[index - 1].key, pairs[index].key) == 0 {
            throw .damaged(offset: Int(truncatingIfNeeded: root), reason: "a dictionary has a key twice")
        }
        return pairs
    }

    /// Throws if there are too many pairs to collect.
    private static func checkCount(_ count: Int, _ root: Int64, _ view: FileView) throws(RealmFileError) {
        guard count <= view.pairLimit else {
            throw .damaged(
                offset: Int(truncatingIfNeeded: root),
                reason: "a dictionary has more keys than fit into the file")
        }
    }

    private static func order(_ left: RawValue, _ right: RawValue) -> Int {
        switch (left, right) {
        case (.string(let left), .string(let right)): left.order(right)
        case (.int(let left), .int(let right)): left < right ? -1 : left == right ? 0 : 1
        default: 0
        }
    }

    /// Returns the pairs of a dictionary of formats 21 and 22. Its tree is like that of a table, ordered by hashes of the keys,
    /// with the keys in the first column and the values in the second.
    private static func clusterPairs(
        _ root: Int64, _ kind: ElementKind, _ view: FileView
    ) throws(RealmFileError) -> [(key: RawValue, value: RawValue)] {
        var pairs: [(key: RawValue, value: RawValue)] = []
        var clusters = try ClusterCursor(root: root, view)
        try checkCount(clusters.count, root, view)
        pairs.reserveCapacity(clusters.count)
        while let cluster = try clusters.next() {
            if cluster.count == 0 { continue }
            let keys = try cluster.leaf(ColumnLayout(leafIndex: 0, element: kind), view)
            let values = try cluster.leaf(ColumnLayout(leafIndex: 1, element: .mixed), view)
            for index in 0..<cluster.count {
                pairs.append((try key(keys.value(at: index, view)), try values.value(at: index, view)))
            }
        }
        return pairs
    }
}
