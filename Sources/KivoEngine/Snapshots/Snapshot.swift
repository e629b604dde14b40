/// An immutable version of all data.
///
///     ┌────────────────────┐
///     │  0  owner          │
///     │  8  table count    │
///     │ 16  table headers  │
///     └────────────────────┘
///
/// An unowned view: valid while the version is pinned, or, in a write transaction, until its next change.
@usableFromInline package struct Snapshot {
    let base: UnsafeMutableRawPointer

    init(base: UnsafeMutableRawPointer) { self.base = base }

    /// Whether two views are of the same snapshot in memory.
    @usableFromInline package static func === (a: Snapshot, b: Snapshot) -> Bool { a.base == b.base }

    static func byteCount(tables: Int) -> Int { 16 + tables * 8 }

    var tableCount: Int { base.load(fromByteOffset: 8, as: Int.self) }
    var headers: UnsafeMutablePointer<UnsafeMutableRawPointer?> {
        (base + 16).assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    }

    /// Returns a table of this version. Tables that the version does not contain are empty.
    @inline(__always)
    package func table(_ id: TableID) -> Table {
        id < tableCount ? Table(header: headers[id].map(TableHeader.init)) : Table(header: nil)
    }

    /// Whether a row contains the string or bytes that a later version replaced or evicted. A row that is not in memory has others.
    ///
    /// - Parameter isEvicting: Whether nodes may have been evicted and read again.
    func holds(_ bits: OwnedBits, at location: ValueLocation, isEvicting: Bool) -> Bool {
        guard let leaf = table(TableID(location.table)).residentLeaf(containing: location.key),
            let slot = leaf.slot(of: location.key)
        else { return false }
        guard let own = leaf.column(Int(location.column)).ownedBits(slot, bits.columnKind) else {
            return false
        }
        if own.isSame(as: bits) { return true }
        // A leaf that was evicted and read again has other strings with the same contents, and both may lead to either.
        return isEvicting && PageReference(ofNode: leaf.base) != nil && own.mayEqual(bits)
    }

    static func make(tables: Int, _ memory: WriteMemory) -> Snapshot {
        let snapshot = Snapshot(base: memory.allocate(byteCount(tables: tables)))
        snapshot.base.storeBytes(of: tables, toByteOffset: 8, as: Int.self)
        for index in 0..<tables { snapshot.headers[index] = nil }
        return snapshot
    }

    /// Returns a copy that the transaction owns, with room for at least `tables` tables.
    func copy(tables: Int, _ memory: WriteMemory) -> Snapshot {
        let copy = Snapshot.make(tables: max(tables, tableCount), memory)
        for index in 0..<tableCount { copy.headers[index] = headers[index] }
        memory.retire(base)
        return copy
    }
}

/// The memory of a committed version is immutable, and the holder of a snapshot keeps its version pinned. Only a transaction's
/// snapshot changes, and it stays with the transaction.
extension Snapshot: @unchecked Sendable {}

extension Snapshot {
    /// Returns the objects that refer to an object through one link column.
    package func backlinks(_ backlinks: TableID, of target: ObjectKey) -> KeyMultiset {
        guard let (leaf, slot) = table(backlinks).locate(target) else { return KeyMultiset() }
        return leaf.column(0).keySet(slot)
    }

    /// Calls `body` with each object to which a link column, or a sequence of links, of an object leads.
    package func forEachTarget(
        of key: ObjectKey, _ table: TableID, _ column: Int, _ catalog: Catalog, _ body: (ObjectKey) -> Void
    ) {
        guard let (leaf, slot) = self.table(table).locate(key) else { return }
        let spec = catalog.tables[table].columns[column]
        switch spec.kind {
        case .link:
            let word = leaf.column(column).word(slot)
            if word != 0 { body(ObjectKey(bitPattern: word)) }
        case .sequence where spec.element == .link:
            leaf.column(column).sequence(slot, .link).forEachLink { if $0 != 0 { body($0) } }
        default: break
        }
    }

    /// Calls `body` with each row to which an any column, or a sequence of any values, of an object leads.
    func forEachAnyTarget(
        of key: ObjectKey, _ table: TableID, _ column: Int, _ catalog: Catalog, _ body: (RowID) -> Void
    ) {
        guard let (leaf, slot) = self.table(table).locate(key) else { return }
        if catalog.tables[table].columns[column].kind == .any {
            if let row = AnySlot(leaf.column(column).data, slot).link { body(row) }
        } else {
            leaf.column(column).sequence(slot, .any).forEachAnyLink(body)
        }
    }

    /// Calls `body` with each row that an object owns.
    package func forEachOwned(
        by key: ObjectKey, _ table: TableID, _ catalog: Catalog, _ body: (RowID) -> Void
    ) {
        for (index, column) in catalog.tables[table].columns.enumerated() {
            if column.isOwning {
                forEachTarget(of: key, table, index, catalog) { body(RowID(table: column.target!, key: $0)) }
            } else if column.isAny {
                forEachAnyTarget(of: key, table, index, catalog) { row in
                    if catalog.tables[row.table].isEmbedded { body(row) }
                }
            }
        }
    }

    /// Returns the row that owns an embedded row, and its column, or nil if there is none. O(columns that lead to the table · log
    /// n).
    package func owner(of row: RowID, _ catalog: Catalog) -> (row: RowID, column: Int)? {
        for origins in catalog.tables[row.table].incoming where catalog.isOwning(origins, row.table) {
            if let key = backlinks(origins.backlinks, of: row.key).first {
                return (RowID(table: origins.table, key: key), origins.column)
            }
        }
        return nil
    }

    /// Returns the number of objects to which a link column, or a sequence of links, of an object leads. O(log n).
    package func targetCount(
        of key: ObjectKey, _ table: TableID, _ column: Int, _ catalog: Catalog
    ) -> Int {
        guard let (leaf, slot) = self.table(table).locate(key) else { return 0 }
        let buffer = leaf.column(column)
        if catalog.tables[table].columns[column].kind == .link { return buffer.word(slot) == 0 ? 0 : 1 }
        return buffer.sequence(slot, .link).count
    }
}

extension Snapshot {
    /// Releases everything that this version owns when the store is closed. The newest version owns all nodes. Nodes in files
    /// that were not loaded are skipped.
    func destroy(_ catalog: Catalog, _ heap: Heap) {
        var strays = heap.cache.readAgain
        func free(_ block: UnsafeMutableRawPointer) {
            if !strays.isEmpty { strays[block] = nil }
            heap.free(block)
        }
        for id in 0..<tableCount {
            guard let block = headers[id] else { continue }
            let header = TableHeader(base: block)
            let columns = catalog.tables[id].columns
            if let root = NodeSlot.loadedNode(header.rootSlot) {
                Snapshot.destroy(root, level: header.height, columns, heap, free)
            }
            for ordinal in 0..<header.indexCount {
                HashIndex(root: NodeSlot.loadedNode(header.indexes + ordinal))
                    .forEachBlock(isLoaded: true, free)
            }
            heap.free(block)
        }
        heap.free(base)
        // Only older versions led to those that are left. Parents are destroyed before their children, with them.
        let levels = strays.map { (node: $0, element: $1, level: SequenceNode(base: $0).level) }
        for (root, element, _) in levels.sorted(by: { $0.level > $1.level }) where strays[root] != nil {
            PersistentSequence(root: root, element: element).destroy(heap, free)
        }
    }

    private static func destroy(
        _ node: UnsafeMutableRawPointer, level: Int, _ columns: [ColumnSpec], _ heap: Heap,
        _ free: @escaping (UnsafeMutableRawPointer) -> Void
    ) {
        if level > 0 {
            let inner = InnerNode(base: node)
            for index in 0..<InnerNode.fanout {
                if let child = NodeSlot.loadedNode(inner.children + index) {
                    destroy(child, level: level - 1, columns, heap, free)
                }
            }
            heap.free(node)
            return
        }
        let leaf = Leaf(base: node)
        for (index, column) in columns.enumerated() {
            let buffer = leaf.column(index)
            leaf.occupied.forEach { slot in
                switch column.kind {
                case .string, .bytes, .any: buffer.ownedBits(slot, column.kind)?.release()
                case .sequence:
                    let root = NodeSlot.loadedNode(buffer.data + slot * 8)
                    PersistentSequence(root: root, element: column.element!).destroy(heap, free)
                case .keySet:
                    KeyMultiset(loadedSlot: buffer.data + slot * 8)
                        .forEachBlock(isLoaded: true, free)
                case .word, .wide, .link: break
                }
            }
        }
        leaf.forEachBlock { heap.free($0) }
    }
}
