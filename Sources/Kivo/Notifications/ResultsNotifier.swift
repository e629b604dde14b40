import KivoEngine

/// An observer of results or linking objects, which follows their answer in a ``MaintainedView``.
final class ResultsNotifier: Notifier {
    private let state: QueryState
    private let filter: KeyPathFilter?
    private let call: (CollectionUpdate?) -> Void
    private var view: MaintainedView?

    init(_ state: QueryState, _ filter: KeyPathFilter?, _ call: @escaping (CollectionUpdate?) -> Void) {
        self.state = state
        self.filter = filter
        self.call = call
        super.init(state.core, hasInitial: true)
    }

    override func callInitial() {
        let view = MaintainedView(state.query, state.core.snapshot, state.core.catalog)
        self.view = view
        state.maintain(view)
        call(nil)
    }

    override func skip(_ pending: PendingChanges) { _ = follow(pending) }

    override func deliver(_ pending: PendingChanges) {
        guard let change = follow(pending) else { return }
        var update = CollectionUpdate(
            deletions: change.deletions, insertions: change.insertions,
            modifications: change.modifications)
        if let elements = state.elements {
            update.modifications = modifications(elements, change.insertions, pending)
        }
        if !update.isEmpty { call(update) }
    }

    private func follow(_ pending: PendingChanges) -> ViewChange? {
        guard let view else { return nil }
        let core = pending.core
        let change = view.update(pending.changes, old: pending.old, new: core.snapshot, core.catalog)
        #if DEBUG
        if view.count < 1000 { view.checkInvariants(core.snapshot, core.catalog) }
        #endif
        state.maintain(view)
        return change
    }

    /// The positions of elements that stayed where they are and count as modified.
    private func modifications(
        _ elements: TableContext, _ insertions: [Int], _ pending: PendingChanges
    ) -> [Int] {
        let affected = AffectedRows(pending.core, pending.changes).rows(elements.table, filter)
        if affected.isEmpty { return [] }
        let inserted = Set(insertions)
        var positions: [Int] = []
        for key in affected {
            view!.forEachPosition(of: key, pending.core.snapshot) { position in
                if !inserted.contains(position) { positions.append(position) }
            }
        }
        return positions.sorted()
    }
}

/// An observer of all objects of a class, for which the change set says everything.
final class TableNotifier: Notifier {
    private let table: TableID
    private let filter: KeyPathFilter?
    private let call: (CollectionUpdate?) -> Void

    init(
        _ context: TableContext, _ filter: KeyPathFilter?, _ call: @escaping (CollectionUpdate?) -> Void
    ) {
        table = context.table
        self.filter = filter
        self.call = call
        super.init(context.core, hasInitial: true)
    }

    override func callInitial() { call(nil) }

    override func deliver(_ pending: PendingChanges) {
        let affected = AffectedRows(pending.core, pending.changes).rows(table, filter)
        let change = pending.changes.table(table)
        guard change != nil || !affected.isEmpty else { return }
        let view = pending.core.table(table)
        var update = CollectionUpdate(deletions: [], insertions: [], modifications: [])
        change?.forEachDeleted { update.deletions.append(pending.old.table(table).position(of: $0)) }
        change?.forEachInserted { update.insertions.append(view.position(of: $0)) }
        update.modifications = affected.filter { change?.state(of: $0) != .inserted && view.contains($0) }
            .map { view.position(of: $0) }.sorted()
        if !update.isEmpty { call(update) }
    }
}
