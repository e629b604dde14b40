/// The keys of the objects with links to one object, from one column.
struct InverseLinkCursor {
    private let view: FileView
    private var one: Int64?
    private var cursor: ElementCursor?
    private var leaf = IntegerArray()
    private var index = 0
    /// How many keys there are.
    let count: Int

    /// - Parameter slot: What the column with the inverse links has for the object.
    init(_ slot: Slot, _ view: FileView) throws(RealmFileError) {
        self.view = view
        switch slot {
        case .none: count = 0
        case .tagged(let key):
            one = Int64(bitPattern: key)
            count = 1
        case .ref(let ref):
            // Up to format 23 this is one leaf of any length, and stays one when the file is upgraded.
            let cursor = try ElementCursor(root: ref, .key, view)
            count = cursor.count
            self.cursor = cursor
        }
    }

    /// The next key, nil at the end.
    mutating func next() throws(RealmFileError) -> Int64? {
        if let key = one {
            one = nil
            return key
        }
        while index == leaf.count {
            guard case .integers(let next)? = try cursor?.next() else { return nil }
            leaf = next
            index = 0
        }
        defer { index += 1 }
        return leaf[index]
    }
}
