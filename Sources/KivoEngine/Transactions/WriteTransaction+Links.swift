extension WriteTransaction {
    /// Sets a link column to an object of its target table, or to none (0).
    func setLink(_ target: ObjectKey, _ table: TableID, _ key: ObjectKey, _ column: Int) {
        let spec = catalog.tables[table]
        let (buffer, slot) = writableColumn(table, key, column)
        let old = ObjectKey(bitPattern: buffer.word(slot))
        buffer.setWord(slot, UInt64(bitPattern: target))
        buffer.markDirty(slot)
        guard old != target else { return }
        removeBacklink(spec.backlinks[column]!, old, origin: key)
        addBacklink(spec.backlinks[column]!, target, origin: key)
        if spec.columns[column].isOwning, old != 0 { delete([old], from: spec.columns[column].target!) }
    }

    /// Updates the backlinks of an any column whose value was replaced. Deletes the objects that the old value owned.
    func moveAnyLink(
        from old: RowID?, to new: RowID?, _ table: TableID, _ key: ObjectKey, _ column: Int
    ) {
        guard old != new else { return }
        if let old { removeAnyBacklink(table, column, old, origin: key) }
        if let new { addAnyBacklink(table, column, new, origin: key) }
        if let old, catalog.tables[old.table].isEmbedded { delete([old.key], from: old.table) }
    }

    func addAnyBacklink(_ table: TableID, _ column: Int, _ target: RowID, origin: ObjectKey) {
        guard let backlinks = catalog.tables[table].anyBacklinks[column]?[target.table] else {
            fatalError("no any value leads to rows of table '\(catalog.tables[target.table].name)'")
        }
        addBacklink(backlinks, target.key, origin: origin)
    }

    func removeAnyBacklink(_ table: TableID, _ column: Int, _ target: RowID, origin: ObjectKey) {
        guard let backlinks = catalog.tables[table].anyBacklinks[column]?[target.table] else { return }
        removeBacklink(backlinks, target.key, origin: origin)
    }

    func addBacklink(_ backlinks: TableID, _ target: ObjectKey, origin: ObjectKey) {
        guard target != 0 else { return }
        if !snapshot.table(backlinks).contains(target) { insert(into: backlinks, at: target) }
        editBacklinks(backlinks, target) { $0.insert(origin, memory) }
    }

    func removeBacklink(_ backlinks: TableID, _ target: ObjectKey, origin: ObjectKey) {
        guard target != 0, snapshot.table(backlinks).contains(target) else { return }
        editBacklinks(backlinks, target) { $0.remove(origin, memory) }
    }

    private func editBacklinks(_ backlinks: TableID, _ target: ObjectKey, _ edit: (inout KeyMultiset) -> Void)
    {
        let (buffer, slot) = writableColumn(backlinks, target, 0)
        var set = buffer.keySet(slot)
        edit(&set)
        buffer.setWord(slot, set.word)
        buffer.markDirty(slot)
    }

    /// Removes the record of the rows that linked to an object that is being deleted.
    func dropBacklinks(_ backlinks: TableID, _ target: ObjectKey) {
        guard snapshot.table(backlinks).contains(target) else { return }
        let (buffer, slot) = writableColumn(backlinks, target, 0)
        buffer.keySet(slot).retire(memory)
        buffer.setWord(slot, 0)
        let leaf = writableLeaf(backlinks, target, adding: -1)
        leaf.occupied.remove(slot)
        leaf.form.insert(.edited)
    }

    /// Removes every reference to an object from one link column.
    func nullify(_ incoming: Origins, _ target: RowID) {
        let kind = catalog.tables[incoming.table].columns[incoming.column].kind
        var origins: [ObjectKey] = []
        snapshot.backlinks(incoming.backlinks, of: target.key).forEach { key in
            if origins.last != key { origins.append(key) }
        }
        for origin in origins {
            switch kind {
            case .link:
                let (buffer, slot) = writableColumn(incoming.table, origin, incoming.column)
                buffer.setWord(slot, 0)
                buffer.markDirty(slot)
            case .any: set(.null, incoming.table, origin, incoming.column)
            default:
                remove(
                    [target.key], ofTable: target.table,
                    from: CollectionID(table: incoming.table, column: incoming.column, key: origin))
            }
        }
    }

    /// Removes objects that are about to be deleted from the lists, sets and maps that contain them. Each of these is scanned
    /// once. Collections that are themselves about to be deleted stay as they are.
    func removeFromSequences(_ dying: [(table: TableID, key: ObjectKey)]) {
        var dead: [TableID: Set<ObjectKey>] = [:]
        var tables: [TableID: [ObjectKey]] = [:]
        for (table, key) in dying where dead[table, default: []].insert(key).inserted {
            tables[table, default: []].append(key)
        }
        for (table, keys) in tables {
            for incoming in catalog.tables[table].incoming
            where catalog.tables[incoming.table].columns[incoming.column].kind == .sequence {
                var held: [ObjectKey: [ObjectKey]] = [:]
                for key in keys {
                    var last: ObjectKey = 0
                    snapshot.backlinks(incoming.backlinks, of: key).forEach { origin in
                        if origin != last, !(dead[incoming.table]?.contains(origin) ?? false) {
                            held[origin, default: []].append(key)
                        }
                        last = origin
                    }
                }
                for (origin, keys) in held {
                    remove(
                        keys, ofTable: table,
                        from: CollectionID(table: incoming.table, column: incoming.column, key: origin))
                }
            }
        }
    }

    /// Removes objects that are about to be deleted, which must be distinct, from a sequence. A map keeps their keys.
    private func remove(_ targets: [ObjectKey], ofTable table: TableID, from id: CollectionID) {
        if catalog.tables[id.table].columns[id.column].element == .any {
            return removeAny(Set(targets), ofTable: table, from: id)
        }
        let positions = positions(of: targets, in: id)
        if catalog.tables[id.table].columns[id.column].order == .values {
            for position in positions {
                replaceElement(.link(0), at: position, in: id, isMaintainingBacklinks: false)
            }
            return
        }
        removeElements(atPositions: positions, from: id)
    }

    /// Removes elements that refer to objects which are about to be deleted. The backlinks are deleted with the objects.
    private func removeElements(atPositions positions: [Int], from id: CollectionID) {
        var end = positions.count
        while end > 0 {
            var start = end - 1
            while start > 0, positions[start - 1] == positions[start] - 1 { start -= 1 }
            removeElements(
                positions[start]..<positions[end - 1] + 1, from: id, isMaintainingBacklinks: false)
            end = start
        }
    }

    /// Removes objects that are about to be deleted from a sequence of any values. A map keeps their keys, with null, and a set
    /// keeps one null.
    private func removeAny(_ targets: Set<ObjectKey>, ofTable table: TableID, from id: CollectionID) {
        memory.countWork(sequence(id).count)
        let positions = sequence(id).positions(of: targets, table)
        if positions.isEmpty { return }
        switch catalog.tables[id.table].columns[id.column].order {
        case .insertion: removeElements(atPositions: positions, from: id)
        case .values: for position in positions { replaceElement(.null, at: position, in: id) }
        case .sorted:
            for position in positions.reversed() { removeElement(at: position, from: id) }
            if sequence(id).count == 0 || sequence(id).cell(at: 0) != .null {
                insertElement(.null, at: 0, into: id)
            }
        }
    }

    /// Returns the ascending positions of the given objects, which must be distinct, in a sequence of links. A list is scanned;
    /// one that is searched repeatedly gets an index, which makes this O(log n).
    package func positions(of targets: [ObjectKey], in id: CollectionID) -> [Int] {
        let sequence = sequence(id)
        guard catalog.tables[id.table].columns[id.column].order == .sorted else {
            return linkPositions.positions(of: targets, in: id, sequence, memory)
        }
        var positions: [Int] = []
        for target in targets {
            memory.countWork(1)
            let (position, isEqual) = sequence.lowerBound(.link(target))
            if isEqual { positions.append(position) }
        }
        positions.sort()
        return positions
    }
}

/// Backlinks and ownership of the links among the elements of a sequence during edits.
extension WriteTransaction {
    /// Returns the row of an element that is a link, as its removal requires, or nil. Links of any values contain their table;
    /// for others the table is only set if the sequence owns them.
    func target(_ cell: Cell, _ editor: Editor) -> RowID? {
        if editor.element == .any { return cell.target }
        let key = cell.linkKey
        return key == 0 ? nil : RowID(table: editor.owned ?? 0, key: key)
    }

    /// Traps if an element of a list or set of objects has no target: readers reject files with such elements.
    @inline(__always)
    func checkTarget(_ cell: Cell, _ editor: Editor) {
        if cell.linkKey == 0 { trapWithoutTarget(editor.id) }
    }

    @inline(never)
    private func trapWithoutTarget(_ id: CollectionID) -> Never {
        let table = catalog.tables[id.table]
        fatalError(
            "nil is no element of '\(table.name).\(table.columns[id.column].name)', which holds objects")
    }

    /// Returns the targets of the links among elements that are about to be removed.
    func targets(_ sequence: PersistentSequence, _ range: Range<Int>, _ editor: Editor) -> [RowID] {
        if editor.element == .any { return sequence.anyLinks(in: range) }
        if editor.backlinks == nil { return [] }
        return sequence.links(in: range).compactMap {
            $0 == 0 ? nil : RowID(table: editor.owned ?? 0, key: $0)
        }
    }

    func add(_ target: RowID?, _ editor: Editor) {
        guard let target else { return }
        if let backlinks = editor.backlinks {
            addBacklink(backlinks, target.key, origin: editor.id.key)
        } else {
            addAnyBacklink(editor.id.table, editor.id.column, target, origin: editor.id.key)
        }
    }

    /// Removes the backlinks of removed elements, and deletes the objects that they owned.
    func drop(_ targets: [RowID], _ editor: Editor, isDeletingOwned: Bool = true) {
        if targets.isEmpty { return }
        for target in targets {
            if let backlinks = editor.backlinks {
                removeBacklink(backlinks, target.key, origin: editor.id.key)
            } else {
                removeAnyBacklink(editor.id.table, editor.id.column, target, origin: editor.id.key)
            }
        }
        guard isDeletingOwned else { return }
        if let owned = editor.owned { return delete(targets.map { $0.key }, from: owned) }
        if editor.element != .any { return }
        for target in targets where catalog.tables[target.table].isEmbedded {
            delete([target.key], from: target.table)
        }
    }
}
