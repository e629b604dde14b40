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
