/// A decoder that creates the node of a page.
///
/// The page's checksum was verified. Decoding also compares the page with the ``PageExpectation`` of its parent. Kind, position,
/// counts and keys must agree, required columns must hold no null, elements must be in order, and nothing is read beyond the end.
package struct PageReader {
    let bytes: UnsafeRawBufferPointer
    private let page: PageReference
    let memory: WriteMemory
    let catalog: Catalog
    /// The description of the page by its parent.
    let expected: PageExpectation
    /// Whether invalid nulls are replaced by defaults, so that a salvage can keep the rest of the page.
    let replacesNulls: Bool
    /// Whether some of the page's values have pages of their own.
    let doublesLengths: Bool
    /// Whether columns of words are packed.
    let packsWords: Bool
    var position: Int
    private var reference = 0
    /// The pages to which this one refers. If its slots are left empty, the caller must handle them.
    package private(set) var references: [PageContents.Reference] = []
    private(set) var isUnlinked = !PageReference.fitsAddress
    /// The child, column or entry that is currently read.
    var entryIndex = 0

    /// Creates a reader of a page that belongs to a table of the catalog. The page's header must have been checked. `heap` owns
    /// the nodes.
    package init(
        _ bytes: UnsafeRawBufferPointer, _ page: PageReference, _ expected: PageExpectation,
        _ catalog: Catalog, _ heap: Heap, replacingNulls replacesNulls: Bool = false
    ) {
        self.expected = expected
        self.replacesNulls = replacesNulls
        self.bytes = bytes
        self.page = page
        self.catalog = catalog
        memory = WriteMemory(id: page.owner, heap: heap)
        doublesLengths = bytes[PageLayout.doublingOffset] != 0
        packsWords = bytes[PageLayout.packingOffset] != 0
        position = PageLayout.headerSize + PageReader.count(of: bytes) * 8
    }

    private static func count(of bytes: UnsafeRawBufferPointer) -> Int {
        Int(
            UInt32(
                littleEndian: bytes.loadUnaligned(
                    fromByteOffset: PageLayout.referenceCountOffset, as: UInt32.self)))
    }

    /// Decodes the node, ready for a slot to refer to it. Throws, leaving no node, if the page is not as expected or is
    /// malformed.
    package mutating func node() throws(PageFlaw) -> UnsafeMutableRawPointer {
        do throws(PageFlaw) {
            let node = try uncommittedNode(try kind())
            _ = memory.commit()
            return node
        } catch {
            memory.cancel()
            throw error
        }
    }

    /// Decodes the node with empty slots; ``references`` has the pages for them. The caller must commit or cancel the memory,
    /// also if this throws.
    mutating func unlinkedNode() throws(PageFlaw) -> (node: UnsafeMutableRawPointer, kind: PageLayout.Kind) {
        isUnlinked = true
        let kind = try kind()
        return (try uncommittedNode(kind), kind)
    }

    /// Returns the kind of the page. Throws if its parent may not refer to such a page.
    private func kind() throws(PageFlaw) -> PageLayout.Kind {
        guard let kind = PageLayout.Kind(rawValue: bytes[PageLayout.kindOffset]), kind.fits(expected.role)
        else {
            throw PageFlaw("it is not of the kind that leads to it")
        }
        return kind
    }

    /// Decodes the node. Its memory must still be committed or cancelled.
    private mutating func uncommittedNode(_ kind: PageLayout.Kind) throws(PageFlaw) -> UnsafeMutableRawPointer
    {
        switch expected {
        case .tree(let expected): kind == .leaf ? try leaf(expected) : try inner(expected)
        case .sequence(let expected):
            kind == .sequenceLeaf ? try sequenceLeaf(expected).base : try sequenceInner(expected)
        case .index(let expected): kind == .bucket ? try bucket(expected) : try indexInner(expected)
        case .value: throw PageFlaw("it is of a value, not of a node")
        }
    }

    /// Decodes the large value of the page. Throws if the page is not as expected or is malformed.
    package mutating func value() throws(PageFlaw) -> Cell {
        guard try kind() == .value, case .value(let isString) = expected else {
            throw PageFlaw("it is not of the kind that leads to it")
        }
        guard try readByte() == (isString ? 1 : 0), !doublesLengths else {
            throw PageFlaw("it is a value of another type")
        }
        guard case .inPlace(let bytes) = try readContents(), bytes.count > LargeValue.threshold else {
            throw PageFlaw("it is a value that needs no page")
        }
        try end()
        return Cell(bytes, isString: isString)
    }

    /// Checks that nothing follows the contents.
    func end() throws(PageFlaw) {
        guard reference == PageReader.count(of: bytes), bytes.count - position < 8,
            bytes[position...].allSatisfy({ $0 == 0 })
        else { throw PageFlaw("there is more than it says") }
    }

    /// Stores the page of the next reference in a slot.
    mutating func refer(_ slot: UnsafeMutableRawPointer, _ expected: PageExpectation) throws(PageFlaw) {
        let page = try nextReference(slot, expected)
        if !isUnlinked { NodeSlot.refer(slot, to: page.offset, of: page.file, expected.role) }
    }

    /// Returns the page of the next reference, which belongs to a slot.
    mutating func nextReference(
        _ slot: UnsafeMutableRawPointer, _ expected: PageExpectation
    ) throws(PageFlaw) -> PageReference {
        guard reference < PageReader.count(of: bytes) else { throw PageFlaw("it lacks a reference") }
        let word = UInt64(
            littleEndian: bytes.loadUnaligned(
                fromByteOffset: PageLayout.headerSize + reference * 8, as: UInt64.self))
        // Pages only refer to pages that were written before them, so there are no cycles.
        guard word > 0, word & 7 == 0, word < UInt64(page.offset) else {
            throw PageFlaw("a reference leads nowhere")
        }
        reference += 1
        references.append(
            PageContents.Reference(offset: Int(word), expected: expected, entryIndex: entryIndex, slot: slot))
        return PageReference(file: page.file, offset: Int(word))
    }

    func require(_ count: Int) throws(PageFlaw) {
        guard count <= bytes.count - position else { throw PageFlaw("it ends early") }
    }

    mutating func readByte() throws(PageFlaw) -> UInt8 {
        try require(1)
        defer { position += 1 }
        return bytes[position]
    }

    mutating func readWord() throws(PageFlaw) -> UInt64 {
        try require(8)
        defer { position += 8 }
        return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
    }

    mutating func readKey() throws(PageFlaw) -> Int64 {
        var (number, shift): (UInt64, UInt64) = (0, 0)
        while true {
            let byte = try readByte()
            guard shift < 63 else { throw PageFlaw("a number is too long") }
            number |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return Int64(bitPattern: number) }
            shift += 7
        }
    }

    mutating func readNumber() throws(PageFlaw) -> Int {
        let key = try readKey()
        guard key >= 0, let number = Int(exactly: key) else { throw PageFlaw("a number is out of range") }
        return number
    }
}
