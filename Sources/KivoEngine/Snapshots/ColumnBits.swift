/// The bits in front of a column's values, found from the address that a leaf keeps for the column; ``Leaf`` draws where
/// they lie.
///
/// With ``ColumnValues`` the one place that knows, for the engine and for the property path, into which both are inlined.
/// An address is good as long as what it was found in: see ``Leaf``.
public enum ColumnBits {
    /// Where the owner is, before the values.
    @inlinable @inline(__always) static var ownerDistance: Int { 8 }
    /// Where the first 32 slots' bits are, before the values: which were written, and which hold null. Those of the
    /// next 32 slots are before them.
    @inlinable @inline(__always) static var dirtyDistance: Int { 16 }
    @inlinable @inline(__always) static var nullDistance: Int { 12 }
    @inlinable @inline(__always) static var groupBytes: Int { 8 }

    /// What comes before the values, by the number of slots.
    static func headerBytes(_ capacity: Int) -> Int { groups(capacity) * groupBytes + ownerDistance }

    /// The number of groups of 32 slots. A capacity is 256 or a smaller power of four.
    static func groups(_ capacity: Int) -> Int { (capacity + 31) >> 5 }

    /// The transaction that made the buffer and may store into it.
    @inlinable @inline(__always)
    public static func owner(_ column: UnsafeMutableRawPointer) -> UInt64 {
        (column - ownerDistance).load(as: UInt64.self)
    }

    static func setOwner(_ column: UnsafeMutableRawPointer, _ owner: UInt64) {
        (column - ownerDistance).storeBytes(of: owner, as: UInt64.self)
    }

    /// The bits of 32 slots that say which of them the owner wrote.
    @inlinable @inline(__always)
    static func dirtyGroup(_ column: UnsafeMutableRawPointer, _ group: Int) -> UnsafeMutablePointer<UInt32> {
        (column - dirtyDistance - group &* groupBytes).assumingMemoryBound(to: UInt32.self)
    }

    /// The bits of 32 slots that say which of them hold null.
    @inlinable @inline(__always)
    static func nullGroup(_ column: UnsafeMutableRawPointer, _ group: Int) -> UnsafeMutablePointer<UInt32> {
        (column - nullDistance - group &* groupBytes).assumingMemoryBound(to: UInt32.self)
    }

    /// Whether the owner wrote a slot.
    @inlinable @inline(__always)
    public static func isDirty(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Bool {
        dirtyGroup(column, slot &>> 5).pointee &>> UInt32(truncatingIfNeeded: slot) & 1 != 0
    }

    /// Marks a slot as written by the owner.
    @inlinable @inline(__always)
    public static func markDirty(_ column: UnsafeMutableRawPointer, _ slot: Int) {
        dirtyGroup(column, slot &>> 5).pointee |= 1 &<< UInt32(truncatingIfNeeded: slot)
    }

    /// Whether a slot holds null, in columns of words and pairs of words.
    @inlinable @inline(__always)
    public static func isNull(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Bool {
        nullGroup(column, slot &>> 5).pointee &>> UInt32(truncatingIfNeeded: slot) & 1 != 0
    }

    /// Says whether a slot holds null, in columns of words and pairs of words.
    @inlinable @inline(__always)
    public static func setNull(_ column: UnsafeMutableRawPointer, _ slot: Int, _ isNull: Bool) {
        let group = nullGroup(column, slot &>> 5)
        let bit: UInt32 = 1 &<< UInt32(truncatingIfNeeded: slot)
        group.pointee = isNull ? group.pointee | bit : group.pointee & ~bit
    }
}
