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

/// A leaf of dates, with separate seconds and nanoseconds.
package struct DateLeaf {
    private let seconds: NullableIntegers
    private let nanoseconds: IntegerArray
    /// The offset of the node, for errors.
    private let ref: Int

    init(_ node: Node, _ view: FileView) throws(RealmFileError) {
        ref = node.ref
        let refs = try node.references("dates")
        guard refs.count == 2 else { throw node.damaged("a leaf of dates has \(refs.count) parts, not 2") }
        seconds = try NullableIntegers(view.node(at: refs.slot(0).ref))
        nanoseconds = try view.node(at: refs.slot(1).ref).integers("nanoseconds")
        guard nanoseconds.count == seconds.count else {
            throw node.damaged("\(seconds.count) dates have \(nanoseconds.count) nanoseconds")
        }
    }

    var count: Int { seconds.count }

    func value(at index: Int) throws(RealmFileError) -> RawValue {
        guard let seconds = seconds[index] else { return .null }
        return .date(try RealmFile.Timestamp(seconds: seconds, nanoseconds: nanoseconds[index], ref: ref))
    }
}

/// Integers that can be null. The first element of the node is the number that represents null in it.
package struct NullableIntegers {
    private let elements: IntegerArray
    private let null: Int64

    init(_ node: Node) throws(RealmFileError) {
        elements = try node.integers("integers")
        guard elements.count > 0 else { throw node.damaged("the number which means null is missing") }
        null = elements[0]
    }

    var count: Int { elements.count - 1 }

    subscript(index: Int) -> Int64? {
        let value = elements[index + 1]
        return value == null ? nil : value
    }
}

/// A leaf of decimal numbers of 0, 4, 8 or 16 bytes each.
package struct DecimalLeaf {
    private let node: Node

    private static let zero = RealmFile.Decimal128(high: 0x3040_0000_0000_0000, low: 0)

    init(_ node: Node) throws(RealmFileError) {
        guard node.count == 0 || !node.hasRefs && node.unit == .bytes && [0, 4, 8, 16].contains(node.width)
        else {
            throw node.damaged("there is another kind of node where decimal numbers should be")
        }
        self.node = node
    }

    var count: Int { node.count }

    func value(at index: Int) -> RawValue {
        precondition(UInt(bitPattern: index) < UInt(bitPattern: node.count))
        let cell = node.payload + index * node.width
        switch node.width {
        case 0: return node.hasContext ? .decimal128(DecimalLeaf.zero) : .null
        case 4:
            let bits = UInt64(UInt32(littleEndian: cell.loadUnaligned(as: UInt32.self)))
            if bits == 0x7C00_00AA { return .null }
            return decimal(
                sign: bits >> 31, exponent: Int(bits >> 23 & 0xFF) - 101, coefficient: bits & 0x7F_FFFF)
        case 8:
            let bits = UInt64(littleEndian: cell.loadUnaligned(as: UInt64.self))
            if bits == 0x7C00_0000_0000_00AA { return .null }
            return decimal(
                sign: bits >> 63, exponent: Int(bits >> 53 & 0x3FF) - 398,
                coefficient: bits & 0x1F_FFFF_FFFF_FFFF)
        default:
            let low = UInt64(littleEndian: cell.loadUnaligned(as: UInt64.self))
            let high = UInt64(littleEndian: cell.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            if high == 0x7C00_0000_0000_0000, low == 0xAA { return .null }
            return .decimal128(RealmFile.Decimal128(high: high, low: low))
        }
    }

    private func decimal(sign: UInt64, exponent: Int, coefficient: UInt64) -> RawValue {
        .decimal128(
            RealmFile.Decimal128(
                high: sign << 63 | UInt64(exponent + RealmFile.Decimal128.exponentBias) << 49,
                low: coefficient))
    }
}

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
