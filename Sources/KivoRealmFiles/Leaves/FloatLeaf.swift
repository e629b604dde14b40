/// A leaf of floating-point numbers of 4 or 8 bytes.
package struct FloatLeaf {
    private let start: UnsafeRawPointer
    let count: Int
    /// Whether the column is nullable. Then the NaN with one certain bit pattern represents null.
    private let isNullable: Bool

    init(_ node: Node, width: Int, nullable: Bool) throws(RealmFileError) {
        guard node.count == 0 || !node.hasRefs && node.unit == .bytes && node.width == width else {
            throw node.damaged("there is another kind of node where floating-point numbers should be")
        }
        start = node.payload
        count = node.count
        isNullable = nullable
    }

    func float(at index: Int) -> RawValue {
        precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
        let bits = UInt32(littleEndian: start.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self))
        return isNullable && bits == 0x7FC0_00AA ? .null : .float(bits)
    }

    func double(at index: Int) -> RawValue {
        precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
        let bits = UInt64(littleEndian: start.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self))
        return isNullable && bits == 0x7FF8_0000_0000_00AA ? .null : .double(bits)
    }
}
