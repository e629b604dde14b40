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
