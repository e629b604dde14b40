import KivoEngine

/// An observer of results or linking objects, which follows their answer in a ``MaintainedView``.
///
/// Whoever reads the results after a commit, before the observer was told of it, has the view follow at once; what it
/// has to say is kept for the observer.
final class ResultsListener: Listener {
    private let state: QueryState
    private let filter: KeyPathFilter?
    private let call: (CollectionUpdate?) -> Void
    private var view: MaintainedView?
    /// The version that the view is at, and, while that is ahead of ``Listener/seen``, how the view differs from what
    /// the observer saw.
    private var viewVersion: UInt64 = 0
    private var ahead: ViewChange?

    init(_ state: QueryState, _ filter: KeyPathFilter?, _ call: @escaping (CollectionUpdate?) -> Void) {
        self.state = state
        self.filter = filter
        self.call = call
        super.init(state.instance, hasInitial: true)
        state.observer = self
    }

    override func callInitial() {
        view = MaintainedView(state.query, state.instance.snapshot, state.instance.catalog)
        viewVersion = state.instance.version
        call(nil)
    }

    override func skip(_ pending: PendingChanges) {
        _ = follow(pending)
        ahead = nil
    }

    override func deliver(_ pending: PendingChanges) {
        guard let change = follow(pending) else { return }
        ahead = nil
        var update = CollectionUpdate(
            deletions: change.deletions, insertions: change.insertions,
            modifications: change.modifications)
        if let elements = state.elements {
            update.modifications = modifications(elements, change.insertions, pending)
        }
        if !update.isEmpty { call(update) }
    }

    /// The view, brought to the version of the realm; nil before the first call, and when it would take too much.
    var currentView: MaintainedView? {
        let instance = state.instance
        guard let view, !isInitialPending else { return nil }
        if viewVersion == instance.version { return view }
        guard ahead == nil, viewVersion == seen else { return nil }
        ahead = follow(instance.observers.pending(seen, instance))
        return view
    }

    /// Brings the view to the version of the realm; answers how it differs from what the observer saw.
    private func follow(_ pending: PendingChanges) -> ViewChange? {
        let instance = pending.instance
        guard let view else { return nil }
        if viewVersion == instance.version { return ahead }
        let since = ahead == nil ? pending : instance.observers.pending(viewVersion, instance)
        let change = view.update(since.walks, old: since.old)
        viewVersion = instance.version
        #if DEBUG
        if view.count < 1000 { view.checkInvariants(instance.snapshot, instance.catalog) }
        #endif
        // Two differences do not add up to the shortest one.
        return ahead == nil
            ? change : view.difference(from: pending.old, to: instance.snapshot, instance.catalog)
    }

    /// The positions of elements that stayed where they are and count as modified.
    private func modifications(
        _ elements: TableContext, _ insertions: [Int], _ pending: PendingChanges
    ) -> [Int] {
        let dependencies = pending.instance.observers.filters.dependencies(filter, elements)
        let affected = pending.walks.rows(dependencies, among: view!.count) { view!.forEachKeyWhile($0) }
        if affected.isEmpty { return [] }
        let inserted = Set(insertions)
        var positions: [Int] = []
        for key in affected {
            view!.forEachPosition(of: key, pending.instance.snapshot) { position in
                if !inserted.contains(position) { positions.append(position) }
            }
        }
        return positions.sorted()
    }
}

extension ResultsListener: AnswerKeeper {}
