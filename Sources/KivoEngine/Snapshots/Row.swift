/// A row of a table: where it is in a leaf. Valid as long as its ``Snapshot``.
public struct Row {
    /// The leaf that holds the row.
    public let leaf: Leaf
    /// The place of the row in the leaf.
    public let slot: Int
    /// The key of the object.
    public let key: ObjectKey

    /// The row of an object that is in a slot of a leaf.
    @inline(__always)
    public init(_ leaf: Leaf, _ slot: Int, _ key: ObjectKey) {
        self.leaf = leaf
        self.slot = slot
        self.key = key
    }
}

extension Table {
    /// The row of an object, or nil.
    @inline(__always)
    public func row(_ key: ObjectKey) -> Row? {
        guard let (leaf, slot) = locate(key) else { return nil }
        return Row(leaf, slot, key)
    }
}
