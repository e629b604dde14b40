import KivoEngine

/// The observed properties that differ between two versions: by advancing to another one, and by rolling back a transaction.
extension KeyValueRegistry {
    /// Calls `body` with each changed leaf that has observed rows, and with the slots of the changed observed rows, ascending.
    func forEachLeaf(_ change: TableChange, _ body: (LeafChange, Bits256) -> Void) {
        func visit(_ leaf: LeafChange) {
            let observed = observed(change.table, in: leaf.block)
            if observed.isEmpty { return }
            let slots = leaf.touched & observed
            if !slots.isEmpty { body(leaf, slots) }
        }
        if change.leaves.count > blockCount(change.table) * 4 {
            for block in observedBlocks(change.table) {
                if let leaf = change.leaf(of: block.key(at: 0)) { visit(leaf) }
            }
        } else {
            for leaf in change.leaves { visit(leaf) }
        }
    }

    /// A column that was assigned in some rows of a leaf.
    struct ChangedColumn {
        var property: PropertyInfo
        var isList: Bool
        var slots: Bits256
    }

    /// Returns the assigned columns of a leaf. The keys and the values of a map have one column each, which are notified as one
    /// change.
    func changedColumns(of leaf: LeafChange, _ info: ClassInfo) -> [ChangedColumn] {
        leaf.columns.compactMap { column in
            let property = info.property(column: column.column)
            var slots = column.slots
            if column.column == property.valuesColumn,
                let keys = leaf.columns.first(where: { $0.column == property.column })
            {
                slots = slots.subtracting(keys.slots)
            }
            if slots.isEmpty { return nil }
            return ChangedColumn(property: property, isList: property.type.collection == .list, slots: slots)
        }
    }

    /// Opens the changes of a row's observed columns.
    func openColumns(
        _ opened: inout OpenChange, _ row: RowID, _ observers: RowObservers, _ columns: [ChangedColumn],
        _ changes: ChangeSet, _ isRollback: Bool
    ) {
        let slot = KeyBlock.offset(of: row.key)
        for index in columns.indices where columns[index].slots.contains(slot) {
            let column = columns[index].property.column
            if columns[index].isList {
                guard observers.observe(column: column),
                    let kind = listChange(row, column, changes, isRollback)
                else { continue }
                open(&opened, observers, column, kind)
            } else {
                open(&opened, observers, column, .wholesale)
            }
        }
    }

    /// Returns the kind of a list's change; returns nil if its operations cancel out.
    private func listChange(
        _ row: RowID, _ column: Int, _ changes: ChangeSet, _ isRollback: Bool
    ) -> CollectionChangeKind? {
        let id = CollectionID(table: row.table, column: column, key: row.key)
        guard let change = changes.sequences[id] else { return .wholesale }
        switch change.resolve().keyValueChange(isRollback: isRollback) {
        case .none: return nil
        case .insertion(let indices): return .scatteredInsertion(indices)
        case .removal(let indices): return .removal(.scattered(indices))
        case .replacement(let indices): return .replacement(.scattered(indices))
        case .wholesale: return .wholesale
        }
    }
}
