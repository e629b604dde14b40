/// Where the copy of a node in a file is: in which of the files that the process has open, and at which offset.
///
///      63    62 … 43       42 … 3      2 1 0
///     ┌────┬──────────────┬───────────┬───────┐
///     │ 0  │ number of    │ offset of │ 0 1 0 │   in place of an address: the node was not brought in yet
///     ├────┤ the file     │ the page  ├───────┤
///     │ 1  │              │           │ 0 0 0 │   as the owner of a node: it is in memory, and the same in the file
///     └────┴──────────────┴───────────┴───────┘
///
/// Addresses of nodes are multiples of 8, and the numbers of transactions are below 2⁶³. A reference to a bucket of a
/// ``HashIndex`` has its lowest bit set and may have bit 2, and so has a ``KeyMultiset`` of one key: what tells a page is bit 1
/// alone.
public struct PageReference: Hashable, Sendable {
    /// The number of the file and the offset, in place.
    private let bits: UInt64

    private static let offsetBits: UInt64 = 43
    private static let fileBits: UInt64 = 20
    private static let ownerMark: UInt64 = 1 << 63
    static let stubMark: UInt64 = 2

    /// Whether a reference fits in place of an address. Where it does not, all below a page is brought in with it: see
    /// ``PageContents/Reference/lead(to:)``.
    public static let fitsAddress = MemoryLayout<UnsafeRawPointer>.size == 8

    /// The first offset that is too large for a reference; on a platform of 32 bits, the largest there is.
    public static let offsetLimit = Int(clamping: UInt64(1) << offsetBits)
    /// How many files can be open at once.
    static let fileLimit = 1 << Int(fileBits)

    /// The owner of a node that came from a file as a part of another one's page.
    static let partOfPage = ownerMark

    /// A page of a file. The offset is a multiple of 8.
    public init(file: Int, offset: Int) {
        assert(offset > 0 && offset & 7 == 0 && offset < PageReference.offsetLimit)
        bits = UInt64(file) << PageReference.offsetBits | UInt64(offset)
    }

    /// The page that a word stands for, or nil if it is an address, or no reference at all.
    @inline(__always)
    init?(stub word: UInt64) {
        guard word & 3 == PageReference.stubMark else { return nil }
        bits = word & ~PageReference.stubMark
    }

    /// The page that a node is the same as, by its owner; nil if the node is in no page of its own.
    init?(owner: UInt64) {
        guard owner > PageReference.partOfPage else { return nil }
        bits = owner & ~PageReference.ownerMark
    }

    /// The number of the file.
    public var file: Int { Int(bits >> PageReference.offsetBits) }
    /// The place of the page.
    public var offset: Int { Int(bits & (1 << PageReference.offsetBits - 1)) }

    /// What stands in place of the node's address.
    var stub: UInt64 { bits | PageReference.stubMark }
    /// What stands in the node as its owner.
    var owner: UInt64 { bits | PageReference.ownerMark }
}
