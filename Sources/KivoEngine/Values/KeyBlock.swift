/// A block of 256 neighbouring keys of a table. A ``LeafChange`` describes the changes of one block; a leaf contains the rows of
/// all or some of its keys.
///
///     key   ┌─────────────────────┬────────┐
///           │ number of the block │ offset │
///           └─────────────────────┴────────┘
///            the higher bits        8 bits
@usableFromInline package struct KeyBlock: Hashable, Comparable, Sendable {
    /// The number of the block, counted from 0.
    @usableFromInline package let number: Int

    /// Creates a block with a number.
    @inlinable @inline(__always)
    package init(number: Int) { self.number = number }

    /// Creates the block that contains a key.
    @inlinable @inline(__always)
    package init(of key: ObjectKey) { number = Int(truncatingIfNeeded: key >> 8) }

    /// Returns the offset of a key in its block.
    @inlinable @inline(__always)
    package static func offset(of key: ObjectKey) -> Int { Int(truncatingIfNeeded: key) & 255 }

    /// Returns the key at an offset (0 ..< 256).
    @inlinable @inline(__always)
    package func key(at offset: Int) -> ObjectKey { ObjectKey(number) << 8 | ObjectKey(offset) }

    /// Orders blocks by their keys.
    @inlinable @inline(__always)
    package static func < (a: KeyBlock, b: KeyBlock) -> Bool { a.number < b.number }
}
