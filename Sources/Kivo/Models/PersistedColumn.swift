/// What the column field of a wrapper says.
///
///     unbound   0x6B69_76__   the low bits tell how the property was declared
///     bound     0x000_0_cccc  the index of the property; bit 16: assignments take the long way; bit 17: the object is
///                             unmanaged, and bound because it is observed
@usableFromInline
enum PersistedColumn {
    @usableFromInline static var unbound: UInt32 { 0x6B69_7600 }
    @usableFromInline static var primary: UInt32 { 1 }
    @usableFromInline static var indexed: UInt32 { 2 }
    static let maintained: UInt32 = 0x1_0000
    static let unmanaged: UInt32 = 0x2_0000
    /// Ignored properties, which have no column, are numbered from here on.
    static let firstIgnored = 0x8000

    static func isUnbound(_ column: UInt32) -> Bool { column & 0xFFFF_FF00 == unbound }

    /// Whether a wrapper is one of an unmanaged object, as far as wrappers know.
    static func isUnmanaged(_ column: UInt32) -> Bool { isUnbound(column) || column & unmanaged != 0 }

    @inlinable @inline(__always)
    static func index(_ column: UInt32) -> Int { Int(column & 0xFFFF) }

    /// Whether assigning is no more than a store: the property has no index and is no link.
    @inlinable @inline(__always)
    static func isDirect(_ column: UInt32) -> Bool { column < 0x1_0000 }
}
