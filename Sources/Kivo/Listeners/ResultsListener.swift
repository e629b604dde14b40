import KivoEngine

/// A listener of results or linking objects, which follows their result in a ``MaintainedView``.
///
/// When the results are read after a commit, before the listener was told of it, the view follows at once; what it has to
/// say is kept for the listener.
final class ResultsListener: Listener {
    /// The view, and how far it is.
    private enum State {
        case unevaluated
        /// The view shows what the listener has seen.
        case seen(MaintainedView)
        /// The view was brought to a later version, and how it differs there from what the listener has seen.
        case ahead(MaintainedView, at: UInt64, ViewChange)

        var view: MaintainedView? {
            switch self {
            case .unevaluated: nil
            case .seen(let view), .ahead(let view, _, _): view
            }
        }
    }

    private let query: QueryState
    /// What the result depends on, and what counts as a modification of its elements.
    private let answer: Dependencies
    private let dependencies: Dependencies
    private let call: (ViewChange?) -> Void
    private var state = State.unevaluated

    init(_ query: QueryState, _ filter: KeyPathFilter?, _ call: @escaping (ViewChange?) -> Void) {
        self.query = query
        let filters = query.instance.listeners.filters
        answer = filters.dependencies(query.query, query.instance.catalog)
        dependencies = query.elements.map { filters.dependencies(filter, $0) } ?? Dependencies()
        self.call = call
        super.init(hasInitial: true)
    }

    override var interest: Interest { query.interest([answer, dependencies]) }

    /// The registration lets go of the listener when it is cancelled, and so of the query.
    override func didRegister(_ registration: Registration) {
        query.listenedView = { (registration.listener as? ResultsListener)?.currentView(registration) }
    }

    override func callInitial() {
        state = .seen(MaintainedView(query.query, query.instance.snapshot, query.instance.catalog, answer))
        call(nil)
    }

    override func skip(_ pending: PendingChanges) { _ = follow(pending) }

    override func hasNews(_ pending: PendingChanges) -> Bool {
        guard let view = state.view else { return false }
        if view.mayChange(pending.walks, old: pending.old) || query.isInvalidated { return true }
        if query.elements == nil { return false }
        return !modifications(view, [], pending).isEmpty
    }

    override func deliver(_ pending: PendingChanges) {
        guard var change = follow(pending), let view = state.view else { return }
        if query.elements != nil { change.modifications = modifications(view, change.insertions, pending) }
        if !change.isEmpty { call(change) }
    }

    /// The view, brought to the version of the realm; nil before the first call, and when it would take too much.
    private func currentView(_ registration: Registration) -> MaintainedView? {
        let instance = query.instance
        switch state {
        case .unevaluated: return nil
        case .ahead(let view, let version, _): return version == instance.version ? view : nil
        case .seen(let view):
            if let newsTaker {
                let version = instance.listeners.version(seenBy: self, of: newsTaker, instance)
                return version == instance.version ? view : nil
            }
            let version = instance.listeners.version(seenBy: self)
            if version == instance.version { return view }
            let change = update(view, instance.listeners.pending(version, instance))
            state = .ahead(view, at: instance.version, change)
            instance.listeners.noteReadAhead(registration, self)
            return view
        }
    }

    /// Brings the view to the version of the realm, for good; returns how it differs from what the listener has seen.
    private func follow(_ pending: PendingChanges) -> ViewChange? {
        switch state {
        case .unevaluated: return nil
        case .seen(let view): return update(view, pending)
        case .ahead(let view, let version, let change):
            state = .seen(view)
            if version == pending.to { return change }
            _ = update(view, query.instance.listeners.pending(version, query.instance))
            // Two differences do not add up to the shortest one.
            return view.difference(from: pending.old, to: pending.new, query.instance.catalog)
        }
    }

    private func update(_ view: MaintainedView, _ pending: PendingChanges) -> ViewChange {
        let change = view.update(pending.walks, old: pending.old)
        #if DEBUG
        if view.count < 1000 { view.checkInvariants(pending.new, query.instance.catalog) }
        #endif
        return change
    }

    /// The positions of elements that stayed where they were and count as modified.
    private func modifications(
        _ view: MaintainedView, _ insertions: [Int], _ pending: PendingChanges
    ) -> [Int] {
        let affected = pending.walks.rows(dependencies, among: view.count) { view.forEachKeyWhile($0) }
        if affected.isEmpty { return [] }
        var positions: [Int] = []
        let inserted = Set(insertions)
        for key in affected {
            view.forEachPosition(of: key, pending.new) { position in
                if !inserted.contains(position) { positions.append(position) }
            }
        }
        return positions.count > 1 ? positions.sorted() : positions
    }
}
