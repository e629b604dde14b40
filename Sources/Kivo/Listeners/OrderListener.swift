import KivoEngine

/// A listener that waits until a part of a result consists of other elements. Modifications of the elements do not concern it: the
/// reads of their properties are recorded by themselves.
final class OrderListener: Listener {
    private let query: QueryState
    private let part: OrderPart
    private let dependencies: Dependencies
    /// For positions, the number of elements up to the last one that was read.
    var reach = 0
    /// The elements, unless they are all objects of a class.
    private var view: MaintainedView?

    init(_ query: QueryState, _ part: OrderPart) {
        (self.query, self.part) = (query, part)
        dependencies = query.instance.listeners.filters.dependencies(query.query, query.instance.catalog)
        super.init(hasInitial: true)
    }

    override var interest: Interest { query.interest([dependencies]) }
    override var subject: String { query.subject }

    /// The closure retains only the registration, which releases the listener, and thus the query, when it is cancelled.
    override func didRegister(_ registration: Registration) {
        query.listenedViews.add(registration) { (registration.listener as? OrderListener)?.currentView }
    }

    /// The view, if it is at the realm's version.
    private var currentView: MaintainedView? {
        guard let view, consumer != nil else { return nil }
        let instance = query.instance
        return instance.listeners.searchedVersion(seenBy: self) == instance.version ? view : nil
    }

    override func callInitial() {
        let instance = query.instance
        if !query.isWholeTable {
            view = MaintainedView(query.query, instance.snapshot, instance.catalog, dependencies)
        }
    }

    /// The view advances in any case: the consumer reads no changes.
    override func isAffected(by pending: PendingChanges) -> Bool {
        guard let view else { return isTableAffected(by: pending) }
        if part == .last {
            let before = OrderListener.last(of: view)
            _ = view.update(pending.traversals, old: pending.old)
            return OrderListener.last(of: view) != before
        }
        let change = view.update(pending.traversals, old: pending.old)
        return isReached(change.deletions.first) || isReached(change.insertions.first)
    }

    /// Returns whether elements from a position on are among those that were read.
    private func isReached(_ position: Int?) -> Bool {
        guard let position else { return false }
        return switch part {
        case .beginning: position == 0
        case .positions: position < reach
        case .all, .last: true
        }
    }

    private static func last(of view: MaintainedView) -> ObjectKey? {
        view.count == 0 ? nil : view.key(at: view.count - 1)
    }

    private func isTableAffected(by pending: PendingChanges) -> Bool {
        guard let id = query.elements?.table else { return false }
        let (old, new) = (pending.old.table(id), pending.new.table(id))
        if part == .last { return OrderListener.last(of: old) != OrderListener.last(of: new) }
        var (deleted, inserted): (ObjectKey?, ObjectKey?)
        pending.changes.table(id)?.forEachDeleted { if $0 < deleted ?? .max { deleted = $0 } }
        pending.changes.table(id)?.forEachInserted { if $0 < inserted ?? .max { inserted = $0 } }
        return isReached(deleted.map { old.position(of: $0) })
            || isReached(inserted.map { new.position(of: $0) })
    }

    private static func last(of table: Table) -> ObjectKey? {
        table.count == 0 ? nil : table.key(at: table.count - 1)
    }
}
