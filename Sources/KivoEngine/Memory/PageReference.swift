/// The location of a node's copy in a file: the number of an open file of the process, and the offset in it.
///
///      63    62 … 43       42 … 3      2 1 0
///     ┌────┬──────────────┬───────────┬───────┐
///     │ 0  │ number of    │ offset of │ 0 1 0 │   in place of an address: the node was not brought in yet
///     ├────┤ the file     │ the page  ├───────┤
///     │ 1  │              │           │ 0 0 0 │   as the owner of a node: it is in memory, and the same in the file
///     └────┴──────────────┴───────────┴───────┘
///
/// Addresses of nodes are multiples of 8, and the numbers of transactions are below 2⁶³. A reference to a bucket of a
/// ``HashIndex`` has its lowest bit set and may have bit 2; so has a ``KeyMultiset`` of one key. Therefore bit 1 alone identifies
/// a page.
@usableFromInline package struct PageReference: Hashable, Sendable {
    /// The number of the file and the offset, in place.
    private let bits: UInt64

    private static let offsetBits: UInt64 = 43
    private static let fileBits: UInt64 = 20
    private static let ownerMark: UInt64 = 1 << 63
    static let stubMark: UInt64 = 2

    /// A Boolean value that indicates whether a reference fits in place of an address. If not, everything below a page is loaded
    /// with it: see ``PageContents/Reference/resolve(to:)``.
    @usableFromInline package static let fitsAddress = MemoryLayout<UnsafeRawPointer>.size == 8

    /// The first offset that is too large for a reference; on 32-bit platforms, the largest possible offset.
    @usableFromInline package static let offsetLimit = Int(clamping: UInt64(1) << offsetBits)
    /// The largest number of files that can be open at once.
    static let fileLimit = 1 << Int(fileBits)

    /// The owner of a node that was loaded as part of another node's page.
    static let partOfPage = ownerMark

    /// Creates a reference to a page of a file. The offset must be a multiple of 8.
    @usableFromInline package init(file: Int, offset: Int) {
        assert(offset > 0 && offset & 7 == 0 && offset < PageReference.offsetLimit)
        bits = UInt64(file) << PageReference.offsetBits | UInt64(offset)
    }

    /// Creates the reference that a word contains. Returns nil if the word is an address or no reference at all.
    @inline(__always)
    package init?(stub word: UInt64) {
        guard word & 3 == PageReference.stubMark else { return nil }
        bits = word & ~PageReference.stubMark
    }

    /// Creates a reference to the page that is the same as a node. `reference` may have the marks of a bucket. Returns nil if there
    /// is none.
    package init?(ofNode reference: UnsafeMutableRawPointer) {
        let base = UnsafeMutableRawPointer(bitPattern: UInt(bitPattern: reference) & ~NodeSlot.marks)
        guard let base, let page = PageReference(owner: base.nodeOwner) else { return nil }
        self = page
    }

    /// Creates a reference to a node's page from the node's owner word. Returns nil if the node has changed since it was read, or
    /// is only a part of a page.
    init?(owner: UInt64) {
        guard owner > PageReference.partOfPage else { return nil }
        bits = owner & ~PageReference.ownerMark
    }

    /// The number of the file.
    @usableFromInline package var file: Int { Int(bits >> PageReference.offsetBits) }
    /// The offset of the page.
    @usableFromInline package var offset: Int { Int(bits & (1 << PageReference.offsetBits - 1)) }

    /// The word that is stored in place of the node's address.
    package var stub: UInt64 { bits | PageReference.stubMark }
    /// The word that is stored in the node as its owner.
    var owner: UInt64 { bits | PageReference.ownerMark }
}
