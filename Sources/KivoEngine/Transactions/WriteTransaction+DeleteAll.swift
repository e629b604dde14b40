extension WriteTransaction {
    /// Deletes every object of every table. O(objects), but nothing is looked up or followed: what leads to an object goes
    /// as well.
    public func deleteAll() {
        for table in catalog.tables.indices { clear(table) }
        for tracker in trackers { forgetTracker(tracker.id) }
        places.removeAll()
        lastEditor = nil
        clock[Clock.generation] += 1
    }

    private func clear(_ table: TableID) {
        var leaves: [Int] = []
        snapshot.table(table).forEachLeaf { index, _ in
            leaves.append(index)
            return true
        }
        if leaves.isEmpty { return }
        for index in leaves { clear(table, index) }
        let header = writableHeader(table)
        for ordinal in 0..<header.indexCount {
            HashIndex(root: header.indexes[ordinal]).forEachBlock { memory.retire($0) }
            header.indexes[ordinal] = nil
        }
    }

    private func clear(_ table: TableID, _ index: Int) {
        let rows = snapshot.table(table).leaf(index)!.occupied
        let leaf = writableLeaf(table, index, adding: -rows.count)
        for (ordinal, column) in catalog.tables[table].columns.enumerated() {
            let buffer = leaf.column(ordinal)
            switch column.kind {
            case .string, .bytes:
                let new = memory.owns(buffer.block) ? buffer.dirty | leaf.inserted : Bits256()
                rows.forEach { releaseValue(buffer, $0, column.kind, isNew: new.contains($0)) }
            case .sequence:
                rows.forEach {
                    var sequence = PersistentSequence(word: buffer.word($0), element: column.element!)
                    sequence.removeAll(memory)
                }
            case .keySet: rows.forEach { KeySet(word: buffer.word($0)).retire(memory) }
            default: break
            }
        }
        leaf.deleted = leaf.deleted | rows.subtracting(leaf.inserted)
        leaf.inserted = Bits256()
        leaf.occupied = Bits256()
    }
}
