/// A leaf of object ids of 12 bytes or UUIDs of 16, in blocks of eight with a byte of null bits before each block.
package struct IdentifierLeaf {
    private let start: UnsafeRawPointer
    private let length: Int
    let count: Int

    init(_ node: Node, length: Int) throws(RealmFileError) {
        guard node.count == 0 || !node.hasRefs && node.unit == .bytes && node.width == 1 else {
            throw node.damaged("there is another kind of node where ids should be")
        }
        let block = 8 * length + 1
        let blocks = (node.count + block - 1) / block
        count = (node.count - blocks) / length
        guard count * length + (count + 7) / 8 == node.count else {
            throw node.damaged("\(node.count) bytes do not hold ids of \(length)")
        }
        start = node.payload
        self.length = length
    }

    /// Returns the address of an id's bytes, or nil for null.
    func bytes(at index: Int) -> UnsafeRawPointer? {
        precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
        let block = start + index / 8 * (8 * length + 1)
        if block.load(as: UInt8.self) >> UInt8(index % 8) & 1 != 0 { return nil }
        return block + 1 + index % 8 * length
    }
}
