/// A page: a node in a file, as ``PageWriter`` writes it and ``PageReader`` brings it in. Numbers are little-endian.
///
///      0  ┌──────────────────────────────────────────────┐
///         │ checksum of the rest                8 bytes  │   the file's: the engine leaves it open
///      8  │ length of the page, header included 4 bytes  │
///     12  │ what it is                          1 byte   │
///     13  │ whether lengths are doubled         1 byte   │   a value with an odd length has a page of its own
///     14  │ 0                                   2 bytes  │
///     16  │ number of references                4 bytes  │
///     20  │ 0                                   4 bytes  │
///     24  ├──────────────────────────────────────────────┤
///         │ offsets of other pages              8 each   │   of the same file, all before this one
///         ├──────────────────────────────────────────────┤
///         │ contents, then zeros to a multiple of 8      │
///         └──────────────────────────────────────────────┘
///
/// The references stand in front so that pages can be carried from one file to another without knowing their contents.
///
/// Strings and bytes of more than 4 KB lie in pages of their own, so that a row is read without those of its neighbours: only what
/// is sorted, sets and the keys of maps, has them in place. A page with such values has doubled lengths. Those that were written
/// before there were pages of values have all in place, whatever its length.
public enum PageLayout {
    /// The bytes of a page before its references.
    public static let headerSize = 24
    /// The bytes of the checksum, with which a page begins.
    public static let checksumSize = 8
    /// Where the length of a page is.
    public static let lengthOffset = 8
    static let kindOffset = 12
    static let doublingOffset = 13
    /// Where the number of references is.
    public static let referenceCountOffset = 16
    /// The largest page. The values of a row that are not in pages of their own are short: a page of 256 rows is far from it.
    public static let largestPage = Int(Int32.max) & ~7
    /// How many bytes a string or data can have.
    public static let largestValue = largestPage - headerSize - 32

    /// What a page is.
    enum Kind: UInt8 {
        /// Level above the leaves, bits of the children that are there (8 bytes), their numbers of rows. The references are the children.
        case inner = 1
        /// Table, first key, capacity, slots, then the columns: their kinds, nulls and values of the rows, in slot order.
        case leaf = 2
        /// Kind of the elements, their number, the elements.
        case sequenceLeaf = 3
        /// Kind of the elements, level, number of children, elements below each. The references are the children.
        case sequenceInner = 4
        /// Number of entries, then of each the hash and the keys.
        case bucket = 5
        /// Bits of the children that are there (2 bytes). The references are the children.
        case indexInner = 6
        /// A large value: 1 if it is a string, 0 if it is bytes; their number, and the bytes.
        case value = 7

        /// Whether a slot of a role may lead to such a page.
        func fits(_ role: NodeRole) -> Bool {
            switch role {
            case .inner: self == .inner
            case .leaf: self == .leaf
            case .sequence: self == .sequenceLeaf || self == .sequenceInner
            case .index: self == .bucket || self == .indexInner
            case .value: self == .value
            }
        }
    }

    /// The length that a page's header says, or nil if none can be that long.
    public static func length(_ header: UnsafeRawBufferPointer) -> Int? {
        let length = UInt32(littleEndian: header.loadUnaligned(fromByteOffset: lengthOffset, as: UInt32.self))
        let references = UInt32(
            littleEndian: header.loadUnaligned(fromByteOffset: referenceCountOffset, as: UInt32.self))
        guard length >= headerSize, length <= largestPage, length & 7 == 0,
            references <= (length - UInt32(headerSize)) / 8
        else { return nil }
        return Int(length)
    }

    /// The offsets that a whole page of a right ``length(_:)`` refers to.
    public static func references(_ page: UnsafeRawBufferPointer) -> [Int] {
        let count = Int(
            UInt32(littleEndian: page.loadUnaligned(fromByteOffset: referenceCountOffset, as: UInt32.self)))
        return (0..<count).map {
            Int(
                truncatingIfNeeded: UInt64(
                    littleEndian: page.loadUnaligned(fromByteOffset: headerSize + $0 * 8, as: UInt64.self)))
        }
    }
}
