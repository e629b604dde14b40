/// The description of a page by its parent: the page that refers to it, or a table of the checkpoint.
///
/// A checksum proves only that a page was written as it is. A page that differs from its parent's description is also damaged.
@usableFromInline package enum PageExpectation: Sendable, Equatable {
    /// A node of a table's tree.
    case tree(ExpectedTreeNode)
    /// A node of a sequence.
    case sequence(ExpectedSequenceNode)
    /// A node of an index.
    case index(ExpectedIndexNode)
    /// A large value: a string, or bytes.
    case value(isString: Bool)

    /// A count that the parent does not have.
    static let unknown = -1

    /// The role of the slot that leads to the node.
    @usableFromInline package var role: NodeRole {
        switch self {
        case .tree(let node): node.level == 0 ? .leaf : .inner
        case .sequence: .sequence
        case .index: .index
        case .value: .value
        }
    }
}

/// The expected properties of a node of a table's tree.
@usableFromInline package struct ExpectedTreeNode: Sendable, Equatable {
    /// The table's number.
    var table: Int32
    /// The level above the leaves.
    var level: UInt8
    /// The number of the node in its level: the high bits of all keys below it.
    var prefix: Int
    /// The number of rows below, or ``PageExpectation/unknown``.
    var count: Int
    /// A key that is greater than all keys in the subtree.
    var nextKey: ObjectKey
}

/// The expected properties of a node of a sequence.
@usableFromInline package struct ExpectedSequenceNode: Sendable, Equatable {
    /// The order of the elements of a leaf.
    enum Order: UInt8, Sendable { case any, ascending, unique }

    /// The kind of the elements.
    package var element: ElementKind
    /// Whether elements can be null.
    var takesNull: Bool
    /// The order of the elements.
    var order: Order
    /// The level above the leaves, or ``PageExpectation/unknown``.
    var level = Int16(PageExpectation.unknown)
    /// The number of elements below, or ``PageExpectation/unknown``.
    var total = PageExpectation.unknown
}

/// The expected properties of a node of an index.
@usableFromInline package struct ExpectedIndexNode: Sendable, Equatable {
    /// The table's number.
    var table: Int32
    /// The position of the index among those of the table.
    var ordinal: UInt16
    /// The level below the root.
    var level: UInt8
    /// The high digits that all hashes in the subtree share.
    var prefix: UInt64
    /// A key that is greater than all keys in the subtree.
    var nextKey: ObjectKey
}

/// A description of the damage of a page whose checksum is right.
package struct PageFlaw: Error, Equatable, CustomStringConvertible {
    /// The flaw in words.
    package let description: String

    /// Creates a flaw with a description.
    package init(_ description: String) { self.description = description }
}
