import KivoEngine

/// Deletions. Who refers to a dying object is found from that object, along its backlinks.
extension KeyValueRegistry {
    /// Carries out a deletion: links to what dies become nil, lists lose it, and it becomes invalid.
    ///
    /// O(dying objects and their referrers), and of observed lists that hold one of them, what finding it there takes.
    ///
    /// - Parameters:
    ///   - cause: the change of a property that the deletion follows from, if it does.
    ///   - withLists: whether lists that hold the dying objects are told here (and not by who empties them).
    func deletingRows(
        _ instance: RealmInstance, _ keys: [ObjectKey], _ table: TableID, _ transaction: WriteTransaction,
        cause: (row: RowID, column: Int, kind: CollectionChangeKind)?, withLists: Bool,
        _ change: () -> Void
    ) {
        if isEmpty { return change() }
        if keys.isEmpty {
            if let cause { return changing(cause.row, cause.column, cause.kind, change) }
            return change()
        }
        let dying = transaction.deletionClosure(keys, table)
        countWork(dying.count)
        let references = withLists ? references(to: dying, instance, transaction) : []
        var bracket = ChangeBracket()
        for row in dying where contains(row.table, row.key) {
            openEnd(&bracket, RowID(table: row.table, key: row.key))
        }
        if let cause { open(&bracket, cause.row, column: cause.column, cause.kind) }
        for reference in references {
            if let cause, cause.row == reference.row, cause.column == reference.property.column { continue }
            open(&bracket, reference, transaction)
        }
        change()
        bracket.close()
    }

    /// A property of an observed row that refers to dying objects.
    private struct Reference {
        var row: RowID
        var property: PropertyInfo
        /// The place of the property in its class's declaration.
        var order: Int
        var backlinks: TableID
        var targets: [ObjectKey]

        static func precedes(_ a: Reference, _ b: Reference) -> Bool {
            (a.row.table, a.row.key, a.order) < (b.row.table, b.row.key, b.order)
        }
    }

    /// What refers to dying objects and is observed, in the order of tables, keys and properties, but for what dies itself.
    private func references(
        to dying: [(table: TableID, key: ObjectKey)], _ instance: RealmInstance,
        _ transaction: WriteTransaction
    ) -> [Reference] {
        var found: [Reference] = []
        for (table, key) in dying {
            for incoming in transaction.catalog.tables[table].incoming where rowCount(incoming.table) > 0 {
                guard let info = instance.context(table: incoming.table)?.info else { continue }
                forEachObserved(transaction.snapshot.backlinks(incoming.backlinks, of: key), incoming.table) {
                    let property = info.property(column: incoming.column)
                    found.append(
                        Reference(
                            row: RowID(table: incoming.table, key: $0), property: property,
                            order: info.properties.firstIndex { $0 === property }!,
                            backlinks: incoming.backlinks, targets: [key]))
                }
            }
        }
        if found.isEmpty { return [] }
        let dead = Set(dying.map { RowID(table: $0.table, key: $0.key) })
        found.removeAll { dead.contains($0.row) }
        found.sort(by: Reference.precedes)
        var merged: [Reference] = []
        for reference in found {
            if let last = merged.last, last.row == reference.row, last.property === reference.property {
                merged[merged.count - 1].targets += reference.targets
            } else {
                merged.append(reference)
            }
        }
        return merged
    }

    /// Calls `body` with each observed row among the origins of backlinks. O(origins or observed rows, whichever are
    /// fewer).
    private func forEachObserved(_ origins: KeyMultiset, _ table: TableID, _ body: (ObjectKey) -> Void) {
        if origins.isEmpty { return }
        countWork(min(origins.count, rowCount(table)))
        if origins.count <= rowCount(table) {
            var last: ObjectKey = 0
            origins.forEach { key in
                if key != last, contains(table, key) { body(key) }
                last = key
            }
        } else {
            for key in keys(table) where origins.contains(key) { body(key) }
        }
    }

    /// Opens the change of a property that loses dying objects, if somebody observes that property. Observers that were
    /// told before may have changed it.
    private func open(
        _ bracket: inout ChangeBracket, _ reference: Reference, _ transaction: WriteTransaction
    ) {
        let (row, property) = (reference.row, reference.property)
        guard let observers = observers(row.table, row.key), observers.observe(column: property.column) else {
            return
        }
        guard property.type.collection == .list else {
            let isReferring = reference.targets.contains {
                transaction.snapshot.backlinks(reference.backlinks, of: $0).contains(row.key)
            }
            if isReferring { open(&bracket, observers, column: property.column, .wholesale) }
            return
        }
        let id = CollectionID(table: row.table, column: property.column, key: row.key)
        countWork(transaction.sequence(id).count)
        let positions = transaction.positions(of: reference.targets, in: id)
        if positions.isEmpty { return }
        open(&bracket, observers, column: property.column, .removal(.scattered(positions)))
    }
}
