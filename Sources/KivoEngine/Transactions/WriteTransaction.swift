/// The only writer of a store. It builds the next version on top of the newest.
///
/// The first change to a leaf copies it (and the path to it) into memory that the transaction owns; later changes are stores.
/// Changes are recorded in bitmaps next to the copies and, for sequences, operation by operation.
///
/// Not thread-safe; belongs to the code that began it. Ends with ``commit(_:)`` or ``cancel()``.
@usableFromInline package final class WriteTransaction {
    /// The memory that the transaction owns, and the blocks and values that it removed from older versions.
    package let memory: WriteMemory
    /// The version being built. Changes with the first write.
    @exclusivity(unchecked) package internal(set) var snapshot: Snapshot {
        didSet { reader.pointee.snapshot = snapshot }
    }
    /// The tables, including those that were added during the transaction.
    @exclusivity(unchecked) package var catalog: Catalog
    /// The state of the reader of the version being built; see ``ReaderState``.
    @exclusivity(unchecked) let reader: UnsafeMutablePointer<ReaderState>

    /// The log of the transaction's changes, row by row, while it is being read. Direct stores bypass the transaction and must be
    /// disabled meanwhile.
    @exclusivity(unchecked) package var rowLog: RowLog?

    /// Keys below which no key may be allocated, because cancelled transactions have used them, by table.
    @exclusivity(unchecked) package var keyFloors: [TableID: ObjectKey] = [:]

    /// A Boolean value that indicates whether elements of lists and sets of objects may have no target. Earlier versions of the
    /// library stored such elements. Replaying their edits unchanged keeps later positions right; the elements are removed at the
    /// end.
    @exclusivity(unchecked) package var keepsElementsWithoutTarget = false

    /// A leaf that the transaction created or copied.
    struct TouchedLeaf {
        var table: TableID
        var firstKey: ObjectKey
        /// The leaf when it was first touched. Growing moves its rows to another leaf.
        fileprivate(set) var first: Leaf

        var leaf: Leaf { first.current }
    }

    @exclusivity(unchecked) var touched: [TouchedLeaf] = []
    /// The collections of strings and bytes that were edited. Cancelling releases what the transaction stored in them.
    @exclusivity(unchecked) var editedReferences: Set<CollectionID> = []
    /// The list, set or map that was edited last.
    @exclusivity(unchecked) var lastEditor: Editor?
    /// The editor before it: a map is edited in two sequences in turn.
    @exclusivity(unchecked) var editorBefore: Editor?
    @exclusivity(unchecked) var trackers: [SequenceTracker] = []
    @exclusivity(unchecked) var trackerOrdinals: [CollectionID: Int] = [:]
    @exclusivity(unchecked) var linkPositions = LinkPositions()

    struct SequenceTracker {
        var id: CollectionID
        var change: SequenceChange
    }

    /// The version on which the transaction builds.
    package let base: Snapshot

    /// Begins a transaction on top of a version. `reader` must outlive it.
    package init(
        id: UInt64, base: Snapshot, catalog: Catalog, heap: Heap, reader: UnsafeMutablePointer<ReaderState>
    ) {
        memory = WriteMemory(id: id, heap: heap)
        snapshot = base
        self.base = base
        self.catalog = catalog
        self.reader = reader
    }

    /// A Boolean value that indicates whether anything was written so far.
    package var hasChanges: Bool { memory.owns(snapshot.base) }

    /// Returns a table of the version being built.
    @inline(__always)
    package func table(_ id: TableID) -> Table { snapshot.table(id) }

    /// Returns the writable header of a table, which is created if the version does not have it yet.
    func writableHeader(_ table: TableID) -> TableHeader {
        if !memory.owns(snapshot.base) || table >= snapshot.tableCount {
            snapshot = snapshot.copy(tables: catalog.tables.count, memory)
        }
        guard let block = snapshot.headers[table] else {
            let header = TableHeader.make(catalog.tables[table], memory)
            snapshot.headers[table] = header.base
            return header
        }
        if memory.owns(block) { return TableHeader(base: block) }
        let header = TableHeader(base: block).copy(memory)
        snapshot.headers[table] = header.base
        return header
    }

    /// Returns the writable leaf that contains a key, which must exist. Adds `rows` to the row counts on the path.
    func writableLeaf(_ table: TableID, _ key: ObjectKey, adding rows: Int = 0) -> Leaf {
        let nodeSlot = writableNodeSlot(table, key, adding: rows)
        let leaf = Leaf(base: NodeSlot.node(nodeSlot, .leaf)!)
        return memory.owns(leaf.base) ? leaf : replace(nodeSlot, copy(leaf, table), table)
    }

    /// Returns a writable copy of a leaf of another transaction.
    private func copy(_ leaf: Leaf, _ table: TableID) -> Leaf {
        if memory.heap.cache.isLimited, PageReference(ofNode: leaf.base) != nil {
            memory.dirtied += leaf.residentByteCount(catalog.tables[table])
        }
        return leaf.copy(memory)
    }

    /// Returns the leaf for a key, with a slot for a new row.
    func leafForInsertion(_ table: TableID, _ key: ObjectKey) -> (leaf: Leaf, slot: Int) {
        let nodeSlot = writableNodeSlot(table, key, adding: 1)
        var leaf: Leaf
        if let block = NodeSlot.node(nodeSlot, .leaf) {
            leaf = Leaf(base: block)
            if !memory.owns(block) { leaf = replace(nodeSlot, copy(leaf, table), table) }
        } else {
            let spec = catalog.tables[table]
            let firstKey = key & ~ObjectKey(spec.leafSpan - 1)
            // A large table probably gets more rows here; otherwise the commit packs the leaf.
            let isSmall = TableHeader(base: snapshot.headers[table]!).count <= spec.leafSpan
            let capacity = isSmall ? 1 : spec.leafSpan
            leaf = replace(nodeSlot, Leaf.make(firstKey, capacity: capacity, spec, memory), table)
            if memory.heap.cache.isLimited { memory.dirtied += leaf.residentByteCount(spec) }
        }
        leaf.form.insert(.edited)
        let offset = Int(key - leaf.firstKey)
        if let slot = leaf.slot(ofStored: offset) { return (leaf, slot) }
        let last = leaf.stored.count
        if last < leaf.capacity, leaf.stored.next(from: offset) == nil {
            leaf.stored.insert(offset)
            return (leaf, last)
        }
        return insertSlot(offset, leaf, table, nodeSlot)
    }

    /// Inserts a slot for an offset into a packed leaf, when others must be moved or none remains.
    @inline(never)
    private func insertSlot(
        _ offset: Int, _ leaf: Leaf, _ table: TableID,
        _ nodeSlot: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> (leaf: Leaf, slot: Int) {
        // A row that the transaction deleted keeps its slot, which records the deletion; keys are never reused.
        let slots = Bits256(0..<leaf.stored.count)
        let spec = catalog.tables[table]
        let capacity = Leaf.capacity(for: leaf.stored.count + 1, span: spec.leafSpan)
        let larger = leaf.resized(
            capacity: max(capacity, leaf.capacity), keeping: slots, opening: offset, spec, memory)
        leaf.current = larger
        nodeSlot.pointee = larger.base
        reader.pointee.generation += 1
        return (larger, larger.slot(ofStored: offset)!)
    }

    /// Moves the rows of a sparse leaf, which the transaction owns, into a smaller one.
    func pack(_ leaf: Leaf, _ table: TableID) {
        let spec = catalog.tables[table]
        let capacity = Leaf.capacity(for: leaf.occupied.count, span: spec.leafSpan)
        let nodeSlot = writableNodeSlot(table, leaf.firstKey, adding: 0)
        let packed = leaf.resized(capacity: capacity, keeping: leaf.occupied, spec, memory)
        leaf.current = packed
        nodeSlot.pointee = packed.base
        reader.pointee.generation += 1
    }

    /// Stores a leaf that the transaction created or copied in its slot.
    private func replace(
        _ nodeSlot: UnsafeMutablePointer<UnsafeMutableRawPointer?>, _ leaf: Leaf, _ table: TableID
    ) -> Leaf {
        nodeSlot.pointee = leaf.base
        touched.append(TouchedLeaf(table: table, firstKey: leaf.firstKey, first: leaf))
        reader.pointee.generation += 1
        return leaf
    }

    /// Returns the slot that refers to the leaf of a key, on a writable path. Adds `rows` to the row counts on the path.
    private func writableNodeSlot(
        _ table: TableID, _ key: ObjectKey, adding rows: Int
    ) -> UnsafeMutablePointer<UnsafeMutableRawPointer?> {
        let header = writableHeader(table)
        let leafIndex = header.leafIndex(of: key)
        while !header.covers(leafIndex) { addLevel(to: header) }
        header.count += rows
        var nodeSlot = header.rootSlot
        var level = header.height
        while level > 0 {
            let node: InnerNode
            if let block = NodeSlot.node(nodeSlot, .inner) {
                node =
                    memory.owns(block)
                    ? InnerNode(base: block)
                    : InnerNode(base: memory.copy(block, byteCount: InnerNode.byteCount))
            } else {
                node = InnerNode.make(memory)
            }
            nodeSlot.pointee = node.base
            let child = InnerNode.childIndex(leafIndex, level: level)
            node.counts[child] = UInt32(Int(node.counts[child]) + rows)
            nodeSlot = node.children + child
            level -= 1
        }
        return nodeSlot
    }

    /// Adds a level at the top of a tree.
    private func addLevel(to header: TableHeader) {
        header.height += 1
        guard header.root != nil else { return }
        let node = InnerNode.make(memory)
        node.children[0] = header.root
        node.counts[0] = UInt32(header.count)
        header.root = node.base
    }

    /// Returns a writable buffer of a column in a writable leaf.
    @inline(__always)
    func writableColumn(_ leaf: Leaf, _ column: Int, _ kind: ColumnKind) -> ColumnBuffer {
        let buffer = leaf.column(column)
        if buffer.owner == memory.id { return buffer }
        let copy = buffer.copy(kind, memory)
        leaf.columns[column] = copy.data
        return copy
    }

    /// Returns the slot and the writable buffer of an object's column. Traps if the object was deleted.
    func writableColumn(_ table: TableID, _ key: ObjectKey, _ column: Int) -> (
        buffer: ColumnBuffer, slot: Int
    ) {
        guard let slot = snapshot.table(table).locate(key)?.slot else {
            fatalError("no object of key \(key)")
        }
        rowLog?.recordAssignment(table, key, column)
        let leaf = writableLeaf(table, key)
        return (writableColumn(leaf, column, catalog.tables[table].layouts[column].kind), slot)
    }
}

extension WriteTransaction {
    /// Checks the version being built; see ``Snapshot/checkInvariants(_:_:)``. Debug builds call it at commit for the tables that
    /// the transaction touched, as long as they are small.
    func checkInvariants() {
        #if DEBUG
        for table in Set(touched.map { $0.table }) where snapshot.table(table).count <= 512 {
            snapshot.checkInvariants(table, catalog)
        }
        #endif
    }
}
