/// The bits of a reference-counted value that sits in a node: a string or an array of bytes, or a ``LargeValue`` in place of
/// one.
///
/// Nodes are copied bit by bit, so the bits that are moved into a retire list carry the one reference that the node
/// owned. Whoever holds an `OwnedBits` decides whether that reference is given up (``release()``) or forgotten.
struct OwnedBits {
    enum Kind { case string, bytes }

    /// The value as it lies in memory; zeros behind a smaller one.
    private let words: (UInt64, UInt64)
    private let kind: Kind
    /// Whether it is a value of an any column.
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

    /// The page that holds the value, if that is in a file: there is no reference then.
    var page: PageReference? { large?.page }

    /// Whether it is known that there is nothing to give up. There is nothing of null.
    func isTrivial(_ layout: StringLayout) -> Bool {
        switch kind {
        // To these words, a large value is a string whose bytes are elsewhere.
        case .string where layout.isKnown: StringBits(low: words.0, high: words.1).isUncounted
        case .string: large == nil && withValue(String?.self) { $0.pointee == nil }
        case .bytes: large == nil && withValue([UInt8]?.self) { $0.pointee == nil }
        }
    }

    /// The kind of a column that holds such values.
    var columnKind: ColumnKind { isAny ? .any : kind == .string ? .string : .bytes }

    /// Whether this is the same reference as another.
    func isSame(as other: OwnedBits) -> Bool { words == other.words && kind == other.kind }

    /// Gives up the reference. The value must not be used afterwards.
    func release() {
        if let large { return large.release() }
        switch kind {
        case .string: withValue(String?.self) { _ = $0.deinitialize(count: 1) }
        case .bytes: withValue([UInt8]?.self) { _ = $0.deinitialize(count: 1) }
        }
    }

    /// Calls `body` with where the value is, a copy that owns nothing.
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
