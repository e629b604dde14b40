/// The views of the listeners of one result, for code that reads the result. Confined with the realm instance.
///
/// Listeners are referred to by their registrations: weak references to them would make counting references to them slow.
struct ListenedViews<View> {
    private var lookups: [(registration: Registration, view: () -> View?)] = []
    /// The number of lookups at which those of released listeners are removed.
    private var limit = 8

    var isEmpty: Bool { lookups.isEmpty }

    /// Adds a listener. `view` returns the listener's view if that shows the current state of the realm.
    mutating func add(_ registration: Registration, _ view: @escaping () -> View?) {
        if lookups.count >= limit {
            lookups.removeAll { $0.registration.listener == nil }
            limit = max(8, lookups.count * 2)
        }
        lookups.append((registration, view))
    }

    /// Returns a view of the realm's current state, of any listener that has one. The newest may have none: before its first
    /// call, or because it waits for nothing.
    ///
    /// The app's code may run here, if it makes keys of sections, and may observe the same result. This is then called on a copy.
    func current() -> View? {
        for lookup in lookups.reversed() {
            if let view = lookup.view() { return view }
        }
        return nil
    }

    /// Removes released listeners, from the newest on.
    mutating func dropGone() {
        while let last = lookups.last, last.registration.listener == nil { lookups.removeLast() }
    }
}
