extension WriteTransaction {
    /// Deletes every object of every table. O(objects), without any lookups, because everything that refers to an object is
    /// deleted as well.
    package func deleteAll() {
        rowLog?.removeAll()
        for table in catalog.tables.indices { clear(table) }
        trackers.removeAll()
        trackerOrdinals.removeAll()
        linkPositions.removeAll()
        lastEditor = nil
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
