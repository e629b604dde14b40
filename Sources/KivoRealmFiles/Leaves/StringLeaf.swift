/// A leaf of strings, each with its bytes or as an index in the column's list of distinct strings.
package struct StringLeaf {
    private let strings: BlobLeaf
    private let indexes: IntegerArray
    let isEnumerated: Bool
    /// The offset of the node, for errors.
    private let ref: Int

    /// - Parameter distinct: The offset of the list of distinct strings, or 0 if the column has none.
    init(_ node: Node, nullable: Bool, distinct: Int64, _ view: FileView) throws(RealmFileError) {
        ref = node.ref
        isEnumerated = distinct != 0 && !node.hasRefs && node.unit == .bits
        if isEnumerated {
            indexes = try node.integers("enumerated strings")
            strings = try BlobLeaf(view.node(at: distinct), .text(nullable: true), view)
        } else {
            indexes = IntegerArray()
            strings = try BlobLeaf(node, .text(nullable: nullable), view)
        }
    }

    var count: Int { isEnumerated ? indexes.count : strings.count }

    /// Returns the bytes of a string, or nil for null.
    func bytes(at index: Int, _ view: FileView) throws(RealmFileError) -> RawBytes? {
        if !isEnumerated { return try strings.bytes(at: index, view) }
        guard let index = Int(exactly: indexes[index]), index >= 0, index < strings.count else {
            throw .damaged(offset: ref, reason: "an enumerated string is not in the list of them")
        }
        return try strings.bytes(at: index, view)
    }
}
