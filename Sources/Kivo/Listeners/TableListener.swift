import KivoEngine

/// A listener of all objects of a class. The change set alone answers it.
final class TableListener: Listener {
    private let context: TableContext
    private let dependencies: Dependencies
    private let call: (ViewChange?) -> Void

    init(_ context: TableContext, _ filter: KeyPathFilter?, _ call: @escaping (ViewChange?) -> Void) {
        self.context = context
        dependencies = context.instance.listeners.filters.dependencies(
            filter, context.table, context.instance.catalog)
        self.call = call
        super.init(hasInitial: true)
    }

    override var interest: Interest {
        let rows = context.instance.listeners.filters.dependencies(
            RowQuery(.table(context.table)), context.instance.catalog)
        return Interest(
            membership: Interest.Membership(
                .conditions(context.table), [rows, dependencies], .bounds(nil)))
    }

    override func callInitial() { call(nil) }

    override func deliver(_ pending: PendingChanges) {
        let update = update(pending)
        if !update.isEmpty { call(update) }
    }

    override func isAffected(by pending: PendingChanges) -> Bool { !update(pending).isEmpty }

    private func update(_ pending: PendingChanges) -> ViewChange {
        let view = pending.new.table(context.table)
        let affected = pending.traversals.rows(dependencies, among: view.count) { view.forEachKeyWhile($0) }
        let change = pending.changes.table(context.table)
        var update = ViewChange()
        guard change != nil || !affected.isEmpty else { return update }
        change?.forEachDeleted { update.deletions.append(pending.old.table(context.table).position(of: $0)) }
        change?.forEachInserted { update.insertions.append(view.position(of: $0)) }
        update.modifications = affected.filter { change?.state(of: $0) != .inserted && view.contains($0) }
            .map { view.position(of: $0) }.sorted()
        return update
    }
}
