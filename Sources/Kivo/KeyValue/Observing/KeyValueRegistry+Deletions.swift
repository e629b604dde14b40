import KivoEngine

/// Deletions. The referrers of a dying object are references along its backlinks.
extension KeyValueRegistry {
    /// A property of an observed row that refers to dying objects.
    struct Reference {
        var row: RowID
        var property: PropertyInfo
        /// The position of the property in its class's declaration.
        var order: Int
        var backlinks: TableID
        var targets: [ObjectKey]

        fileprivate static func precedes(_ a: Reference, _ b: Reference) -> Bool {
            (a.row.table, a.row.key, a.order) < (b.row.table, b.row.key, b.order)
        }
    }

    /// Returns the observed references to dying objects, ordered by table, key and property. References from dying objects are
    /// left out.
    func references(
        to dying: [(table: TableID, key: ObjectKey)], _ instance: RealmInstance,
        _ transaction: WriteTransaction
    ) -> [Reference] {
        var references: [Reference] = []
        for (table, key) in dying {
            for incoming in transaction.catalog.tables[table].incoming where rowCount(incoming.table) > 0 {
                guard let info = instance.classes.usedContext(of: incoming.table)?.info else { continue }
                forEachObserved(transaction.snapshot.backlinks(incoming.backlinks, of: key), incoming.table) {
                    let property = info.property(column: incoming.column)
                    references.append(
                        Reference(
                            row: RowID(table: incoming.table, key: $0), property: property,
                            order: info.properties.firstIndex { $0 === property }!,
                            backlinks: incoming.backlinks, targets: [key]))
                }
            }
        }
        if references.isEmpty { return [] }
        let dead = Set(dying.map { RowID(table: $0.table, key: $0.key) })
        references.removeAll { dead.contains($0.row) }
        references.sort(by: Reference.precedes)
        var merged: [Reference] = []
        for reference in references {
            if let last = merged.last, last.row == reference.row, last.property === reference.property {
                merged[merged.count - 1].targets += reference.targets
            } else {
                merged.append(reference)
            }
        }
        return merged
    }

    /// Calls `body` with each observed row among the origins of backlinks. O(origins or observed rows, whichever are fewer).
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

    /// Opens the change of a property that loses dying objects, if the property is observed. Observers that were notified earlier
    /// may already have changed it.
    func open(
        _ change: inout OpenChange, _ reference: Reference, _ transaction: WriteTransaction
    ) {
        let (row, property) = (reference.row, reference.property)
        guard let observers = observers(row.table, row.key), observers.observe(column: property.column) else {
            return
        }
        guard property.type.collection == .list else {
            let isReferring = reference.targets.contains {
                transaction.snapshot.backlinks(reference.backlinks, of: $0).contains(row.key)
            }
            if isReferring { open(&change, observers, property.column, .wholesale) }
            return
        }
        let id = CollectionID(table: row.table, column: property.column, key: row.key)
        countWork(transaction.sequence(id).count)
        let positions = transaction.positions(of: reference.targets, in: id)
        if positions.isEmpty { return }
        open(&change, observers, property.column, .removal(.scattered(positions)))
    }
}
