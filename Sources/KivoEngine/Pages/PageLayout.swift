/// The format of a page: a node in a file. ``PageWriter`` writes it and ``PageReader`` reads it. Numbers are little-endian.
///
///      0  ┌──────────────────────────────────────────────┐
///         │ checksum of the rest                8 bytes  │   the file's: the engine leaves it open
///      8  │ length of the page, header included 4 bytes  │
///     12  │ what it is                          1 byte   │
///     13  │ whether lengths are doubled         1 byte   │   a value with an odd length has a page of its own
///     14  │ whether words are packed            1 byte   │   in leaves of tables: see ``WordPacking``
///     15  │ 0                                   1 byte   │
///     16  │ number of references                4 bytes  │
///     20  │ 0                                   4 bytes  │
///     24  ├──────────────────────────────────────────────┤
///         │ offsets of other pages              8 each   │   of the same file, all before this one
///         ├──────────────────────────────────────────────┤
///         │ contents, then zeros to a multiple of 8      │
///         └──────────────────────────────────────────────┘
///
/// The references come first so that pages can be copied between files without interpreting their contents.
///
/// Strings and bytes of more than 4 KB are in pages of their own. So reading a row does not load the large values of its
/// neighbours. Only sorted elements, sets and keys of maps, are always in place. A page that refers to value pages has doubled
/// lengths. Pages from before value pages existed have all values in place, whatever their length, and pages from before version 5
/// of the file have 8 bytes for each word.
@usableFromInline package enum PageLayout {
    /// The bytes of a page before its references.
    @usableFromInline package static let headerSize = 24
    /// The number of bytes of the checksum at the start of a page.
    @usableFromInline package static let checksumSize = 8
    /// The offset of the page's length.
    @usableFromInline package static let lengthOffset = 8
    static let kindOffset = 12
    static let doublingOffset = 13
    static let packingOffset = 14
    /// The offset of the number of references.
    @usableFromInline package static let referenceCountOffset = 16
    /// The size of the largest page. The values of a row that are not in pages of their own are short: a page of 256 rows is far
    /// from it.
    @usableFromInline package static let largestPage = Int(Int32.max) & ~7
    /// The largest number of bytes of a string or of data.
    @usableFromInline package static let largestValue = largestPage - headerSize - 32

    /// The type of a page.
    enum Kind: UInt8 {
        /// Level above the leaves, bits of the existing children (8 bytes), their numbers of rows. The references are the
        /// children.
        case inner = 1
        /// Table, first key, capacity, slots, then the columns: their kinds, nulls and values of the rows, in slot order.
        case leaf = 2
        /// Kind of the elements, their number, the elements.
        case sequenceLeaf = 3
        /// Kind of the elements, level, number of children, elements below each. The references are the children.
        case sequenceInner = 4
        /// Number of entries, then the hash and the keys of each entry.
        case bucket = 5
        /// Bits of the existing children (2 bytes). The references are the children.
        case indexInner = 6
        /// A large value: 1 for a string or 0 for bytes, the number of bytes, and the bytes.
        case value = 7

        /// Whether a slot with a role may refer to a page of this kind.
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

    /// Returns the length from a page's header, or nil if no page can have that length.
    @usableFromInline package static func length(_ header: UnsafeRawBufferPointer) -> Int? {
        let length = UInt32(littleEndian: header.loadUnaligned(fromByteOffset: lengthOffset, as: UInt32.self))
        let references = UInt32(
            littleEndian: header.loadUnaligned(fromByteOffset: referenceCountOffset, as: UInt32.self))
        guard length >= headerSize, length <= largestPage, length & 7 == 0,
            references <= (length - UInt32(headerSize)) / 8
        else { return nil }
        return Int(length)
    }

    /// Returns the bytes of a page in a window; see ``PageWindow``.
    package static func page<Failure: Error>(
        at offset: Int, of file: AnyObject, _ window: PageWindow,
        _ read: (UnsafeMutableRawBufferPointer, Int) throws(Failure) -> Int
    ) throws(Failure) -> UnsafeRawBufferPointer? {
        try window.page(at: offset, of: file, header: headerSize, length: length, read)
    }

    /// Returns the number of references from a page's header.
    package static func referenceCount(_ header: UnsafeRawBufferPointer) -> Int {
        Int(UInt32(littleEndian: header.loadUnaligned(fromByteOffset: referenceCountOffset, as: UInt32.self)))
    }

    /// Returns the offsets to which a page with a valid ``length(_:)`` refers. It need not be complete behind its references.
    @usableFromInline package static func references(_ page: UnsafeRawBufferPointer) -> [Int] {
        (0..<referenceCount(page)).map {
            Int(
                truncatingIfNeeded: UInt64(
                    littleEndian: page.loadUnaligned(fromByteOffset: headerSize + $0 * 8, as: UInt64.self)))
        }
    }
}
