import KivoEngine

/// A listener of results or linking objects. It maintains their elements in a ``MaintainedView``.
final class ResultsListener: Listener, ViewListener {
    private let query: QueryState
    /// Whether the elements are objects, which can count as modified.
    private let hasObjects: Bool
    /// The dependencies of the query's result, and below those of modifications of its elements.
    private let answer: Dependencies
    private let dependencies: Dependencies
    private let call: (ViewChange?) -> Void
    var viewProgress = ViewProgress<MaintainedView, ViewChange>.unevaluated

    init(_ query: QueryState, _ filter: KeyPathFilter?, _ call: @escaping (ViewChange?) -> Void) {
        self.query = query
        hasObjects = query.elements != nil
        let filters = query.instance.listeners.filters
        answer = filters.dependencies(query.query, query.instance.catalog)
        dependencies =
            query.elements.map { filters.dependencies(filter, $0.table, query.instance.catalog) }
            ?? Dependencies()
        self.call = call
        super.init(hasInitial: true)
    }

    var instance: RealmInstance { query.instance }

    override var interest: Interest { query.interest([answer, dependencies]) }
    override var aheadVersion: UInt64? { viewProgress.aheadVersion }
    override var subject: String { query.subject }

    /// The closure retains only the registration, which releases the listener, and thus the query, when it is cancelled. As long as it
    /// has a listener, that is this one or retains it.
    override func didRegister(_ registration: Registration) {
        query.listenedViews.add(registration) { [unowned(unsafe) self] in
            guard let listener = registration.listener else { return nil }
            return withExtendedLifetime(listener) { currentView(registration) }
        }
    }

    override func callInitial() {
        viewProgress = .seen(
            query.recordingScan { MaintainedView(query.query, instance.snapshot, instance.catalog, answer) })
        noteCall(.initial)
        call(nil)
    }

    override func skip(_ pending: PendingChanges) { _ = follow(pending) }

    override func isAffected(by pending: PendingChanges) -> Bool {
        guard let view = viewProgress.view else { return false }
        if view.mayChange(pending.traversals, old: pending.old) || query.isSourceGone { return true }
        if !hasObjects { return false }
        return !modifications(view, [], pending).isEmpty
    }

    override func deliver(_ pending: PendingChanges) {
        guard var change = follow(pending), let view = viewProgress.view else { return }
        if hasObjects { change.modifications = modifications(view, change.insertions, pending) }
        if joint != nil { moves = change.moves }
        if change.isEmpty { return }
        noteCall(ListenerCall.Size(change))
        call(change)
    }

    func update(_ view: MaintainedView, _ pending: PendingChanges) -> ViewChange {
        let change = view.update(pending.traversals, old: pending.old)
        #if DEBUG
        if view.count < 1000 { view.checkInvariants(pending.new, instance.catalog) }
        #endif
        return change
    }

    /// The sum of two differences is not always the shortest one, so that the difference is computed again unless one of them is empty.
    func compose(_ first: ViewChange, _ second: ViewChange, _ view: MaintainedView, _ pending: PendingChanges)
        -> ViewChange
    {
        if first.isEmpty { return second }
        if second.isEmpty { return first }
        return view.difference(from: pending.old, to: pending.new, instance.catalog)
    }

    /// Returns the positions of remaining elements that count as modified.
    private func modifications(
        _ view: MaintainedView, _ insertions: [Int], _ pending: PendingChanges
    ) -> [Int] {
        // Looking up a position costs as much as visiting eight elements.
        if let affected = pending.traversals.rowSet(
            dependencies, from: max(1, view.count / 8), within: 4 * view.count)
        {
            return view.positions(of: affected, without: insertions)
        }
        let affected = pending.traversals.rows(dependencies, among: view.count) { view.forEachKeyWhile($0) }
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

extension QueryState {
    /// Returns the keys by which the registry finds a listener of the result; the result changes along the given dependencies.
    func interest(_ dependencies: [Dependencies]) -> Interest {
        let membership = { (route: Interest.Route, member: Interest.Member) in
            Interest.Membership(route, dependencies, member)
        }
        switch query.source {
        case .table(let table):
            return Interest(membership: membership(.conditions(table), .bounds(query.predicate?.bounds)))
        case .values(let id, _): return .row(RowID(table: id.table, key: id.key), columns: [id.column])
        case .list(let id, _), .set(let id, _):
            var interest = Interest.row(RowID(table: id.table, key: id.key), columns: [id.column])
            let backlinks = instance.catalog.tables[id.table].backlinks[id.column]!
            interest.membership = membership(.owners(backlinks: backlinks), .key(id.key))
            return interest
        case .origins(let origins, let key):
            let target = instance.catalog.tables[origins.table].columns[origins.column].target!
            return Interest(
                row: Interest.Row(id: RowID(table: origins.backlinks, key: key), columns: nil),
                // When the object is deleted, its backlinks are removed with it, without a change of their own.
                otherRow: Interest.Row(id: RowID(table: target, key: key), columns: []),
                membership: membership(.targets(origins), .key(key)))
        }
    }
}

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

    override var subject: String { "Results<\(context.info.name)>" }

    override func callInitial() {
        noteCall(.initial)
        call(nil)
    }

    override func deliver(_ pending: PendingChanges) {
        let update = update(pending)
        if update.isEmpty { return }
        noteCall(ListenerCall.Size(update))
        call(update)
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
