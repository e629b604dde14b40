import KivoEngine

/// A listener of a number. It is called with the first result, and with each one that differs from the one before.
final class NumberListener: Listener, ViewListener {
    private let query: QueryState
    private let number: NumberState
    private let dependencies: Dependencies
    private let call: (Cell) -> Void
    /// The result that the listener has seen.
    private var seen = Cell.null
    var viewProgress = ViewProgress<NumberView, Void>.unevaluated

    init(_ query: QueryState, _ number: NumberState, _ call: @escaping (Cell) -> Void) {
        (self.query, self.number, self.call) = (query, number, call)
        dependencies = number.dependencies(query)
        super.init(hasInitial: true)
    }

    var instance: RealmInstance { query.instance }

    override var interest: Interest { query.interest([dependencies]) }
    override var aheadVersion: UInt64? { viewProgress.aheadVersion }
    override var subject: String { "\(number.kind.name) of \(query.subject)" }

    /// The closure retains only the registration, which releases the listener, and thus the query, when it is cancelled.
    override func didRegister(_ registration: Registration) {
        number.listenedViews.add(registration) {
            (registration.listener as? NumberListener)?.currentView(registration)
        }
    }

    override func callInitial() {
        let view = NumberView(query, number, dependencies)
        viewProgress = .seen(view)
        seen = view.fold.result
        noteCall(.initial)
        call(seen)
    }

    override func skip(_ pending: PendingChanges) { _ = isDifferent(after: pending) }

    /// If the consumer reads no changes of this listener, the view advances, so that the answer is exact.
    override func isAffected(by pending: PendingChanges) -> Bool {
        guard let view = viewProgress.view else { return false }
        if let consumer, !consumer.readsChanges { return isDifferent(after: pending) }
        return view.maintained.mayChange(pending) || query.isSourceGone
    }

    override func deliver(_ pending: PendingChanges) {
        guard isDifferent(after: pending) else { return }
        noteCall(ListenerCall.Size(modifications: 1))
        call(seen)
    }

    /// Advances to the end of the changes. Returns whether the result differs from the one that the listener has seen.
    private func isDifferent(after pending: PendingChanges) -> Bool {
        guard follow(pending) != nil, let view = viewProgress.view else { return false }
        let (before, after) = (seen, view.fold.result)
        seen = after
        return !number.areSame(before, after)
    }

    func update(_ view: NumberView, _ pending: PendingChanges) {
        view.maintained.update(pending)
        #if DEBUG
        if query.query.sourceCount(pending.new) < 1000 {
            precondition(
                number.areSame(number.evaluated(query), view.fold.result),
                "a number differs from a fresh evaluation")
        }
        #endif
    }

    func compose(_ first: Void, _ second: Void, _ view: NumberView, _ pending: PendingChanges) {}
}
