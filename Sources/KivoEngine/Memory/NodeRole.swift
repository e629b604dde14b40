/// The kind of node that a slot refers to. A page of another kind is damage.
@usableFromInline package enum NodeRole: Sendable {
    /// An inner node of a table's tree.
    case inner
    /// A leaf of a table's tree.
    case leaf
    /// A node of a sequence.
    case sequence
    /// A node of an index.
    case index
    /// A large value, which is not a node.
    case value
}
