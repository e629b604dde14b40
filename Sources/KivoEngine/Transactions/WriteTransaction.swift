/// The one writer of a store: builds the next version on top of the newest.
///
/// The first change to a leaf copies it (and the path to it) into memory that the transaction owns; later changes
/// are stores. What was changed is recorded in bitmaps beside the copies and, for sequences, operation by operation.
///
/// Not thread-safe; belongs to whoever began it. Ends with ``commit()`` or ``cancel()``.
public final class WriteTransaction {
    /// The memory that the transaction owns, and what it takes out of older versions.
    public let memory: WriteMemory
    /// The version being built. Changes with the first write.
    @exclusivity(unchecked) public internal(set) var snapshot: Snapshot {
        didSet { clock[Clock.root] = snapshot.word }
    }
    /// The tables, including those that became known during the transaction.
    @exclusivity(unchecked) public var catalog: Catalog
    /// The clock of whoever reads the version being built; see ``Clock``.
    @exclusivity(unchecked) let clock: UnsafeMutablePointer<UInt64>

    /// Keys that cancelled transactions gave out: no later object may have one below its table's floor.
    @exclusivity(unchecked) public var keyFloors: [TableID: ObjectKey] = [:]

    struct TouchedLeaf {
        var table: TableID
        var index: Int
        var leaf: Leaf
    }

    @exclusivity(unchecked) var touched: [TouchedLeaf] = []
    /// The list, set or map that was edited last.
    @exclusivity(unchecked) var lastEditor: Editor?
    @exclusivity(unchecked) var trackers: [SequenceTracker] = []
    @exclusivity(unchecked) var trackerOrdinals: [CollectionID: Int] = [:]
    @exclusivity(unchecked) var places = LinkPlaces()

    struct SequenceTracker {
        var id: CollectionID
        var change: SequenceChange
    }

    /// Begins a transaction on top of a version. `clock` must outlive it.
    public init(
        id: UInt64, base: Snapshot, catalog: Catalog, heap: Heap, clock: UnsafeMutablePointer<UInt64>
    ) {
        memory = WriteMemory(id: id, heap: heap)
        snapshot = base
        self.catalog = catalog
        self.clock = clock
    }

    /// Whether anything was written so far.
    public var hasChanges: Bool { memory.owns(snapshot.base) }

    /// A table of the version being built.
    @inline(__always)
    public func table(_ id: TableID) -> Table { snapshot.table(id) }

    /// The header of a table, writable; makes the table if the version does not have it yet.
    func writableHeader(_ table: TableID) -> TableHeader {
        if !memory.owns(snapshot.base) || table >= snapshot.tableCount {
            snapshot = snapshot.copy(tables: catalog.tables.count, memory)
        }
        guard let block = snapshot.headers[table] else {
            let header = TableHeader.make(indexes: catalog.tables[table].indexedColumns.count, memory)
            snapshot.headers[table] = header.base
            return header
        }
        if memory.owns(block) { return TableHeader(base: block) }
        let header = TableHeader(base: block).copy(memory)
        snapshot.headers[table] = header.base
        return header
    }

    /// The leaf of an index, writable; made if it does not exist. `adding` rows are counted on the way.
    func writableLeaf(_ table: TableID, _ leafIndex: Int, adding rows: Int = 0) -> Leaf {
        let header = writableHeader(table)
        while !header.covers(leafIndex) { raise(header) }
        header.count += rows
        var slot = header.rootSlot
        var level = header.height
        while level > 0 {
            let node: InnerNode
            if let block = slot.pointee {
                node =
                    memory.owns(block)
                    ? InnerNode(base: block)
                    : InnerNode(base: memory.copy(block, byteCount: InnerNode.byteCount))
            } else {
                node = InnerNode.make(memory)
            }
            slot.pointee = node.base
            let child = InnerNode.childIndex(leafIndex, level: level)
            node.counts[child] = UInt32(Int(node.counts[child]) + rows)
            slot = node.children + child
            level -= 1
        }
        if let block = slot.pointee, memory.owns(block) { return Leaf(base: block) }
        let leaf =
            slot.pointee.map { Leaf(base: $0).copy(memory) } ?? Leaf.make(catalog.tables[table], memory)
        slot.pointee = leaf.base
        touched.append(TouchedLeaf(table: table, index: leafIndex, leaf: leaf))
        clock[Clock.generation] += 1
        return leaf
    }

    /// Puts a level on top of a tree.
    private func raise(_ header: TableHeader) {
        header.height += 1
        guard header.root != nil else { return }
        let node = InnerNode.make(memory)
        node.children[0] = header.root
        node.counts[0] = UInt32(header.count)
        header.root = node.base
    }

    /// A column's buffer in a writable leaf, itself writable.
    @inline(__always)
    func writableColumn(_ leaf: Leaf, _ column: Int, _ kind: ColumnKind) -> ColumnBuffer {
        let buffer = leaf.column(column)
        if memory.owns(buffer.block) { return buffer }
        let copy = buffer.copy(kind, memory)
        leaf.columns[column] = copy.data
        return copy
    }

    /// The leaf, slot and writable buffer of an object's column, marked as modified. Traps if the object is gone.
    func writableColumn(_ table: TableID, _ key: ObjectKey, _ column: Int) -> (
        buffer: ColumnBuffer, slot: Int
    ) {
        guard snapshot.table(table).contains(key) else { fatalError("no object of key \(key)") }
        let leaf = writableLeaf(table, Int(key) >> 8)
        let slot = Int(key) & 255
        let buffer = writableColumn(leaf, column, catalog.tables[table].columns[column].kind)
        return (buffer, slot)
    }
}
