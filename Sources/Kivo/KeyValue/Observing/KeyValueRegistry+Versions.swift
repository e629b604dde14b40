import KivoEngine

/// Changes that come at once: another version, and the way back to the one before a transaction.
extension KeyValueRegistry {
    /// The way that an instance goes between two versions.
    enum Direction {
        /// To a newer version.
        case forward
        /// Back to the version before a transaction.
        case back
    }

    /// Opens the changes of a move before it is made: every observed property that changed in between is told once, from
    /// its first to its last value. O(changes or observed rows, whichever are fewer).
    func willMove(
        _ instance: RealmInstance, _ changes: ChangeSet, _ direction: Direction
    ) -> ChangeBracket {
        var bracket = ChangeBracket()
        if isEmpty { return bracket }
        let isRollback = direction == .back
        instance.letGoOfLeft()
        for change in changes.tables where change.table < tables.count && !tables[change.table].isEmpty {
            let info = instance.context(table: change.table)?.info
            forEachChanged(change) { key, accessors, leaf in
                let slot = KeyBlock.offset(of: key)
                let (gone, there) = isRollback ? (leaf.inserted, leaf.deleted) : (leaf.deleted, leaf.inserted)
                if gone.contains(slot) {
                    open(&bracket, accessors, column: ObservedKey.invalidated.column, .wholesale)
                } else if there.contains(slot) {
                    for accessor in accessors { accessor.withLive { bracket.follow($0) } }
                } else if let info {
                    let row = RowID(table: change.table, key: key)
                    openColumns(&bracket, row, accessors, info, leaf, changes, isRollback)
                }
            }
        }
        return bracket
    }

    /// Tells of a move after it was made.
    func didMove(_ bracket: consuming ChangeBracket) { bracket.close() }

    /// Calls `body` with the observed rows of a table that changed, ascending.
    private func forEachChanged(
        _ change: TableChange, _ body: (ObjectKey, [Accessor], LeafChange) -> Void
    ) {
        let observed = tables[change.table]
        if change.count > observed.count * 4 {
            for key in observed.keys.sorted() {
                guard let leaf = change.leaf(of: key), leaf.touched.contains(KeyBlock.offset(of: key)),
                    let accessors = observed[key]
                else { continue }
                body(key, accessors, leaf)
            }
        } else {
            for leaf in change.leaves {
                leaf.touched.forEach { slot in
                    let key = leaf.block.key(at: slot)
                    if let accessors = observed[key] { body(key, accessors, leaf) }
                }
            }
        }
    }

    private func openColumns(
        _ bracket: inout ChangeBracket, _ row: RowID, _ accessors: [Accessor], _ info: ClassInfo,
        _ leaf: LeafChange, _ changes: ChangeSet, _ isRollback: Bool
    ) {
        let slot = KeyBlock.offset(of: row.key)
        for column in leaf.columns where column.slots.contains(slot) {
            let property = info.property(column: column.column)
            // The keys and the values of a map have a column each.
            let isTold = leaf.columns.contains { $0.column == property.column && $0.slots.contains(slot) }
            if column.column == property.valuesColumn, isTold { continue }
            guard let kind = kind(of: property, row, changes, isRollback) else { continue }
            open(&bracket, accessors, column: property.column, kind)
        }
    }

    /// How a change of a property is told; nil if its operations cancel out.
    private func kind(
        of property: PropertyInfo, _ row: RowID, _ changes: ChangeSet, _ isRollback: Bool
    ) -> CollectionChangeKind? {
        guard property.type.collection == .list else { return .wholesale }
        let id = CollectionID(table: row.table, column: property.column, key: row.key)
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
