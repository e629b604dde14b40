import KivoEngine

/// The view of one listener of the numbers of groups.
struct GroupView {
    let fold: GroupFold
    let maintained: MaintainedFold
}

/// How the numbers of the groups of a result are computed, and the views of their listeners. Confined with the realm instance.
final class GroupState {
    typealias Path = (path: ResolvedPath, type: ScalarType)

    let query: QueryState
    private let key: Path
    /// The function of each group, and the aggregated values; nil to count elements.
    private let value: (function: QueryPath.Function, values: QueryState.AggregatedValues)?
    /// The views of listeners, which are read instead of an evaluation.
    var listenedViews = ListenedViews<GroupView>()
    /// The object that records reads of the groups inside `withObservationTracking`.
    weak var trackedResult: TrackedResult?
    private var answer: (stamp: QueryState.Stamp, fold: GroupFold)?

    init(
        _ query: QueryState, by key: Path,
        _ value: (function: QueryPath.Function, values: QueryState.AggregatedValues)?
    ) {
        (self.query, self.key, self.value) = (query, key, value)
    }

    private var instance: RealmInstance { query.instance }

    /// The type of the aggregated values; nil if elements are counted.
    var valueType: ScalarType? { value?.values.type }

    func makeFold() -> GroupFold {
        guard let value else {
            return GroupFold(by: key.path, key.type.order, .count, of: nil, .natural, .saturating)
        }
        let type = value.values.type
        return GroupFold(
            by: key.path, key.type.order, value.function.engine, of: value.values.path, type.order,
            type.arithmetic)
    }

    // MARK: Following

    /// The dependencies of the result, of the keys and of the values.
    var dependencies: Dependencies {
        let paths = [key.path] + (value?.values.path.map { [$0] } ?? [])
        return instance.listeners.filters.dependencies(
            query.query.unordered, instance.catalog, reading: paths)
    }

    /// Returns a view of the realm's current state, which a listener updates.
    func makeView(_ dependencies: Dependencies) -> GroupView {
        let fold = makeFold()
        return GroupView(fold: fold, maintained: MaintainedFold(query, into: fold, dependencies))
    }

    // MARK: Reading

    /// The groups of the realm's current state.
    var current: GroupFold {
        instance.checkConfinement { "live groups" }
        if query.isSourceGone { return makeFold() }
        if !listenedViews.isEmpty, !instance.hasUncommittedChanges {
            if let view = listenedViews.current() { return view.fold }
            listenedViews.dropGone()
        }
        if let answer, answer.stamp == query.stamp { return answer.fold }
        let fold = evaluated()
        // The stamp is read only now, because the evaluation may have begun a read transaction.
        answer = (query.stamp, fold)
        return fold
    }

    /// Returns the groups of an evaluation.
    func evaluated() -> GroupFold {
        let fold = makeFold()
        fold.evaluate(query)
        return fold
    }
}

/// A listener of the numbers of groups. It is called first with nil, and then with the groups whose numbers differ.
final class GroupListener: Listener, ViewListener {
    private let groups: GroupState
    private let dependencies: Dependencies
    private let call: ([GroupFold.Change]?, GroupFold) -> Void
    var viewProgress = ViewProgress<GroupView, Void>.unevaluated

    init(_ groups: GroupState, _ call: @escaping ([GroupFold.Change]?, GroupFold) -> Void) {
        (self.groups, self.call) = (groups, call)
        dependencies = groups.dependencies
        super.init(hasInitial: true)
    }

    var instance: RealmInstance { groups.query.instance }

    override var interest: Interest { groups.query.interest([dependencies]) }
    override var aheadVersion: UInt64? { viewProgress.aheadVersion }
    override var subject: String { "groups of \(groups.query.subject)" }

    /// The closure retains only the registration, which releases the listener, and thus the groups, when it is cancelled.
    override func didRegister(_ registration: Registration) {
        groups.listenedViews.add(registration) {
            (registration.listener as? GroupListener)?.currentView(registration)
        }
    }

    override func callInitial() {
        let view = groups.makeView(dependencies)
        viewProgress = .seen(view)
        noteCall(.initial)
        call(nil, view.fold)
    }

    override func skip(_ pending: PendingChanges) { _ = changes(after: pending) }

    /// If the consumer reads no changes of this listener, the view advances, so that the answer is exact.
    override func isAffected(by pending: PendingChanges) -> Bool {
        guard let view = viewProgress.view else { return false }
        if let consumer, !consumer.readsChanges { return !changes(after: pending).isEmpty }
        return view.maintained.mayChange(pending) || groups.query.isSourceGone
    }

    override func deliver(_ pending: PendingChanges) {
        let changes = changes(after: pending)
        guard !changes.isEmpty, let view = viewProgress.view else { return }
        noteCall(ListenerCall.Size(modifications: changes.count))
        call(changes, view.fold)
    }

    /// Advances to the end of the changes. Returns the groups that differ from what the listener has seen.
    private func changes(after pending: PendingChanges) -> [GroupFold.Change] {
        guard follow(pending) != nil, let view = viewProgress.view else { return [] }
        let type = groups.valueType
        return view.fold.takeChanges().filter { !ScalarType.areSame($0.before, $0.after, type) }
    }

    func update(_ view: GroupView, _ pending: PendingChanges) {
        view.maintained.update(pending)
        #if DEBUG
        if groups.query.query.sourceCount(pending.new) < 1000 {
            precondition(
                groups.evaluated().changes(to: view.fold).isEmpty, "groups differ from a fresh evaluation")
        }
        #endif
    }

    func compose(_ first: Void, _ second: Void, _ view: GroupView, _ pending: PendingChanges) {}
}
