/// Lists and dictionaries that are values of any columns. A change inside one counts as a change of the value.
extension WriteTransaction {
    /// Marks the values, in rows and in sequences, whose contents changed in this transaction. O(changed lists and dictionaries ·
    /// the cost of finding their owners). Each sequence that owns some of them is scanned once for each depth of nesting.
    func touchOwnersOfContainers() {
        var changed: [RowID] = []
        for entry in touched where catalog.tables[entry.table].container != nil {
            let leaf = entry.leaf
            for column in 0..<leaf.columnCount {
                let buffer = leaf.column(column)
                guard buffer.owner == memory.id else { continue }
                leaf.forEachRow(in: (buffer.dirty & leaf.occupied).subtracting(leaf.inserted)) { _, key in
                    changed.append(RowID(table: entry.table, key: key))
                }
            }
        }
        var known: Set<RowID> = []
        while !changed.isEmpty { changed = touchOwners(of: changed, &known) }
    }

    /// Marks the values that lists and dictionaries are. Returns the containers in which these values are nested.
    private func touchOwners(of containers: [RowID], _ known: inout Set<RowID>) -> [RowID] {
        var elements: [CollectionID: [TableID: Set<ObjectKey>]] = [:]
        var outer: [RowID] = []
        for container in containers where known.insert(container).inserted {
            guard let (owner, column) = snapshot.owner(of: container, catalog) else { continue }
            let id = CollectionID(table: owner.table, column: column, key: owner.key)
            if catalog.tables[owner.table].columns[column].kind == .sequence {
                elements[id, default: [:]][container.table, default: []].insert(container.key)
            } else {
                touch(id)
            }
            if catalog.tables[owner.table].container != nil { outer.append(owner) }
        }
        for (id, tables) in elements {
            for (table, keys) in tables {
                let sequence = sequence(id)
                memory.countWork(sequence.count)
                // A list or dictionary is the value of only one element.
                for position in sequence.positions(of: keys, table, limit: keys.count) {
                    touchElement(at: position, in: id)
                }
            }
        }
        return outer
    }

    /// Records in the log, if there is one, that the value to which a list or dictionary belongs is about to change.
    func recordOwners(of container: RowID) {
        guard let rowLog else { return }
        var row = container
        while catalog.tables[row.table].container != nil {
            guard let (owner, column) = snapshot.owner(of: row, catalog) else { return }
            rowLog.recordAssignment(owner.table, owner.key, column)
            row = owner
        }
    }
}
