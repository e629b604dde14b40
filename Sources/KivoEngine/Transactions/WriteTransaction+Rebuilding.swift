/// Conversion of the rows of tables whose columns a migration changes. A transaction that rebuilds tables does nothing else: it
/// reports no changes of rows, and earlier versions must not be read with the new catalog.
extension WriteTransaction {
    /// Converts the rows of a table to the columns in the transaction's current catalog. Keys and references to the rows are
    /// kept. New columns have their defaults. A column without null that takes over values has its default in place of nulls.
    /// O(rows · columns); lists, sets and maps are taken over as a whole where their element kinds allow it.
    package func rebuild(_ redefinition: TableRedefinition, _ redefined: RedefinedTable) {
        for orphan in redefined.orphans { clear(orphan) }
        guard let old = detach(redefinition.table) else { return }
        let header = TableHeader.make(catalog.tables[redefinition.table], memory)
        header.nextKey = old.nextKey
        snapshot.headers[redefinition.table] = header.base
        Table(header: old).forEachLeaf { leaf in
            leaf.forEachRow(in: leaf.occupied) { slot, key in
                move(leaf, slot, key, redefinition, redefined.old)
            }
            return true
        }
        retire(old)
    }

    /// Removes a table without rows.
    package func drop(_ table: TableID, _ redefined: RedefinedTable) {
        for orphan in redefined.orphans { clear(orphan) }
        guard let old = detach(table) else { return }
        precondition(old.count == 0, "a table that is dropped has no rows")
        retire(old)
    }

    /// Deletes the rows of tables of backlinks that no column uses.
    package func clear(orphans: [TableID]) { for orphan in orphans { clear(orphan) } }

    /// Removes a table from the version being built.
    private func detach(_ table: TableID) -> TableHeader? {
        guard let old = snapshot.table(table).header else { return nil }
        precondition(!memory.owns(old.base), "a table is rebuilt before it is written to")
        if !memory.owns(snapshot.base) { snapshot = snapshot.copy(tables: catalog.tables.count, memory) }
        snapshot.headers[table] = nil
        return old
    }

    private func move(
        _ leaf: Leaf, _ slot: Int, _ key: ObjectKey, _ redefinition: TableRedefinition, _ old: TableSpec
    ) {
        let table = redefinition.table
        insertRow(key, into: table)
        var moved: Set<Int> = []
        for (column, source) in redefinition.sources.enumerated() {
            let spec = redefinition.columns[column]
            guard let source else {
                // A row is entered in the index of the primary key when the key is set.
                if spec.isPrimaryKey {
                    set(self.table(table).cell(key, column, spec.kind), table, key, column)
                }
                continue
            }
            let buffer = leaf.column(source)
            switch spec.kind {
            case .link: storeWord(buffer.word(slot), table, key, column)
            case .sequence:
                let oldSpec = old.columns[source]
                if oldSpec.element == spec.element, spec.isOptional || !oldSpec.isOptional {
                    storeWord(buffer.word(slot), table, key, column)
                    moved.insert(source)
                } else {
                    let elements = buffer.sequence(slot, oldSpec.element!)
                    insertElements(
                        WriteTransaction.elements(elements, spec), at: 0,
                        into: CollectionID(table: table, column: column, key: key))
                }
            default:
                if !spec.isIndexed, !spec.isPrimaryKey, let large = buffer.large(slot, spec.kind),
                    let page = large.page
                {
                    store(page, isString: large.isString, table, key, column, spec)
                    moved.insert(source)
                } else {
                    store(buffer.cell(slot, spec.kind), table, key, column, spec)
                }
            }
        }
        retireValues(leaf, slot, key, table, old, except: moved)
    }

    /// Stores a word that other rows already take into account: a link, or the root of a sequence.
    private func storeWord(_ word: UInt64, _ table: TableID, _ key: ObjectKey, _ column: Int) {
        let (buffer, slot) = writableColumn(table, key, column)
        buffer.setWord(slot, word)
        buffer.markDirty(slot)
    }

    /// Stores a large value that is in a file, where it remains.
    private func store(
        _ page: PageReference, isString: Bool, _ table: TableID, _ key: ObjectKey, _ column: Int,
        _ spec: ColumnSpec
    ) {
        let (buffer, slot) = writableColumn(table, key, column)
        let address = buffer.address(slot, spec.kind)
        if spec.kind == .any { AnySlot(address, 0).clear(isString ? .string : .bytes) }
        LargeSlot.refer(address, to: page, isString: isString)
        buffer.setNull(slot, false)
        buffer.markDirty(slot)
    }

    private func store(
        _ cell: Cell, _ table: TableID, _ key: ObjectKey, _ column: Int, _ spec: ColumnSpec
    ) {
        if cell == .null, !spec.isOptional {
            return set(self.table(table).cell(key, column, spec.kind), table, key, column)
        }
        guard cell.target != nil else { return set(cell, table, key, column) }
        // The backlinks of any columns stay unchanged.
        let (buffer, slot) = writableColumn(table, key, column)
        if spec.isIndexed {
            updateIndex(key, table, column: column, .null, isInserting: false)
            updateIndex(key, table, column: column, cell, isInserting: true)
        }
        AnySlot(buffer.data, slot).initialize(cell)
        buffer.markDirty(slot)
    }

    /// Returns the elements of a sequence converted to a kind that differs only in optionality.
    private static func elements(_ sequence: PersistentSequence, _ spec: ColumnSpec) -> [Cell] {
        var elements: [Cell] = []
        elements.reserveCapacity(sequence.count)
        var hasDefault = false
        sequence.forEach { cell in
            if cell == .null, !spec.isOptional { hasDefault = true }
            elements.append(cell == .null && !spec.isOptional ? spec.element!.defaultCell : cell)
        }
        guard hasDefault, spec.order == .sorted else { return elements }
        elements.sort { $0.isOrderedBefore($1) }
        return elements.indices.filter { $0 == 0 || elements[$0 - 1].isOrderedBefore(elements[$0]) }
            .map { elements[$0] }
    }

    /// Releases the values that an old row owned. Its blocks are retired with its leaf.
    private func retireValues(
        _ leaf: Leaf, _ slot: Int, _ key: ObjectKey, _ table: TableID, _ old: TableSpec,
        except moved: Set<Int>
    ) {
        for (column, spec) in old.columns.enumerated() where !moved.contains(column) {
            let buffer = leaf.column(column)
            switch spec.kind {
            case .sequence:
                // Sequences that were taken over as a whole are excepted: this one was copied, or its column was removed.
                var sequence = buffer.sequence(slot, spec.element!)
                sequence.removeAll(memory)
            case .string, .bytes, .any:
                if let bits = buffer.ownedBits(slot, spec.kind) {
                    memory.retire(bits, from: ValueLocation(table, column, key))
                }
            default: break
            }
        }
    }

    /// Removes the blocks of a table from the newest version.
    private func retire(_ header: TableHeader) {
        if let root = header.rootNode { retire(root, level: header.height) }
        for ordinal in 0..<header.indexCount {
            header.index(ordinal).forEachBlock { memory.retire($0) }
        }
        memory.retire(header.base)
    }

    private func retire(_ node: UnsafeMutableRawPointer, level: Int) {
        if level == 0 { return Leaf(base: node).retire(memory) }
        let inner = InnerNode(base: node)
        for index in 0..<InnerNode.fanout {
            if let child = inner.child(index, level: level) { retire(child, level: level - 1) }
        }
        memory.retire(node)
    }
}

extension ElementKind {
    /// The value that replaces null in a kind without null.
    fileprivate var defaultCell: Cell {
        switch self {
        case .word, .optionalWord: .word(0)
        case .wide, .optionalWide: .wide(0, 0)
        case .string: .string("")
        case .bytes: .bytes([])
        case .link: .link(0)
        case .any: .null
        }
    }
}
