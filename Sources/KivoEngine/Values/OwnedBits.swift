/// The bits of a reference-counted value that sits in a node: a string or an array of bytes.
///
/// Nodes are copied bit by bit, so the bits that are moved into a retire list carry the one reference that the node
/// owned. Whoever holds an `OwnedBits` decides whether that reference is given up (``release()``) or forgotten.
struct OwnedBits {
    enum Kind { case string, bytes }

    private let low: UInt64
    private let high: UInt64
    private let kind: Kind

    init(stringAt slot: UnsafeMutableRawPointer) {
        low = slot.load(as: UInt64.self)
        high = slot.load(fromByteOffset: 8, as: UInt64.self)
        kind = .string
    }

    init(bytesAt slot: UnsafeMutableRawPointer) {
        low = slot.load(as: UInt64.self)
        high = 0
        kind = .bytes
    }

    /// Whether there is no reference to give up.
    var isTrivial: Bool {
        switch kind {
        case .string: StringBits(low: low, high: high).isUncounted
        case .bytes: low == 0
        }
    }

    /// The kind of a column that holds such values.
    var columnKind: ColumnKind { kind == .string ? .string : .bytes }

    /// Whether this is the same reference as another.
    func isSame(as other: OwnedBits) -> Bool { low == other.low && high == other.high }

    /// Gives up the reference. The value must not be used afterwards.
    func release() {
        withUnsafeTemporaryAllocation(byteCount: 16, alignment: 16) { buffer in
            let base = buffer.baseAddress!
            base.storeBytes(of: low, as: UInt64.self)
            base.storeBytes(of: high, toByteOffset: 8, as: UInt64.self)
            switch kind {
            case .string: base.assumingMemoryBound(to: String?.self).deinitialize(count: 1)
            case .bytes: base.assumingMemoryBound(to: [UInt8]?.self).deinitialize(count: 1)
            }
        }
    }
}
