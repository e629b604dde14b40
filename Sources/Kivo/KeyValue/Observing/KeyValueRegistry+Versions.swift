import KivoEngine

/// Changes that are applied together: by advancing to another version, and by rolling back a transaction.
extension KeyValueRegistry {
    /// Opens the changes of a move before it is made. Each observed property that changed in between is notified once, from its
    /// first to its last value. O(changed leaves, or blocks with observed rows, whichever are fewer), and O(changed observed
    /// rows).
    func openMove(
        _ instance: RealmInstance, _ changes: ChangeSet, _ direction: Direction
    ) -> ChangeBracket {
        var bracket = ChangeBracket()
        let isRollback = direction == .back
        instance.releaseEndedElsewhere()
        for change in changes.tables where rowCount(change.table) > 0 {
            let info = instance.classes.usedContext(of: change.table)?.info
            forEachLeaf(change) { leaf, slots in
                let columns = info.map { changedColumns(of: leaf, $0) } ?? []
                slots.forEach { slot in
                    let key = leaf.block.key(at: slot)
                    guard let observers = observers(change.table, key) else { return }
                    let (gone, there) =
                        isRollback ? (leaf.inserted, leaf.deleted) : (leaf.deleted, leaf.inserted)
                    if gone.contains(slot) {
                        open(&bracket, observers, column: ObservedKey.invalidated.column, .wholesale)
                    } else if there.contains(slot) {
                        observers.forEach { if $0.liveSubject != nil { bracket.follow($0) } }
                    } else {
                        let row = RowID(table: change.table, key: key)
                        openColumns(&bracket, row, observers, columns, changes, isRollback)
                    }
                }
            }
        }
        return bracket
    }

    /// Calls `body` with each changed leaf that has observed rows, and with the slots of the changed observed rows, ascending.
    private func forEachLeaf(_ change: TableChange, _ body: (LeafChange, Bits256) -> Void) {
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
    private struct ChangedColumn {
        var property: PropertyInfo
        var isList: Bool
        var slots: Bits256
    }

    /// Returns the assigned columns of a leaf. The keys and the values of a map have one column each, which are notified as one
    /// change.
    private func changedColumns(of leaf: LeafChange, _ info: ClassInfo) -> [ChangedColumn] {
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

    private func openColumns(
        _ bracket: inout ChangeBracket, _ row: RowID, _ observers: RowObservers, _ columns: [ChangedColumn],
        _ changes: ChangeSet, _ isRollback: Bool
    ) {
        let slot = KeyBlock.offset(of: row.key)
        for index in columns.indices where columns[index].slots.contains(slot) {
            let column = columns[index].property.column
            if columns[index].isList {
                guard observers.observe(column: column),
                    let kind = listChange(row, column, changes, isRollback)
                else { continue }
                open(&bracket, observers, column: column, kind)
            } else {
                open(&bracket, observers, column: column, .wholesale)
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
