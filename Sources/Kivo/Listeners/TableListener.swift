import KivoEngine

/// An observer of all objects of a class, for which the change set says everything.
final class TableListener: Listener {
    private let table: TableID
    private let dependencies: Dependencies
    private let call: (CollectionUpdate?) -> Void

    init(
        _ context: TableContext, _ filter: KeyPathFilter?, _ call: @escaping (CollectionUpdate?) -> Void
    ) {
        table = context.table
        dependencies = context.instance.observers.filters.dependencies(filter, context)
        self.call = call
        super.init(context.instance, hasInitial: true)
    }

    override func callInitial() { call(nil) }

    override func deliver(_ pending: PendingChanges) {
        let view = pending.instance.table(table)
        let affected = pending.walks.rows(dependencies, among: view.count) { view.forEachKeyWhile($0) }
        let change = pending.changes.table(table)
        guard change != nil || !affected.isEmpty else { return }
        var update = CollectionUpdate(deletions: [], insertions: [], modifications: [])
        change?.forEachDeleted { update.deletions.append(pending.old.table(table).position(of: $0)) }
        change?.forEachInserted { update.insertions.append(view.position(of: $0)) }
        update.modifications = affected.filter { change?.state(of: $0) != .inserted && view.contains($0) }
            .map { view.position(of: $0) }.sorted()
        if !update.isEmpty { call(update) }
    }
}
