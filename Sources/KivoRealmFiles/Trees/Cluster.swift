/// A cluster of up to 256 objects of a table, stored by column.
package struct Cluster {
    static let mostObjects = 256

    package let ref: Int
    package let count: Int
    private let slots: IntegerArray
    /// The keys, or nil if they are 0, 1, 2 and so on.
    private let keys: IntegerArray?
    /// The number that is added to each key.
    let offset: Int64

    init(_ node: Node, offset: Int64, _ view: FileView) throws(RealmFileError) {
        ref = node.ref
        slots = try node.references("objects")
        self.offset = offset
        switch slots.slot(0) {
        case .tagged(let count):
            guard count <= Cluster.mostObjects else {
                throw node.damaged("a part of a table has \(count) objects")
            }
            self.count = Int(count)
            keys = nil
        case .ref(let ref):
            let keys = try view.node(at: ref).integers("the keys of objects")
            guard keys.count <= Cluster.mostObjects else {
                throw node.damaged("a part of a table has \(keys.count) objects")
            }
            count = keys.count
            self.keys = keys
        case .none: throw node.damaged("a part of a table has no keys")
        }
    }

    /// Returns the key of an object, or nil if it is invalid.
    package func key(at index: Int) -> Int64? {
        let relative = keys.map { $0.unsigned(index) } ?? UInt64(index)
        guard let relative = Int64(exactly: relative) else { return nil }
        let (key, overflow) = offset.addingReportingOverflow(relative)
        return overflow || key < 0 ? nil : key
    }

    /// Returns the index of the object with a key, or nil if there is none.
    func index(ofKey key: Int64) -> Int? {
        var first = 0
        var end = count
        while first < end {
            let middle = (first + end) / 2
            guard let other = self.key(at: middle) else { return nil }
            if other == key { return middle }
            if other < key { first = middle + 1 } else { end = middle }
        }
        return nil
    }

    /// Returns the values of a column.
    package func leaf(_ column: ColumnLayout, _ view: FileView) throws(RealmFileError) -> Leaf {
        let node = try node(ofColumn: column.leafIndex, view)
        let leaf: Leaf =
            if let collection = column.collection {
                .collections(
                    try node.references("collections"), dictionaries: collection == .dictionary, ref: node.ref
                )
            } else {
                try Leaf(node, column.element, inCluster: true, view)
            }
        guard leaf.count == count else {
            throw node.damaged("a column has \(leaf.count) values for \(count) objects")
        }
        return leaf
    }

    /// Returns the inverse links of a column, as the node contains them.
    package func inverseLinks(_ leafIndex: Int, _ view: FileView) throws(RealmFileError) -> IntegerArray {
        let node = try node(ofColumn: leafIndex, view)
        let links = try node.references("inverse links")
        guard links.count == count else {
            throw node.damaged("a column has \(links.count) inverse links for \(count) objects")
        }
        return links
    }

    /// Returns the node at an index after the keys.
    func node(ofColumn leafIndex: Int, _ view: FileView) throws(RealmFileError) -> Node {
        guard case .ref(let leaf) = slots.slot(1 + leafIndex) else {
            throw .damaged(offset: ref, reason: "a part of a table lacks a column")
        }
        return try view.node(at: leaf)
    }
}
