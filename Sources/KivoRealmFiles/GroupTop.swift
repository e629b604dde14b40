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
