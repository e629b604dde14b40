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
