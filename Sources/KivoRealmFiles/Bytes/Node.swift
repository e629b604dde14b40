/// The decoded header of a node, and its elements, which are known to be inside the file.
struct Node {
    static let headerSize = 8

    /// The offset of the node in the file.
    let ref: Int
    private let flags: UInt8
    /// The number of elements.
    let count: Int
    let payload: UnsafeRawPointer

    /// The unit of the width of a node's elements.
    enum WidthUnit: UInt8 { case bits, bytes, none }

    init(header: UnsafeRawPointer, ref: Int) {
        self.ref = ref
        let bits = UInt64(littleEndian: header.loadUnaligned(as: UInt64.self))
        flags = UInt8(truncatingIfNeeded: bits >> 32)
        // The only big-endian number of the format.
        count = Int(bits.byteSwapped & 0xFF_FFFF)
        payload = header + Node.headerSize
    }

    var isInner: Bool { flags & 0x80 != 0 }
    var hasRefs: Bool { flags & 0x40 != 0 }
    var hasContext: Bool { flags & 0x20 != 0 }
    var unit: WidthUnit? { WidthUnit(rawValue: flags >> 3 & 3) }
    var widthCode: UInt8 { flags & 7 }
    /// The width of an element: 0, 1, 2, 4, 8, 16, 32 or 64.
    var width: Int { (1 << Int(widthCode)) >> 1 }

    /// The number of bytes of the elements, or nil if the unit of the width is unknown.
    var payloadLength: Int? {
        switch unit {
        case .bits: (count * width + 7) / 8
        case .bytes: count * width
        case .some(.none): count
        case nil: nil
        }
    }

    /// Returns the elements of a node without references as integers.
    func integers(_ what: @autoclosure () -> String) throws(RealmFileError) -> IntegerArray {
        if count == 0 { return IntegerArray() }
        guard !hasRefs, unit == .bits else { throw wrongKind(what()) }
        return IntegerArray(payload, count, widthCode)
    }

    /// Returns the elements of a node with references, which may also be tagged integers.
    func references(_ what: @autoclosure () -> String) throws(RealmFileError) -> IntegerArray {
        if count == 0 { return IntegerArray() }
        guard hasRefs, unit == .bits else { throw wrongKind(what()) }
        return IntegerArray(payload, count, widthCode)
    }

    func damaged(_ reason: String) -> RealmFileError { .damaged(offset: ref, reason: reason) }

    private func wrongKind(_ what: String) -> RealmFileError {
        damaged("there is another kind of node where \(what) should be")
    }
}
