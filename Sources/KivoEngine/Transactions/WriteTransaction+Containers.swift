/// Lists and dictionaries that are values of any columns: a change in one is a change of the value.
extension WriteTransaction {
    /// Marks the values as changed, in rows and in sequences, in which something was changed in this transaction. O(changed lists
    /// and dictionaries · what finding their owners takes).
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
        if changed.isEmpty { return }
        var known: Set<RowID> = []
        for row in changed { touchOwner(of: row, &known) }
    }

    private func touchOwner(of container: RowID, _ known: inout Set<RowID>) {
        var container = container
        while known.insert(container).inserted, let (owner, column) = snapshot.owner(of: container, catalog) {
            let id = CollectionID(table: owner.table, column: column, key: owner.key)
            if catalog.tables[owner.table].columns[column].kind == .sequence {
                if let position = sequence(id).positions(of: [container.key], container.table).first {
                    touchElement(at: position, in: id)
                }
            } else {
                touch(id)
            }
            if catalog.tables[owner.table].container == nil { return }
            container = owner
        }
    }

    /// Notes in the log, while there is one, that the value which a list or dictionary belongs to is about to change.
    func noteOwners(of container: RowID) {
        guard let rowLog else { return }
        var row = container
        while catalog.tables[row.table].container != nil {
            guard let (owner, column) = snapshot.owner(of: row, catalog) else { return }
            rowLog.noteAssignment(owner.table, owner.key, column)
            row = owner
        }
    }
}
