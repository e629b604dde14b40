/// Makes the node of a page.
///
/// The page passed its checksum. That it makes sense is checked as far as memory is concerned: counts, places and kinds are
/// in their ranges; nothing is read behind the end.
public struct PageReader {
    let bytes: UnsafeRawBufferPointer
    private let page: PageReference
    let memory: WriteMemory
    let catalog: Catalog
    var position: Int
    private var reference = 0
    /// What the page leads to, if its slots are to be left empty: who reads it decides what becomes of them.
    private(set) var references: [PageContents.Reference]?
    /// The child, column or entry that is being read.
    var place = 0
    /// The level that an inner node says that it has.
    var level = 0
    /// The table of a leaf.
    var table = 0
    /// What the elements of a node of a sequence are.
    var element = ElementKind.link

    /// A reader of a page of one of a catalog's tables. The page's header was checked. `heap` owns the nodes.
    public init(
        _ bytes: UnsafeRawBufferPointer, _ page: PageReference, _ catalog: Catalog, _ heap: Heap
    ) {
        self.bytes = bytes
        self.page = page
        self.catalog = catalog
        memory = WriteMemory(id: page.owner, heap: heap)
        position = PageLayout.headerSize + PageReader.count(of: bytes) * 8
    }

    private static func count(of bytes: UnsafeRawBufferPointer) -> Int {
        Int(
            UInt32(
                littleEndian: bytes.loadUnaligned(
                    fromByteOffset: PageLayout.referenceCountOffset, as: UInt32.self)))
    }

    /// The node, as a slot of a role leads to it. Throws, and nothing was made, if the page is none of the role or makes no
    /// sense.
    public mutating func node(_ role: NodeRole) throws(PageFlaw) -> UnsafeMutableRawPointer {
        do throws(PageFlaw) {
            let node = try uncommittedNode(try kind(role))
            _ = memory.commit()
            return node
        } catch {
            memory.cancel()
            throw error
        }
    }

    /// The node with empty slots, and what they are to lead to. Its memory is still to be committed or cancelled, also if this
    /// throws.
    mutating func looseNode(_ role: NodeRole) throws(PageFlaw) -> (
        node: UnsafeMutableRawPointer, kind: PageLayout.Kind, references: [PageContents.Reference]
    ) {
        references = []
        let kind = try kind(role)
        let node = try uncommittedNode(kind)
        return (node, kind, references!)
    }

    /// What the page is. Throws if that is nothing to which a slot of a role may lead.
    private func kind(_ role: NodeRole) throws(PageFlaw) -> PageLayout.Kind {
        guard let kind = PageLayout.Kind(rawValue: bytes[PageLayout.kindOffset]), kind.fits(role) else {
            throw PageFlaw("it is not of the kind that leads to it")
        }
        return kind
    }

    /// The node, whose memory is still to be committed or cancelled.
    private mutating func uncommittedNode(_ kind: PageLayout.Kind) throws(PageFlaw) -> UnsafeMutableRawPointer
    {
        switch kind {
        case .inner: try inner()
        case .leaf: try leaf()
        case .sequenceLeaf, .sequenceInner: try sequence(kind)
        case .bucket: try bucket()
        case .indexInner: try indexInner()
        }
    }

    /// Makes a slot lead to the page of the next reference.
    mutating func refer(_ slot: UnsafeMutableRawPointer, _ role: NodeRole) throws(PageFlaw) {
        guard reference < PageReader.count(of: bytes) else { throw PageFlaw("it lacks a reference") }
        let word = UInt64(
            littleEndian: bytes.loadUnaligned(
                fromByteOffset: PageLayout.headerSize + reference * 8, as: UInt64.self))
        // What a page refers to was written before it, so that there are no circles.
        guard word > 0, word & 7 == 0, word < UInt64(page.offset) else {
            throw PageFlaw("a reference leads nowhere")
        }
        reference += 1
        if references != nil {
            references!.append(PageContents.Reference(offset: Int(word), place: place, slot: slot))
            return
        }
        NodeSlot.refer(slot, to: Int(word), of: page.file, role)
    }

    func need(_ count: Int) throws(PageFlaw) {
        guard count <= bytes.count - position else { throw PageFlaw("it ends early") }
    }

    mutating func readByte() throws(PageFlaw) -> UInt8 {
        try need(1)
        defer { position += 1 }
        return bytes[position]
    }

    mutating func readWord() throws(PageFlaw) -> UInt64 {
        try need(8)
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
