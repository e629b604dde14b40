extension WriteTransaction {
    /// Points a link column at an object of its target table, or at none (0).
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

    func addBacklink(_ backlinks: TableID, _ target: ObjectKey, origin: ObjectKey) {
        guard target != 0 else { return }
        if !snapshot.table(backlinks).contains(target) { insert(into: backlinks, at: target) }
        editBacklinks(backlinks, target) { $0.insert(origin, memory) }
    }

    func removeBacklink(_ backlinks: TableID, _ target: ObjectKey, origin: ObjectKey) {
        guard target != 0, snapshot.table(backlinks).contains(target) else { return }
        editBacklinks(backlinks, target) { $0.remove(origin, memory) }
    }

    private func editBacklinks(_ backlinks: TableID, _ target: ObjectKey, _ edit: (inout KeySet) -> Void) {
        let (buffer, slot) = writableColumn(backlinks, target, 0)
        var set = KeySet(word: buffer.word(slot))
        edit(&set)
        buffer.setWord(slot, set.word)
        buffer.markDirty(slot)
    }

    /// Forgets who linked to an object that goes.
    func dropBacklinks(_ backlinks: TableID, _ target: ObjectKey) {
        guard snapshot.table(backlinks).contains(target) else { return }
        let (buffer, slot) = writableColumn(backlinks, target, 0)
        KeySet(word: buffer.word(slot)).retire(memory)
        buffer.setWord(slot, 0)
        let leaf = writableLeaf(backlinks, target, adding: -1)
        leaf.occupied.remove(slot)
        leaf.form.insert(.edited)
    }

    /// Calls `body` with each object that a link column, or a sequence of links, of an object leads to.
    public func forEachTarget(
        of key: ObjectKey, _ table: TableID, _ column: Int, _ body: (ObjectKey) -> Void
    ) {
        snapshot.forEachTarget(of: key, table, column, catalog, body)
    }

    /// Takes every reference that one link column has to an object out of it.
    func nullify(_ incoming: TableSpec.Incoming, _ target: ObjectKey) {
        let spec = catalog.tables[incoming.origin].columns[incoming.column]
        var origins: [ObjectKey] = []
        snapshot.backlinks(incoming.backlinks, of: target).forEach { key in
            if origins.last != key { origins.append(key) }
        }
        for origin in origins {
            if spec.kind == .link {
                let (buffer, slot) = writableColumn(incoming.origin, origin, incoming.column)
                buffer.setWord(slot, 0)
                buffer.markDirty(slot)
                continue
            }
            let id = CollectionID(table: incoming.origin, column: incoming.column, key: origin)
            for position in positions(of: target, in: id).reversed() {
                if spec.order == .values {
                    replaceElement(.link(0), at: position, in: id, isMaintainingBacklinks: false)
                } else {
                    removeElement(at: position, from: id, isMaintainingBacklinks: false)
                }
            }
        }
    }

    /// The positions at which a sequence of links holds an object, ascending. O(n).
    public func positions(of target: ObjectKey, in id: CollectionID) -> [Int] {
        var positions: [Int] = []
        var position = 0
        snapshot.table(id.table).sequence(id.key, id.column, .link).forEachLink { key in
            if key == target { positions.append(position) }
            position += 1
        }
        return positions
    }
}

extension Snapshot {
    /// The objects that refer to an object through one link column.
    public func backlinks(_ backlinks: TableID, of target: ObjectKey) -> KeySet {
        guard let (leaf, slot) = table(backlinks).locate(target) else { return KeySet(word: 0) }
        return KeySet(word: leaf.column(0).word(slot))
    }

    /// Calls `body` with each object that a link column, or a sequence of links, of an object leads to.
    public func forEachTarget(
        of key: ObjectKey, _ table: TableID, _ column: Int, _ catalog: Catalog, _ body: (ObjectKey) -> Void
    ) {
        guard let (leaf, slot) = self.table(table).locate(key) else { return }
        let word = leaf.column(column).word(slot)
        let spec = catalog.tables[table].columns[column]
        switch spec.kind {
        case .link: if word != 0 { body(ObjectKey(bitPattern: word)) }
        case .sequence where spec.element == .link:
            PersistentSequence(word: word, element: .link).forEachLink { if $0 != 0 { body($0) } }
        default: break
        }
    }
}
