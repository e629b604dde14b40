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

/// A view of a node's elements as packed integers of 0 to 64 bits each.
package struct IntegerArray {
    private let start: UnsafeRawPointer?
    private let size: UInt32
    private let widthCode: UInt8

    init() {
        start = nil
        size = 0
        widthCode = 0
    }

    /// - Precondition: the elements are inside the file, as a ``Node`` made by ``FileView/node(at:)`` has checked.
    init(_ start: UnsafeRawPointer, _ count: Int, _ widthCode: UInt8) {
        self.start = start
        size = UInt32(count)
        self.widthCode = widthCode
    }

    package var count: Int { Int(size) }

    /// An element. Elements of up to 4 bits are unsigned, wider ones are signed.
    package subscript(index: Int) -> Int64 {
        @inline(__always) get {
            precondition(UInt(bitPattern: index) < UInt(size))
            guard let start else { return 0 }
            switch widthCode {
            case 0: return 0
            case 1: return packed(start, index, shift: 3, bits: 1)
            case 2: return packed(start, index, shift: 2, bits: 2)
            case 3: return packed(start, index, shift: 1, bits: 4)
            case 4: return Int64(start.load(fromByteOffset: index, as: Int8.self))
            case 5:
                return Int64(
                    Int16(littleEndian: start.loadUnaligned(fromByteOffset: index << 1, as: Int16.self)))
            case 6:
                return Int64(
                    Int32(littleEndian: start.loadUnaligned(fromByteOffset: index << 2, as: Int32.self)))
            default:
                return Int64(littleEndian: start.loadUnaligned(fromByteOffset: index << 3, as: Int64.self))
            }
        }
    }

    /// Returns an element of an array that is unsigned at any width. The file does not mark such arrays: they are recognised by
    /// their place.
    func unsigned(_ index: Int) -> UInt64 {
        let value = UInt64(bitPattern: self[index])
        return switch widthCode {
        case 4: value & 0xFF
        case 5: value & 0xFFFF
        case 6: value & 0xFFFF_FFFF
        default: value
        }
    }

    /// Returns the meaning of an element in a node with references. Returns `.none` beyond the end, because nodes of earlier
    /// versions are shorter.
    package func slot(_ index: Int) -> Slot {
        guard index < count else { return .none }
        let value = self[index]
        if value == 0 { return .none }
        if value & 1 == 0 { return .ref(value) }
        return .tagged(UInt64(bitPattern: value) >> 1)
    }

    @inline(__always)
    private func packed(_ start: UnsafeRawPointer, _ index: Int, shift: Int, bits: Int) -> Int64 {
        let byte = start.load(fromByteOffset: index >> shift, as: UInt8.self)
        let position = (index & (1 << shift - 1)) * bits
        return Int64(byte &>> UInt8(truncatingIfNeeded: position) & UInt8(1 << bits - 1))
    }
}

/// An element of a node with references.
package enum Slot {
    case none
    case ref(Int64)
    case tagged(UInt64)

    /// The reference, or 0 if this is not one.
    package var ref: Int64 { if case .ref(let ref) = self { ref } else { 0 } }

    /// The tagged integer, or nil if this is not one.
    var tagged: UInt64? { if case .tagged(let value) = self { value } else { nil } }
}
