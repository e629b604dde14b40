/// The views of those who listen to one result, for who reads it. Confined with the realm instance.
///
/// Listeners are found by their registrations: weak references to them make counting references to them slow.
struct ListenedViews<View> {
    private var lookups: [(registration: Registration, view: () -> View?)] = []
    /// How many there may be before those that are gone are left out.
    private var limit = 8

    var isEmpty: Bool { lookups.isEmpty }

    /// Takes up a listener. `view` looks up its view, if it is of what the realm shows now.
    mutating func add(_ registration: Registration, _ view: @escaping () -> View?) {
        if lookups.count >= limit {
            lookups.removeAll { $0.registration.listener == nil }
            limit = max(8, lookups.count * 2)
        }
        lookups.append((registration, view))
    }

    /// A view of what the realm shows now, of whichever listener has one: the newest may have none, before its first call, or
    /// because it waits for nothing.
    ///
    /// The app's code may run, if it makes keys of sections, and may observe the same result: it is called on a copy then.
    func current() -> View? {
        for lookup in lookups.reversed() {
            if let view = lookup.view() { return view }
        }
        return nil
    }

    /// Leaves out listeners that are gone, from the newest on.
    mutating func dropGone() {
        while let last = lookups.last, last.registration.listener == nil { lookups.removeLast() }
    }
}
