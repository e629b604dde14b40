/// The bits before a column's values, located relative to the address that a leaf stores for the column. The drawing at ``Leaf``
/// shows their layout.
///
/// Together with ``ColumnValues`` this is the only code that depends on the layout. Both are inlined into the engine and into the
/// property path. An address is valid as long as the view from which it was read: see ``Leaf``.
@usableFromInline package enum ColumnBits {
    /// The distance by which the owner precedes the values.
    @inlinable @inline(__always) static var ownerDistance: Int { 8 }
    /// The distances by which the bits of the first 32 slots precede the values: for written slots, and for null. The bits of the
    /// next 32 slots precede them.
    @inlinable @inline(__always) static var dirtyDistance: Int { 16 }
    @inlinable @inline(__always) static var nullDistance: Int { 12 }
    @inlinable @inline(__always) static var groupBytes: Int { 8 }

    /// Returns the number of bytes before the values, for a number of slots.
    static func headerBytes(_ capacity: Int) -> Int { groups(capacity) * groupBytes + ownerDistance }

    /// Returns the number of groups of 32 slots. A capacity is 256 or a smaller power of four.
    static func groups(_ capacity: Int) -> Int { (capacity + 31) >> 5 }

    /// Returns the transaction that created the buffer and may write to it.
    @inlinable @inline(__always)
    package static func owner(_ column: UnsafeMutableRawPointer) -> UInt64 {
        (column - ownerDistance).load(as: UInt64.self)
    }

    static func setOwner(_ column: UnsafeMutableRawPointer, _ owner: UInt64) {
        (column - ownerDistance).storeBytes(of: owner, as: UInt64.self)
    }

    /// Returns a word of 32 bits, which mark those of 32 slots that the owner has written.
    @inlinable @inline(__always)
    static func dirtyGroup(_ column: UnsafeMutableRawPointer, _ group: Int) -> UnsafeMutablePointer<UInt32> {
        (column - dirtyDistance - group &* groupBytes).assumingMemoryBound(to: UInt32.self)
    }

    /// Returns a word of 32 bits, which mark those of 32 slots whose values are null.
    @inlinable @inline(__always)
    static func nullGroup(_ column: UnsafeMutableRawPointer, _ group: Int) -> UnsafeMutablePointer<UInt32> {
        (column - nullDistance - group &* groupBytes).assumingMemoryBound(to: UInt32.self)
    }

    /// Returns whether the owner wrote a slot.
    @inlinable @inline(__always)
    package static func isDirty(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Bool {
        dirtyGroup(column, slot &>> 5).pointee &>> UInt32(truncatingIfNeeded: slot) & 1 != 0
    }

    /// Marks a slot as written by the owner.
    @inlinable @inline(__always)
    package static func markDirty(_ column: UnsafeMutableRawPointer, _ slot: Int) {
        dirtyGroup(column, slot &>> 5).pointee |= 1 &<< UInt32(truncatingIfNeeded: slot)
    }

    /// Returns whether a slot contains null, in columns of words and pairs of words.
    @inlinable @inline(__always)
    package static func isNull(_ column: UnsafeMutableRawPointer, _ slot: Int) -> Bool {
        nullGroup(column, slot &>> 5).pointee &>> UInt32(truncatingIfNeeded: slot) & 1 != 0
    }

    /// Sets whether a slot contains null, in columns of words and pairs of words.
    @inlinable @inline(__always)
    package static func setNull(_ column: UnsafeMutableRawPointer, _ slot: Int, _ isNull: Bool) {
        let group = nullGroup(column, slot &>> 5)
        let bit: UInt32 = 1 &<< UInt32(truncatingIfNeeded: slot)
        group.pointee = isNull ? group.pointee | bit : group.pointee & ~bit
    }
}
