/// The bits of a reference-counted value in a node: a string or an array of bytes, or a ``LargeValue`` in place of one.
///
/// Nodes are copied bitwise, so the bits that are moved into a retire list carry the only reference that the node owned. The
/// holder of an `OwnedBits` decides whether to release that reference (``release()``) or to drop it.
struct OwnedBits {
    enum Kind { case string, bytes }

    /// The memory of the value, followed by zeros if the value is smaller.
    private let words: (UInt64, UInt64)
    private let kind: Kind
    /// Whether the value is in an any column.
    private let isAny: Bool

    init(stringAt slot: UnsafeMutableRawPointer, isAny: Bool = false) {
        words = OwnedBits.words(ColumnValues.strings(slot))
        kind = .string
        self.isAny = isAny
    }

    init(bytesAt slot: UnsafeMutableRawPointer, isAny: Bool = false) {
        words = OwnedBits.words(ColumnValues.bytes(slot))
        kind = .bytes
        self.isAny = isAny
    }

    @inline(__always)
    private static func words<Value>(_ slot: UnsafeMutablePointer<Value>) -> (UInt64, UInt64) {
        var words: (UInt64, UInt64) = (0, 0)
        withUnsafeMutableBytes(of: &words) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: slot, count: MemoryLayout<Value>.size))
        }
        return words
    }

    private var large: LargeSlot? { LargeSlot(words: words, isString: kind == .string) }

    /// The page that contains the value if it is in a file; there is no reference then.
    var page: PageReference? { large?.page }

    /// Whether there is certainly no reference to release, as for null.
    func isTrivial(_ layout: StringLayout) -> Bool {
        switch kind {
        // By these words, a large value appears as a string whose bytes are elsewhere.
        case .string where layout.isKnown: StringBits(low: words.0, high: words.1).isUncounted
        case .string: large == nil && withValue(String?.self) { $0.pointee == nil }
        case .bytes: large == nil && withValue([UInt8]?.self) { $0.pointee == nil }
        }
    }

    /// The number of bytes that the value takes outside of its slot, approximately.
    var residentByteCount: Int {
        let object = 48
        switch kind {
        case .string where StringLayout.current.isKnown:
            if large == nil {
                let bits = StringBits(low: words.0, high: words.1)
                return bits.isUncounted ? 0 : (bits.storage?.count ?? 0) + object
            }
        case .bytes where large == nil:
            return withValue([UInt8]?.self) { $0.pointee.map { $0.count + object } ?? 0 }
        default: break
        }
        return (large?.value?.cell.byteCount ?? 0) + 2 * object
    }

    /// The kind of a column that contains values of this kind.
    var columnKind: ColumnKind { isAny ? .any : kind == .string ? .string : .bytes }

    /// A number that no transaction has, in place of that of the one that stored a value.
    static let unknownTransaction: UInt64 = 0

    /// Whether this is the same reference as another.
    func isSame(as other: OwnedBits) -> Bool { words == other.words && kind == other.kind }

    /// Whether this may be another reference to an equal value. True for values that have pages of their own.
    func mayEqual(_ other: OwnedBits) -> Bool {
        guard kind == other.kind, large == nil, other.large == nil else { return kind == other.kind }
        switch kind {
        case .string:
            return withValue(String?.self) { a in other.withValue(String?.self) { a.pointee == $0.pointee } }
        case .bytes:
            return withValue([UInt8]?.self) { a in other.withValue([UInt8]?.self) { a.pointee == $0.pointee }
            }
        }
    }

    /// Releases the reference. The value must not be used afterwards.
    func release() {
        if let large { return large.release() }
        switch kind {
        case .string: withValue(String?.self) { _ = $0.deinitialize(count: 1) }
        case .bytes: withValue([UInt8]?.self) { _ = $0.deinitialize(count: 1) }
        }
    }

    /// Calls `body` with the address of a copy of the value that owns nothing.
    @inline(__always)
    private func withValue<Value, Result>(
        _ type: Value.Type, _ body: (UnsafeMutablePointer<Value>) -> Result
    ) -> Result {
        withUnsafeTemporaryAllocation(byteCount: 16, alignment: 16) { buffer in
            let base = buffer.baseAddress!
            base.storeBytes(of: words.0, as: UInt64.self)
            base.storeBytes(of: words.1, toByteOffset: 8, as: UInt64.self)
            return body(base.assumingMemoryBound(to: type))
        }
    }
}
