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
        didSet { reader[ReaderState.root] = snapshot.word }
    }
    /// The tables, including those that became known during the transaction.
    @exclusivity(unchecked) public var catalog: Catalog
    /// The reader of whoever reads the version being built; see ``ReaderState``.
    @exclusivity(unchecked) let reader: UnsafeMutablePointer<UInt64>

    /// Where what the transaction does is noted row by row, while somebody reads that. Stores that pass the transaction by
    /// have to be forbidden meanwhile.
    @exclusivity(unchecked) public var rowLog: RowLog?

    /// Keys that cancelled transactions gave out: no later object may have one below its table's floor.
    @exclusivity(unchecked) public var keyFloors: [TableID: ObjectKey] = [:]

    /// Whether lists and sets of objects may get elements that lead nowhere. Earlier versions stored them: what they wrote is
    /// carried out as it is, so that later positions are right, and they are taken out at the end.
    @exclusivity(unchecked) public var keepsElementsWithoutTarget = false

    /// A leaf that the transaction made or copied.
    struct TouchedLeaf {
        var table: TableID
        var firstKey: ObjectKey
        /// What it was when it was touched. Growing moves it.
        fileprivate(set) var first: Leaf

        var leaf: Leaf { first.current }
    }

    @exclusivity(unchecked) var touched: [TouchedLeaf] = []
    /// The collections of strings and bytes that were edited: what they hold now is to be given up by cancelling.
    @exclusivity(unchecked) var editedReferences: Set<CollectionID> = []
    /// The list, set or map that was edited last.
    @exclusivity(unchecked) var lastEditor: Editor?
    @exclusivity(unchecked) var trackers: [SequenceTracker] = []
    @exclusivity(unchecked) var trackerOrdinals: [CollectionID: Int] = [:]
    @exclusivity(unchecked) var places = LinkPlaces()

    struct SequenceTracker {
        var id: CollectionID
        var change: SequenceChange
    }

    /// The version that the transaction builds on.
    public let base: Snapshot

    /// Begins a transaction on top of a version. `reader` must outlive it.
    public init(
        id: UInt64, base: Snapshot, catalog: Catalog, heap: Heap, reader: UnsafeMutablePointer<UInt64>
    ) {
        memory = WriteMemory(id: id, heap: heap)
        snapshot = base
        self.base = base
        self.catalog = catalog
        self.reader = reader
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
            let header = TableHeader.make(catalog.tables[table], memory)
            snapshot.headers[table] = header.base
            return header
        }
        if memory.owns(block) { return TableHeader(base: block) }
        let header = TableHeader(base: block).copy(memory)
        snapshot.headers[table] = header.base
        return header
    }

    /// The leaf that holds a key, which must be there, writable. `adding` rows are counted on the way.
    func writableLeaf(_ table: TableID, _ key: ObjectKey, adding rows: Int = 0) -> Leaf {
        let place = writablePlace(table, key, adding: rows)
        let leaf = Leaf(base: NodeSlot.node(place, .leaf)!)
        return memory.owns(leaf.base) ? leaf : replace(place, leaf.copy(memory), table)
    }

    /// The leaf that holds a key, with a slot for a new row of that key.
    func leafForInsertion(_ table: TableID, _ key: ObjectKey) -> (leaf: Leaf, slot: Int) {
        let place = writablePlace(table, key, adding: 1)
        var leaf: Leaf
        if let block = NodeSlot.node(place, .leaf) {
            leaf = Leaf(base: block)
            if !memory.owns(block) { leaf = replace(place, leaf.copy(memory), table) }
        } else {
            let spec = catalog.tables[table]
            let firstKey = key & ~ObjectKey(spec.leafSpan - 1)
            // A table of many rows gets more of them; if it does not, the commit packs the leaf.
            let isSmall = TableHeader(base: snapshot.headers[table]!).count <= spec.leafSpan
            let capacity = isSmall ? 1 : spec.leafSpan
            leaf = replace(place, Leaf.make(firstKey, capacity: capacity, spec, memory), table)
        }
        leaf.form.insert(.edited)
        let offset = Int(key - leaf.firstKey)
        if let slot = leaf.slot(ofStored: offset) { return (leaf, slot) }
        let last = leaf.stored.count
        if last < leaf.capacity, leaf.stored.next(from: offset) == nil {
            leaf.stored.insert(offset)
            return (leaf, last)
        }
        return insertSlot(offset, leaf, table, place)
    }

    /// Gives an offset of a packed leaf a slot, where others have to make room or there is none left.
    @inline(never)
    private func insertSlot(
        _ offset: Int, _ leaf: Leaf, _ table: TableID, _ place: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    ) -> (leaf: Leaf, slot: Int) {
        // A row that the transaction deleted keeps its slot, which tells of it; a key is never used again.
        let slots = Bits256(0..<leaf.stored.count)
        let spec = catalog.tables[table]
        let capacity = Leaf.capacity(for: leaf.stored.count + 1, span: spec.leafSpan)
        let larger = leaf.relaid(
            capacity: max(capacity, leaf.capacity), keeping: slots, opening: offset, spec, memory)
        leaf.current = larger
        place.pointee = larger.base
        reader[ReaderState.generation] += 1
        return (larger, larger.slot(ofStored: offset)!)
    }

    /// Puts the rows of a sparse leaf, which the transaction owns, into a smaller one.
    func pack(_ leaf: Leaf, _ table: TableID) {
        let spec = catalog.tables[table]
        let capacity = Leaf.capacity(for: leaf.occupied.count, span: spec.leafSpan)
        let place = writablePlace(table, leaf.firstKey, adding: 0)
        let packed = leaf.relaid(capacity: capacity, keeping: leaf.occupied, spec, memory)
        leaf.current = packed
        place.pointee = packed.base
        reader[ReaderState.generation] += 1
    }

    /// Puts a leaf that the transaction made or copied in its place.
    private func replace(
        _ place: UnsafeMutablePointer<UnsafeMutableRawPointer?>, _ leaf: Leaf, _ table: TableID
    ) -> Leaf {
        place.pointee = leaf.base
        touched.append(TouchedLeaf(table: table, firstKey: leaf.firstKey, first: leaf))
        reader[ReaderState.generation] += 1
        return leaf
    }

    /// Where the leaf of a key hangs, on a path that is writable. `adding` rows are counted on the way.
    private func writablePlace(
        _ table: TableID, _ key: ObjectKey, adding rows: Int
    ) -> UnsafeMutablePointer<UnsafeMutableRawPointer?> {
        let header = writableHeader(table)
        let leafIndex = header.leafIndex(of: key)
        while !header.covers(leafIndex) { raise(header) }
        header.count += rows
        var place = header.rootSlot
        var level = header.height
        while level > 0 {
            let node: InnerNode
            if let block = NodeSlot.node(place, .inner) {
                node =
                    memory.owns(block)
                    ? InnerNode(base: block)
                    : InnerNode(base: memory.copy(block, byteCount: InnerNode.byteCount))
            } else {
                node = InnerNode.make(memory)
            }
            place.pointee = node.base
            let child = InnerNode.childIndex(leafIndex, level: level)
            node.counts[child] = UInt32(Int(node.counts[child]) + rows)
            place = node.children + child
            level -= 1
        }
        return place
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
        if buffer.owner == memory.id { return buffer }
        let copy = buffer.copy(kind, memory)
        leaf.columns[column] = copy.data
        return copy
    }

    /// The slot and writable buffer of an object's column. Traps if the object is gone.
    func writableColumn(_ table: TableID, _ key: ObjectKey, _ column: Int) -> (
        buffer: ColumnBuffer, slot: Int
    ) {
        guard let slot = snapshot.table(table).locate(key)?.slot else {
            fatalError("no object of key \(key)")
        }
        rowLog?.noteAssignment(table, key, column)
        let leaf = writableLeaf(table, key)
        return (writableColumn(leaf, column, catalog.tables[table].layouts[column].kind), slot)
    }
}
