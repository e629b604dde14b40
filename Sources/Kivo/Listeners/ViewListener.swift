import KivoEngine

/// How far the view of a ``ViewListener`` is.
enum ViewProgress<View, Change> {
    case unevaluated
    /// The view shows what the listener has seen.
    case seen(View)
    /// The view was brought to a later version, and how it differs there from what the listener has seen.
    indirect case ahead(View, at: UInt64, Change)

    var view: View? {
        switch self {
        case .unevaluated: nil
        case .seen(let view), .ahead(let view, _, _): view
        }
    }
}

/// A listener that follows what it listens to in a view.
///
/// When the results are read after a commit, before the listener was told of it, the view follows at once; what it has to
/// say is kept for the listener.
protocol ViewListener: Listener {
    associatedtype View
    associatedtype Change

    var instance: RealmInstance { get }
    var viewProgress: ViewProgress<View, Change> { get set }

    /// Brings the view to the end of the changes; returns how it differs then. Code of the user's may run.
    func update(_ view: View, _ pending: PendingChanges) -> Change
    /// The difference that two, one after the other, come to over all of the changes.
    func compose(_ first: Change, _ second: Change, _ view: View, _ pending: PendingChanges) -> Change
}

extension ViewListener {
    /// The view, brought to the version of the realm; nil before the first call, and for a listener that is asked for its
    /// news if that has moved on.
    func currentView(_ registration: Registration) -> View? {
        switch viewProgress {
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
            viewProgress = .ahead(view, at: instance.version, change)
            instance.listeners.noteReadAhead(registration, self)
            return view
        }
    }

    /// Brings the view to the version of the realm, for good; returns how it differs from what the listener has seen.
    func follow(_ pending: PendingChanges) -> Change? {
        switch viewProgress {
        case .unevaluated: return nil
        case .seen(let view): return update(view, pending)
        case .ahead(let view, let version, let change):
            viewProgress = .seen(view)
            if version == pending.to { return change }
            let next = update(view, instance.listeners.pending(version, instance))
            return compose(change, next, view, pending)
        }
    }
}
