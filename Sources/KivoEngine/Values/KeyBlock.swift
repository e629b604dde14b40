/// 256 neighbouring keys of a table: what one ``LeafChange`` tells of, and a leaf of rows holds all or some of.
///
///     key   ┌─────────────────────┬────────┐
///           │ number of the block │ offset │
///           └─────────────────────┴────────┘
///            the higher bits        8 bits
public struct KeyBlock: Hashable, Comparable, Sendable {
    /// Which block it is, counted from 0.
    public let number: Int

    /// A block by its number.
    @inlinable @inline(__always)
    public init(number: Int) { self.number = number }

    /// The block that a key is in.
    @inlinable @inline(__always)
    public init(of key: ObjectKey) { number = Int(truncatingIfNeeded: key >> 8) }

    /// Where in its block a key is.
    @inlinable @inline(__always)
    public static func offset(of key: ObjectKey) -> Int { Int(truncatingIfNeeded: key) & 255 }

    /// The key at an offset (0 ..< 256).
    @inlinable @inline(__always)
    public func key(at offset: Int) -> ObjectKey { ObjectKey(number) << 8 | ObjectKey(offset) }

    /// Orders blocks by their keys.
    @inlinable @inline(__always)
    public static func < (a: KeyBlock, b: KeyBlock) -> Bool { a.number < b.number }
}
