/// Makes the node of a page.
///
/// The page passed its checksum. That it makes sense is checked as far as memory is concerned: counts, places and kinds are
/// in their ranges; nothing is read behind the end.
public struct PageReader {
    private let bytes: UnsafeRawBufferPointer
    private let page: PageReference
    private let memory: WriteMemory
    private var position: Int
    private var reference = 0

    /// A reader of a page, whose header was checked. `heap` owns the nodes.
    public init(_ bytes: UnsafeRawBufferPointer, _ page: PageReference, _ heap: Heap) {
        self.bytes = bytes
        self.page = page
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
    public mutating func node(_ role: NodeRole, _ catalog: Catalog) throws(PageFlaw)
        -> UnsafeMutableRawPointer
    {
        guard let kind = PageLayout.Kind(rawValue: bytes[PageLayout.kindOffset]), kind.fits(role) else {
            throw PageFlaw("it is not of the kind that leads to it")
        }
        do throws(PageFlaw) {
            let node: UnsafeMutableRawPointer
            switch kind {
            case .inner: node = try inner()
            case .leaf: node = try leaf(catalog)
            case .sequenceLeaf, .sequenceInner: node = try sequence(kind)
            case .bucket: node = try bucket()
            case .indexInner: node = try indexInner()
            }
            _ = memory.commit()
            return node
        } catch {
            memory.cancel()
            throw error
        }
    }

    // MARK: Tables

    private mutating func inner() throws(PageFlaw) -> UnsafeMutableRawPointer {
        let node = InnerNode.make(memory)
        let role = try readByte() == 1 ? NodeRole.leaf : .inner
        let bits = try readWord()
        for index in 0..<InnerNode.fanout where bits >> UInt64(index) & 1 != 0 {
            let count = try readNumber()
            guard count > 0, count <= UInt32.max else { throw PageFlaw("a number of rows is out of range") }
            node.counts[index] = UInt32(count)
            try refer(node.children + index, role)
        }
        return node.base
    }

    private mutating func leaf(_ catalog: Catalog) throws(PageFlaw) -> UnsafeMutableRawPointer {
        let table = try readNumber()
        guard catalog.tables.indices.contains(table) else { throw PageFlaw("it is of an unknown table") }
        let spec = catalog.tables[table]
        let firstKey = try readKey()
        guard firstKey & ObjectKey(spec.leafSpan - 1) == 0 else { throw PageFlaw("its keys begin nowhere") }
        let capacity = try readNumber()
        let isPacked = try readByte() == 1
        guard capacity > 0, capacity <= spec.leafSpan, capacity & (capacity - 1) == 0,
            isPacked == (capacity < spec.leafSpan)
        else { throw PageFlaw("it has no such number of slots") }
        let stored = isPacked ? try readBits() : Bits256(0..<capacity)
        let occupied = try readBits()
        guard stored.count <= capacity, occupied.subtracting(Bits256(0..<stored.count)).isEmpty,
            stored.subtracting(Bits256(0..<spec.leafSpan)).isEmpty
        else { throw PageFlaw("it has rows outside of its slots") }
        let leaf = Leaf.make(firstKey, capacity: capacity, spec, memory)
        if isPacked { leaf.stored = stored }
        leaf.occupied = occupied
        do throws(PageFlaw) {
            for (index, column) in spec.columns.enumerated() {
                guard try readByte() == column.kind.rawValue,
                    try readByte() == column.element?.rawValue ?? 0xFF
                else { throw PageFlaw("a column is of another kind") }
                try read(leaf.column(index), occupied, column)
            }
        } catch {
            // What is not read is zero, which owns nothing.
            leaf.releaseValues(spec.columns)
            throw error
        }
        return leaf.base
    }

    private mutating func read(
        _ buffer: ColumnBuffer, _ slots: Bits256, _ column: ColumnSpec
    ) throws(PageFlaw) {
        if column.kind == .word || column.kind == .wide { buffer.nulls = try readBits() & slots }
        var next = slots.next(from: 0)
        while let slot = next {
            switch column.kind {
            case .word: buffer.setWord(slot, try readWord())
            case .wide: ColumnValues.setWide(buffer.data, slot, (try readWord(), try readWord()))
            case .link: buffer.setWord(slot, UInt64(bitPattern: try readKey()))
            case .any: AnySlot(buffer.data, slot).initialize(try readAny())
            case .string: (buffer.strings + slot).initialize(to: try readString())
            case .bytes: (buffer.bytes + slot).initialize(to: try readBytes())
            case .sequence: try read(sequence: buffer.data + slot * 8, column.element!)
            case .keySet: try read(keys: buffer.data + slot * 8)
            }
            next = slots.next(from: slot + 1)
        }
    }

    // MARK: Sequences

    private mutating func sequence(_ kind: PageLayout.Kind) throws(PageFlaw) -> UnsafeMutableRawPointer {
        guard let element = ElementKind(rawValue: try readByte()) else {
            throw PageFlaw("its elements are of an unknown kind")
        }
        if kind == .sequenceLeaf { return try sequenceLeaf(of: try readNumber(), element).base }
        let level = Int(try readByte())
        let count = try readNumber()
        guard level > 0, count > 0, count <= SequenceNode.fanout else {
            throw PageFlaw("it has no such number of children")
        }
        let node = SequenceNode.makeInner(level: level, memory)
        for index in 0..<count {
            node.totals[index] = try readNumber()
            node.total += node.totals[index]
            try refer(UnsafeMutableRawPointer(node.children + index), .sequence)
        }
        node.count = count
        return node.base
    }

    private mutating func sequenceLeaf(of count: Int, _ element: ElementKind) throws(PageFlaw) -> SequenceNode
    {
        guard count > 0, count <= SequenceNode.leafCapacity else {
            throw PageFlaw("it has no such number of elements")
        }
        let node = SequenceNode.makeLeaf(
            capacity: SequenceNode.leafCapacity(for: count), stride: element.stride, memory)
        do throws(PageFlaw) {
            for index in 0..<count {
                element.initialize(
                    node.elements + index * element.stride, try readElement(element), memory)
                node.count = index + 1
            }
        } catch {
            node.releaseElements(element, memory.heap)
            throw error
        }
        node.total = count
        return node
    }

    private mutating func read(sequence slot: UnsafeMutableRawPointer, _ element: ElementKind)
        throws(PageFlaw)
    {
        let number = try readNumber()
        if number == 1 { return try refer(slot, .sequence) }
        if number == 0 { return }
        let node = try sequenceLeaf(of: number / 2, element)
        node.base.nodeOwner = PageReference.partOfPage
        slot.storeBytes(of: UInt64(UInt(bitPattern: node.base)), as: UInt64.self)
    }

    private mutating func read(keys slot: UnsafeMutableRawPointer) throws(PageFlaw) {
        let number = try readNumber()
        if number == 1 { return try refer(slot, .sequence) }
        if number == 0 { return }
        let count = number / 2
        guard count <= SequenceNode.leafCapacity else { throw PageFlaw("it has no such number of keys") }
        var key: ObjectKey = 0
        if count == 1 {
            slot.storeBytes(of: KeyMultiset.single(try readKey()), as: UInt64.self)
            return
        }
        let node = SequenceNode.makeLeaf(
            capacity: SequenceNode.leafCapacity(for: count), stride: 8, memory)
        node.base.nodeOwner = PageReference.partOfPage
        for index in 0..<count {
            let (sum, overflow) = key.addingReportingOverflow(try readKey())
            if overflow { throw PageFlaw("a key is out of range") }
            key = sum
            node.elements.storeBytes(of: key, toByteOffset: index * 8, as: ObjectKey.self)
        }
        (node.count, node.total) = (count, count)
        slot.storeBytes(of: UInt64(UInt(bitPattern: node.base)), as: UInt64.self)
    }

    // MARK: Indexes

    private mutating func bucket() throws(PageFlaw) -> UnsafeMutableRawPointer {
        let count = try readNumber()
        var capacity = 4
        while capacity < count, capacity < 1 << 20 { capacity *= 2 }
        guard count > 0, count <= capacity else { throw PageFlaw("it has no such number of entries") }
        try need(count * 9)
        let bucket = HashIndex.Bucket.make(capacity, memory)
        for place in 0..<count {
            bucket.entries[place] = (try readWord(), 0)
            try read(keys: bucket.keySlot(place))
        }
        bucket.count = count
        return bucket.reference
    }

    private mutating func indexInner() throws(PageFlaw) -> UnsafeMutableRawPointer {
        let node = memory.allocate(HashIndex.innerBytes)
        (node + 8).initializeMemory(as: UInt8.self, repeating: 0, count: HashIndex.innerBytes - 8)
        let bits = try readNumber()
        for index in 0..<HashIndex.fanout where bits >> index & 1 != 0 {
            try refer(HashIndex.children(node) + index, .index)
        }
        return node
    }

    // MARK: Bytes

    /// Makes a slot lead to the page of the next reference.
    private mutating func refer(_ slot: UnsafeMutableRawPointer, _ role: NodeRole) throws(PageFlaw) {
        guard reference < PageReader.count(of: bytes) else { throw PageFlaw("it lacks a reference") }
        let word = UInt64(
            littleEndian: bytes.loadUnaligned(
                fromByteOffset: PageLayout.headerSize + reference * 8, as: UInt64.self))
        // What a page refers to was written before it, so that there are no circles.
        guard word > 0, word & 7 == 0, word < UInt64(page.offset) else {
            throw PageFlaw("a reference leads nowhere")
        }
        reference += 1
        NodeSlot.refer(slot, to: Int(word), of: page.file, role)
    }

    private func need(_ count: Int) throws(PageFlaw) {
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

    private mutating func readBits() throws(PageFlaw) -> Bits256 {
        let mask = try readByte()
        var bits = Bits256()
        for index in 0..<4 where mask >> UInt8(index) & 1 != 0 { bits[word: index] = try readWord() }
        return bits
    }

    /// The bytes of a string or of data; nil for null.
    private mutating func readContents() throws(PageFlaw) -> UnsafeRawBufferPointer? {
        let number = try readNumber()
        if number == 0 { return nil }
        try need(number - 1)
        defer { position += number - 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<position + number - 1])
    }

    private mutating func readString() throws(PageFlaw) -> String? {
        guard let contents = try readContents() else { return nil }
        return String(decoding: contents, as: UTF8.self)
    }

    private mutating func readBytes() throws(PageFlaw) -> [UInt8]? {
        guard let contents = try readContents() else { return nil }
        return Array(contents)
    }

    private mutating func readAny() throws(PageFlaw) -> Cell {
        guard let tag = AnyTag(rawValue: try readByte()) else { throw PageFlaw("a value is of no type") }
        switch tag {
        case .null: return .null
        case .bool, .int, .float, .double, .date: return .typedWord(try readWord(), tag)
        case .decimal128, .objectId, .uuid: return .typedWide(try readWord(), try readWord(), tag)
        case .string: return .string(try readString() ?? "")
        case .bytes: return .bytes(try readBytes() ?? [])
        case .link:
            let table = try readNumber()
            return .typedLink(RowID(table: table, key: try readKey()))
        }
    }

    private mutating func readElement(_ element: ElementKind) throws(PageFlaw) -> Cell {
        switch element {
        case .word: return .word(try readWord())
        case .wide: return .wide(try readWord(), try readWord())
        case .link: return .link(try readKey())
        case .string: return try readString().map(Cell.string) ?? .null
        case .bytes: return try readBytes().map(Cell.bytes) ?? .null
        case .any: return try readAny()
        case .optionalWord: return try readByte() == 0 ? .null : .word(try readWord())
        case .optionalWide: return try readByte() == 0 ? .null : .wide(try readWord(), try readWord())
        }
    }
}

extension Leaf {
    /// Gives up the strings and bytes of a leaf that does not come to be, and those of its small sequences.
    fileprivate func releaseValues(_ columns: [ColumnSpec]) {
        for (index, column) in columns.enumerated() {
            let buffer = self.column(index)
            occupied.forEach { slot in
                switch column.kind {
                case .string, .bytes, .any: buffer.ownedBits(slot, column.kind)?.release()
                case .sequence:
                    let word = NodeSlot.load(buffer.data + slot * 8)
                    if PageReference(stub: UInt64(word)) == nil,
                        let root = UnsafeMutableRawPointer(bitPattern: word)
                    {
                        SequenceNode(base: root).releaseElements(column.element!, nil)
                    }
                default: break
                }
            }
        }
    }
}

extension SequenceNode {
    /// Gives up the strings and bytes of a leaf.
    func releaseElements(_ element: ElementKind, _ heap: Heap?) {
        guard element.isReference, isLeaf else { return }
        let heap = heap ?? Heap()
        for index in 0..<count {
            element.ownedBits(elements + index * element.stride, heap)?.bits.release()
        }
    }
}
