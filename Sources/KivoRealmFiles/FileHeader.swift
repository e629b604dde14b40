/// The 24 bytes at the start of a file, with the current one of two snapshots and its offset.
struct FileHeader {
    static let size = 24
    static let magicOffset = 16
    private static let footerSize = 16
    private static let magic: [UInt8] = [0x54, 0x2D, 0x44, 0x42]
    private static let footerCookie: UInt64 = 0x3034_1252_37E5_26C8

    /// The current one of the header's two slots: 0 or 1.
    let slot: Int
    /// Whether the top reference is at the end of the file, which was written front to back.
    let isStreaming: Bool
    let version: Int
    /// The offset of the current snapshot; 0 if there is none.
    let top: UInt64
    /// The offset of `top` itself.
    let topOffset: Int

    init(_ bytes: UnsafeRawBufferPointer) throws(RealmFileError) {
        guard bytes.count > 0 else { throw .empty }
        guard bytes.count >= FileHeader.size else {
            throw .truncated(offset: bytes.count, reason: "the header has 24 bytes")
        }
        guard bytes[FileHeader.magicOffset..<20].elementsEqual(FileHeader.magic) else {
            if FileHeader.looksEncrypted(bytes) { throw .encrypted }
            throw .notARealm(offset: FileHeader.magicOffset, reason: "the letters of the format are missing")
        }
        guard bytes.count % 8 == 0 else {
            throw .truncated(offset: bytes.count, reason: "the size is not a multiple of 8")
        }
        slot = Int(bytes[23] & 1)
        let ref = FileHeader.word(bytes, at: 8 * slot)
        let other = FileHeader.word(bytes, at: 8 * (1 - slot))
        version = Int(bytes[20 + slot])
        isStreaming = slot == 0 && ref == .max
        if isStreaming {
            let footer = bytes.count - FileHeader.footerSize
            guard footer >= FileHeader.size, FileHeader.word(bytes, at: footer + 8) == FileHeader.footerCookie
            else {
                throw .truncated(
                    offset: bytes.count, reason: "the end of a file written front to back is missing")
            }
            top = FileHeader.word(bytes, at: footer)
            topOffset = footer
        } else {
            top = ref
            topOffset = 8 * slot
        }
        if top == 0, !isStreaming, other != 0 {
            throw .emptyOrDamaged(
                offset: 23, reason: "the current snapshot has no tables, but there is an earlier one")
        }
        // A realm to which nothing was written may not have a version yet.
        guard RealmFileError.readableVersions.contains(version) || top == 0 && version == 0 else {
            throw .unsupportedVersion(version, offset: 20 + slot)
        }
    }

    private static func word(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Whether the file begins like an encrypted one, with a page that has a write counter and a hash for each following page.
    /// This is uncertain without the key.
    private static func looksEncrypted(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= 8192, bytes.count % 4096 == 0 else { return false }
        let writes = UInt32(truncatingIfNeeded: word(bytes, at: 0))
        guard (1...100_000).contains(writes) else { return false }
        // Images and fonts begin with small numbers as well, but not with 28 bytes that nearly all differ.
        return Set(bytes[4..<32]).count >= 16
    }
}

/// The root node of a file: the names of its tables, the tables, and numbers about the file.
struct GroupTop {
    /// The size of the file according to its root node. The file can be longer.
    let logicalSize: Int
    /// The names of the tables, or "" for slots without a table.
    let names: [String]
    /// The offset of each table, or 0 for slots without one.
    let tables: [Int64]
    /// The number of the transaction that wrote the snapshot, or nil if the file contains none.
    let transaction: UInt64?
    let history: UInt64

    private static let sizes: Set<Int> = [3, 5, 7, 9, 10, 11, 12]
    /// The limit of table indices: the index of a table is the low half of its key.
    private static let mostTables = 1 << 16

    init(_ bytes: FileBytes, _ header: FileHeader) throws(RealmFileError) {
        let size = bytes.bytes.count
        guard header.top & 7 == 0, header.top >= FileHeader.size else {
            throw .damaged(
                offset: header.topOffset, reason: "the reference to the top leads to no place for a node")
        }
        guard let ref = Int(exactly: header.top), ref <= size - Node.headerSize else {
            throw .truncated(offset: size, reason: "the top of the file is missing")
        }
        let node = Node(header: bytes.bytes.baseAddress! + ref, ref: ref)
        guard node.hasRefs, !node.isInner, node.unit == .bits, GroupTop.sizes.contains(node.count) else {
            throw node.damaged("there is another kind of node where the top should be")
        }
        guard let length = node.payloadLength, length <= size - ref - Node.headerSize else {
            throw .truncated(offset: size, reason: "the top of the file ends after the file")
        }
        let slots = try node.references("the top")
        guard let logical = slots.slot(2).tagged, logical >= FileHeader.size else {
            throw node.damaged("the size of the file is missing")
        }
        guard logical <= size else {
            throw .truncated(offset: size, reason: "the file should have \(logical) bytes")
        }
        logicalSize = Int(logical)
        transaction = slots.slot(6).tagged
        history = slots.slot(7).tagged ?? 0
        let view = FileView(bytes, limit: logicalSize, version: header.version)
        let nameNode = try view.node(at: slots.slot(0).ref)
        let leaf = try BlobLeaf(nameNode, .text(nullable: false), view)
        let refNode = try view.node(at: slots.slot(1).ref)
        let refs = try refNode.references("the list of tables")
        guard leaf.count == refs.count, refs.count <= GroupTop.mostTables else {
            throw refNode.damaged("there are \(refs.count) tables but \(leaf.count) names")
        }
        var names: [String] = []
        var tables: [Int64] = []
        names.reserveCapacity(refs.count)
        tables.reserveCapacity(refs.count)
        for index in 0..<refs.count {
            guard case .ref(let ref) = refs.slot(index) else {
                names.append("")
                tables.append(0)
                continue
            }
            names.append(try leaf.name(at: index, view))
            tables.append(ref)
        }
        self.names = names
        self.tables = tables
    }
}

extension GroupTop {
    /// Creates the root node of a realm without tables.
    init() {
        logicalSize = FileHeader.size
        names = []
        tables = []
        transaction = nil
        history = 0
    }
}
