extension WriteTransaction {
    /// Inserts an object with the default of every column (zero, empty, or null) and returns its key. A primary key must be set
    /// next, because it is not in its index before. Amortised O(columns).
    package func insert(into table: TableID) -> ObjectKey { insertRow(into: table).key }

    /// Inserts an object like ``insert(into:)``, and returns its row.
    package func insertRow(into table: TableID) -> Row {
        let header = writableHeader(table)
        let key = nextKey(of: table)
        header.nextKey = key + 1
        return insertRow(key, into: table)
    }

    /// Returns the object with a primary key, or inserts one; the index is searched once. O(log n), and amortised O(columns).
    package func findOrInsert(primaryKey cell: Cell, into table: TableID) -> (row: Row, isNew: Bool) {
        let column = catalog.tables[table].primaryColumn!
        let ordinal = catalog.tables[table].indexOrdinal(of: column)!
        let kind = catalog.tables[table].layouts[column].kind
        let header = writableHeader(table)
        let key = nextKey(of: table)
        if appendAscending(key, table, column: column, ordinal: ordinal, cell) {
            return (insertRow(into: table, cell, column, kind), true)
        }
        if let known = snapshot.table(table).ascendingKey(index: ordinal, column, cell) {
            return (snapshot.table(table).row(known)!, false)
        }
        var index = header.index(ordinal)
        let hash = cell.indexHash(seed: header.hashSeed)
        if let keys = index.insert(hash, ifAbsent: key, memory) {
            var row: Row?
            keys.forEach { key in
                if row == nil, let found = snapshot.table(table).row(key),
                    found.leaf.column(column).cell(found.slot, kind) == cell
                {
                    row = found
                }
            }
            if let row { return (row, false) }
            index.insert(hash, key, memory)
        }
        header.indexes[ordinal] = index.root
        return (insertRow(into: table, cell, column, kind), true)
    }

    /// Inserts an object with a primary key that is in its index already.
    private func insertRow(into table: TableID, _ cell: Cell, _ column: Int, _ kind: ColumnKind) -> Row {
        let row = insertRow(into: table)
        let buffer = row.leaf.column(column)
        store(cell, in: buffer, row.slot, kind)
        buffer.markDirty(row.slot)
        return row
    }

    /// Returns the key that the next object of a table gets.
    private func nextKey(of table: TableID) -> ObjectKey {
        let key = snapshot.table(table).nextKey
        return keyFloors.isEmpty ? key : max(key, keyFloors[table] ?? key)
    }

    /// Inserts an object at an unused key, when a commit is replayed.
    package func insert(into table: TableID, at key: ObjectKey) {
        let header = writableHeader(table)
        header.nextKey = max(header.nextKey, key + 1)
        if key < header.ascending.end { endAscending(at: key, table) }
        insertRow(key, into: table)
    }

    /// Prevents keys below `key` from being allocated, when a commit is replayed.
    package func reserveKeys(below key: ObjectKey, in table: TableID) {
        let header = writableHeader(table)
        header.nextKey = max(header.nextKey, key)
    }

    @discardableResult
    func insertRow(_ key: ObjectKey, into table: TableID) -> Row {
        rowLog?.recordRow(table, key)
        let (leaf, slot) = leafForInsertion(table, key)
        leaf.occupied.insert(slot)
        leaf.inserted.insert(slot)
        let layouts = catalog.tables[table].layouts
        for index in 0..<layouts.count {
            let column = layouts[index]
            let buffer = writableColumn(leaf, index, column.kind)
            switch column.kind {
            case .word, .link, .sequence, .keySet: buffer.setWord(slot, 0)
            case .wide: ColumnValues.setWide(buffer.data, slot, (0, 0))
            case .string:
                (ColumnValues.strings(buffer.data) + slot).initialize(to: column.isOptional ? nil : "")
            case .bytes:
                (ColumnValues.bytes(buffer.data) + slot).initialize(to: column.isOptional ? nil : [])
            case .any: AnySlot(buffer.data, slot).initialize(.null)
            }
            buffer.setNull(slot, column.isOptional)
            if column.isIndexed {
                updateIndex(key, table, column: index, buffer.cell(slot, column.kind), isInserting: true)
            }
        }
        return Row(leaf, slot, key)
    }

    /// Assigns a value to an object's column, which must not be a sequence. Updates indexes and backlinks. O(log n).
    package func set(_ cell: Cell, _ table: TableID, _ key: ObjectKey, _ column: Int) {
        let layout = catalog.tables[table].layouts[column]
        if layout.kind == .link { return setLink(cell.linkKey, table, key, column) }
        let (buffer, slot) = writableColumn(table, key, column)
        let replaced = layout.kind == .any ? AnySlot(buffer.data, slot).link : nil
        if layout.isFound {
            moveInIndex(key, table, column: column, from: buffer.cell(slot, layout.kind), to: cell)
        }
        releaseValue(buffer, slot, layout.kind, table, key, column)
        store(cell, in: buffer, slot, layout.kind)
        buffer.markDirty(slot)
        if layout.kind == .any { moveAnyLink(from: replaced, to: cell.target, table, key, column) }
    }

    /// Prepares a slot of a value column for direct stores in this transaction: makes leaf and buffer writable, releases the old
    /// value and marks the slot. Not for indexed columns and links.
    package func prepareStore(_ table: TableID, _ key: ObjectKey, _ column: Int) -> (leaf: Leaf, slot: Int) {
        let spec = catalog.tables[table].columns[column]
        let (buffer, slot) = writableColumn(table, key, column)
        precondition(spec.kind != .any, "values of any type are set, because they can be links")
        if spec.kind == .string || spec.kind == .bytes,
            !buffer.isDirty(slot) || buffer.large(slot, spec.kind) != nil
        {
            releaseValue(buffer, slot, spec.kind, table, key, column)
            // A direct store releases the value that it replaces, so the slot must contain a valid one.
            buffer.initializeNull(slot, spec.kind)
        }
        buffer.markDirty(slot)
        return (writableLeaf(table, key), slot)
    }

    /// Marks a collection property as written although the collection did not change.
    package func touch(_ id: CollectionID) {
        let (buffer, slot) = writableColumn(id.table, id.key, id.column)
        buffer.markDirty(slot)
    }

    /// Releases the string or bytes in a slot. They are freed at once if this transaction stored them, so that no other version
    /// contains them.
    func releaseValue(
        _ buffer: ColumnBuffer, _ slot: Int, _ kind: ColumnKind, _ table: TableID, _ key: ObjectKey,
        _ column: Int
    ) {
        guard let bits = buffer.ownedBits(slot, kind) else { return }
        let isNew =
            buffer.owner == memory.id
            && (buffer.isDirty(slot) || snapshot.table(table).leaf(containing: key)!.inserted.contains(slot))
        // A page that a migration took over also belongs to the version before.
        if isNew, bits.page == nil {
            bits.release()
        } else {
            memory.retire(bits, from: ValueLocation(table, column, key))
        }
    }

    private func store(_ cell: Cell, in buffer: ColumnBuffer, _ slot: Int, _ kind: ColumnKind) {
        buffer.setNull(slot, cell == .null)
        switch (kind, cell) {
        case (.word, .word(let word)): buffer.setWord(slot, word)
        case (.word, .null): buffer.setWord(slot, 0)
        case (.wide, .wide(let a, let b)): ColumnValues.setWide(buffer.data, slot, (a, b))
        case (.wide, .null): ColumnValues.setWide(buffer.data, slot, (0, 0))
        default: buffer.initialize(slot, cell, kind)
        }
    }

    /// Moves a row to another value of an index.
    private func moveInIndex(
        _ key: ObjectKey, _ table: TableID, column: Int, from old: Cell, to new: Cell
    ) {
        let ordinal = catalog.tables[table].indexOrdinal(of: column)!
        let header = writableHeader(table)
        if header.isAscending(key, index: ordinal) {
            if old == new { return }
            endAscending(at: key, table)
        }
        updateIndex(key, table, column: column, old, isInserting: false)
        updateIndex(key, table, column: column, new, isInserting: true)
    }

    /// Inserts a row into an index, or removes it. An ascending row is removed from it by its deletion.
    func updateIndex(
        _ key: ObjectKey, _ table: TableID, column: Int, _ cell: Cell, isInserting: Bool
    ) {
        let header = writableHeader(table)
        let ordinal = catalog.tables[table].indexOrdinal(of: column)!
        if isInserting, appendAscending(key, table, column: column, ordinal: ordinal, cell) { return }
        if header.isAscending(key, index: ordinal) {
            header.ascending.count -= 1
            return
        }
        var index = header.index(ordinal)
        if isInserting {
            index.insert(cell.indexHash(seed: header.hashSeed), key, memory)
        } else {
            index.remove(cell.indexHash(seed: header.hashSeed), key, memory)
        }
        header.indexes[ordinal] = index.root
    }

    /// Deletes objects and everything they own. Links to them become null, lists and sets lose them, and maps keep the key with a
    /// null. O(references to and from them). A list or map from which objects are removed is scanned as a whole for the first of
    /// them.
    package func delete(_ keys: [ObjectKey], from table: TableID) {
        if keys.count < 2, !catalog.tables[table].isOwner {
            for key in keys where snapshot.table(table).contains(key) { deleteOne(key, table) }
            return
        }
        let dying = deletionClosure(keys, table)
        if dying.count > 1 { nullifying { removeFromSequences(dying) } }
        for (table, key) in dying where snapshot.table(table).contains(key) {
            deleteOne(key, table, isInSequences: dying.count == 1)
        }
    }

    /// Returns all objects that are deleted with `keys`: the objects themselves and, transitively, the embedded objects they own.
    package func deletionClosure(_ keys: [ObjectKey], _ table: TableID) -> [(table: TableID, key: ObjectKey)]
    {
        var closure = keys.map { (table: table, key: $0) }
        if !catalog.tables[table].isOwner { return closure }
        var next = 0
        while next < closure.count {
            let (table, key) = closure[next]
            next += 1
            snapshot.forEachOwned(by: key, table, catalog) { closure.append(($0.table, $0.key)) }
        }
        return closure
    }

    /// Calls `body`, which removes references to objects that are being deleted. The log, if there is one, records these
    /// assignments as nullified.
    private func nullifying(_ body: () -> Void) {
        if let rowLog { rowLog.nullifying(body) } else { body() }
    }

    /// Deletes an object, with as few reference counts of the catalog as possible.
    private func deleteOne(_ key: ObjectKey, _ table: TableID, isInSequences: Bool = true) {
        let incoming = catalog.tables[table].incoming
        rowLog?.recordRow(table, key)
        nullifying {
            for link in incoming
            where isInSequences || catalog.tables[link.table].columns[link.column].kind != .sequence {
                nullify(link, RowID(table: table, key: key))
            }
        }
        // A list or dictionary that is deleted by itself, which happens with damaged files, may already be deleted with its
        // value.
        guard let (row, slot) = snapshot.table(table).locate(key) else { return }
        for (index, layout) in catalog.tables[table].layouts.enumerated() {
            let buffer = row.column(index)
            switch layout.kind {
            case .link:
                let target = ObjectKey(bitPattern: buffer.word(slot))
                removeBacklink(catalog.tables[table].backlinks[index]!, target, origin: key)
            case .sequence: deleteSequence(key, table, index)
            default:
                if layout.kind == .any, let target = AnySlot(buffer.data, slot).link {
                    removeAnyBacklink(table, index, target, origin: key)
                }
                if layout.isFound {
                    updateIndex(key, table, column: index, buffer.cell(slot, layout.kind), isInserting: false)
                }
                releaseValue(buffer, slot, layout.kind, table, key, index)
            }
        }
        for link in incoming { dropBacklinks(link.backlinks, key) }
        let leaf = writableLeaf(table, key, adding: -1)
        leaf.occupied.remove(slot)
        leaf.form.insert(.edited)
        if leaf.inserted.contains(slot) { leaf.inserted.remove(slot) } else { leaf.deleted.insert(slot) }
        reader.pointee.generation += 1
    }

    private func deleteSequence(_ key: ObjectKey, _ table: TableID, _ index: Int) {
        let element = catalog.tables[table].columns[index].element!
        var sequence = snapshot.table(table).sequence(key, index, element)
        if element == .link {
            let backlinks = catalog.tables[table].backlinks[index]!
            sequence.forEachLink { removeBacklink(backlinks, $0, origin: key) }
        } else if element == .any {
            sequence.forEachAnyLink { removeAnyBacklink(table, index, $0, origin: key) }
        }
        sequence.removeAll(memory)
        let id = CollectionID(table: table, column: index, key: key)
        removeTracker(id)
        linkPositions.removeIndex(of: id)
    }
}

extension WriteTransaction {
    /// Deletes every object of every table, except rows of Kivo itself. O(objects), without any lookups, because everything that refers
    /// to an object is deleted as well.
    package func deleteAll() {
        rowLog?.removeAll()
        for table in catalog.tables.indices where !catalog.tables[table].isInternal { clear(table) }
        trackers.removeAll()
        trackerOrdinals.removeAll()
        linkPositions.removeAll()
        (lastEditor, editorBefore) = (nil, nil)
        reader.pointee.generation += 1
    }

    /// Deletes every row of a table, without updating other tables.
    func clear(_ table: TableID) {
        var leaves: [ObjectKey] = []
        snapshot.table(table).forEachLeaf { leaf in
            leaves.append(leaf.firstKey)
            return true
        }
        if leaves.isEmpty { return }
        for firstKey in leaves { clear(table, firstKey) }
        let header = writableHeader(table)
        for ordinal in 0..<header.indexCount {
            header.index(ordinal).forEachBlock { memory.retire($0) }
            header.indexes[ordinal] = nil
        }
        header.ascending.count = 0
    }

    private func clear(_ table: TableID, _ firstKey: ObjectKey) {
        let rows = snapshot.table(table).leaf(containing: firstKey)!.occupied
        let leaf = writableLeaf(table, firstKey, adding: -rows.count)
        for (ordinal, column) in catalog.tables[table].columns.enumerated() {
            let buffer = leaf.column(ordinal)
            switch column.kind {
            case .string, .bytes, .any:
                leaf.forEachRow(in: rows) { slot, key in
                    releaseValue(buffer, slot, column.kind, table, key, ordinal)
                }
            case .sequence:
                rows.forEach {
                    var sequence = buffer.sequence($0, column.element!)
                    sequence.removeAll(memory)
                }
            case .keySet: rows.forEach { buffer.keySet($0).retire(memory) }
            default: break
            }
        }
        leaf.deleted = leaf.deleted | rows.subtracting(leaf.inserted)
        leaf.inserted = Bits256()
        leaf.occupied = Bits256()
        leaf.form.insert(.edited)
    }
}
