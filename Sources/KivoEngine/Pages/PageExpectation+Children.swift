extension ExpectedTreeNode {
    /// Creates the expectation of the root of a table.
    init(_ root: TableRoot) {
        self.init(
            table: Int32(root.table), level: UInt8(clamping: root.height), prefix: 0, count: root.count,
            nextKey: root.nextKey)
    }

    /// Returns the expectation of a child.
    func child(_ index: Int, count: Int) -> ExpectedTreeNode {
        var child = self
        child.level -= 1
        child.prefix = prefix << InnerNode.fanoutBits | index
        child.count = count
        return child
    }
}

extension ExpectedSequenceNode {
    /// Creates the expectation of the root of a sequence, or of a set of keys, of a column. Of sets, only keys and strings are
    /// checked for order: other elements are ordered by rules of their types that are unknown here.
    init(_ column: ColumnSpec) {
        let element = column.element ?? .link
        let isComparable = element == .link || element == .string
        self.init(
            element: element, takesNull: column.isOptional,
            order: column.kind == .keySet
                ? .ascending : column.order == .sorted && isComparable ? .unique : .any)
    }

    /// The expectation of the root of a hash's keys.
    static let keys = ExpectedSequenceNode(element: .link, takesNull: false, order: .unique)

    /// Returns the expectation of a child of a node at a level.
    func child(ofLevel level: Int, total: Int) -> ExpectedSequenceNode {
        var child = self
        (child.level, child.total) = (Int16(level - 1), total)
        return child
    }

    /// Whether an element can be null.
    func takes(_ cell: Cell) -> Bool {
        cell != .null || takesNull || element == .any || element == .optionalWord || element == .optionalWide
    }

    /// Whether one element may follow another.
    func allows(_ first: Cell, before second: Cell) -> Bool {
        switch order {
        case .any: true
        case .ascending: !second.isOrderedBefore(first)
        case .unique: first.isOrderedBefore(second)
        }
    }
}

extension ExpectedIndexNode {
    /// The deepest level: hashes have 16 digits.
    static let deepest: UInt8 = 15

    /// Creates the expectation of the root of an index of a table.
    init(_ root: TableRoot, _ ordinal: Int) {
        self.init(
            table: Int32(root.table), ordinal: UInt16(ordinal), level: 0, prefix: 0, nextKey: root.nextKey)
    }

    /// Returns the expectation of a child.
    func child(_ index: Int) -> ExpectedIndexNode {
        var child = self
        (child.level, child.prefix) = (level + 1, prefix << 4 | UInt64(index))
        return child
    }

    /// Whether a hash belongs below the node.
    func holds(_ hash: UInt64) -> Bool { level == 0 || hash >> UInt64(64 - 4 * Int(level)) == prefix }
}
