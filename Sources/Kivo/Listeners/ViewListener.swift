import KivoEngine

/// The progress of a ``ViewListener``'s view.
enum ViewProgress<View, Change> {
    case unevaluated
    /// The view shows what the listener has seen.
    case seen(View)
    /// The view shows a later version; `Change` is its difference from the state that the listener has seen.
    indirect case ahead(View, at: UInt64, Change)

    var view: View? {
        switch self {
        case .unevaluated: nil
        case .seen(let view), .ahead(let view, _, _): view
        }
    }

    /// The version of the view if it is ahead, or nil.
    var aheadVersion: UInt64? { if case .ahead(_, let version, _) = self { version } else { nil } }
}

/// A listener that maintains a view of the observed value.
///
/// When the results are read after a commit but before the listener was notified, the view advances at once. The difference is
/// stored for the listener.
protocol ViewListener: Listener {
    associatedtype View
    associatedtype Change

    var instance: RealmInstance { get }
    var viewProgress: ViewProgress<View, Change> { get set }

    /// Advances the view to the end of the changes and returns the difference. Can run the user's code.
    func update(_ view: View, _ pending: PendingChanges) -> Change
    /// Returns the composition of two consecutive differences of a view, which together cover the pending changes.
    func compose(_ first: Change, _ second: Change, _ view: View, _ pending: PendingChanges) -> Change
}

extension ViewListener {
    /// Returns the view if it is at the realm's version. Returns nil before the first call. After the realm has advanced, also returns
    /// nil for the listener of a consumer, for a part of another listener, and if the view was already ahead of the listener.
    func currentView(_ registration: Registration) -> View? {
        switch viewProgress {
        case .unevaluated: return nil
        case .ahead(let view, let version, _): return version == instance.version ? view : nil
        case .seen(let view):
            if isBehind { return nil }
            let listener: Listener = joint ?? self
            if listener.consumer != nil || joint != nil {
                return instance.listeners.searchedVersion(seenBy: listener) == instance.version ? view : nil
            }
            let version = instance.listeners.version(seenBy: self)
            if version == instance.version { return view }
            let change = update(view, instance.listeners.pendingChanges(since: version))
            viewProgress = .ahead(view, at: instance.version, change)
            instance.listeners.noteReadAhead(registration, self)
            return view
        }
    }

    /// Advances the view and the listener to the realm's version. Returns the difference from the state that the listener has
    /// seen.
    func follow(_ pending: PendingChanges) -> Change? {
        switch viewProgress {
        case .unevaluated: return nil
        case .seen(let view): return update(view, pending)
        case .ahead(let view, let version, let change):
            viewProgress = .seen(view)
            if version == pending.to { return change }
            let rest =
                consumer?.changes(since: version, leadingTo: pending)
                ?? instance.listeners.pendingChanges(since: version)
            let next = update(view, rest)
            return compose(change, next, view, pending)
        }
    }
}
