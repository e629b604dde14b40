import KivoEngine

/// The column field of a wrapper.
///
///     unbound   0x6B69_76__   the low bits encode the declaration of the property
///     bound     0x000_0_cccc  the index of the property; bit 16: assignments take the slow path; bit 17: the object is
///                             unmanaged, and bound because it is observed
@usableFromInline
enum PersistedColumn {
    @usableFromInline static var unbound: UInt32 { 0x6B69_7600 }
    @usableFromInline static var primary: UInt32 { 1 }
    @usableFromInline static var indexed: UInt32 { 2 }
    static let maintained: UInt32 = 0x1_0000
    static let unmanaged: UInt32 = 0x2_0000
    /// The first number of ignored properties, which have no column.
    static let firstIgnored = 0x8000

    static func isUnbound(_ column: UInt32) -> Bool { column & 0xFFFF_FF00 == unbound }

    /// Returns whether a wrapper belongs to an unmanaged object, as far as its column field shows.
    static func isUnmanaged(_ column: UInt32) -> Bool { isUnbound(column) || column & unmanaged != 0 }

    @inlinable @inline(__always)
    static func index(_ column: UInt32) -> Int { Int(column & 0xFFFF) }

    /// Returns whether an assignment is only a store: the property has no index and is no link.
    @inlinable @inline(__always)
    static func isDirect(_ column: UInt32) -> Bool { column < 0x1_0000 }
}

/// Addresses for instances that have no columns, or whose reads take the slow path. They are created once, and are never freed or
/// written.
enum PlaceholderColumns {
    static var address: UnsafeMutablePointer<UnsafeMutableRawPointer> { storage.columns }
    /// The state of a reader whose generation no accessor ever has.
    static var reader: UnsafeMutablePointer<ReaderState> { storage.reader }

    private static let storage = Storage()

    /// Safe to share between threads: neither the addresses nor the memory change after initialisation.
    private final class Storage: @unchecked Sendable {
        let columns = UnsafeMutablePointer<UnsafeMutableRawPointer>.allocate(capacity: 1)
        let reader = ReaderState.allocate()

        init() {
            columns.initialize(to: UnsafeMutableRawPointer(reader))
        }
    }
}
