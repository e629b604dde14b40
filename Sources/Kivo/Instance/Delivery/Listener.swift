import KivoEngine

/// One listener of a realm, an object or a collection. Confined with its realm instance.
class Listener {
    /// What the listener was told.
    private(set) final var progress: ListenerProgress
    /// What takes the news of this listener, if it is not called by itself.
    final var newsTaker: (any NewsTaker)?

    init(hasInitial: Bool) { progress = hasInitial ? .awaitingFirstCall : .told }

    final func take(_ event: ListenerProgress.Event) { progress.take(event) }

    /// Notes that something concerns the listener; returns whether it had been told all before.
    final func noteConcerned(since version: UInt64) -> Bool {
        guard case .told = progress else { return false }
        progress.take(.concerned(since: version))
        return true
    }

    /// What the listener is found by; nil if it listens to the realm.
    var interest: Interest? { nil }

    /// Called once the listener can be found.
    func didRegister(_ registration: Registration) {}

    /// Makes the first call.
    func callInitial() {}

    /// Works out what the changes mean to the listener, and calls it if they mean anything.
    func deliver(_ pending: PendingChanges) {}

    /// Whether there may be something to tell of changes after the version that the listener is at. If not, it may take note of
    /// them; else nothing of the listener changes by being asked.
    func hasNews(_ pending: PendingChanges) -> Bool { true }

    /// Takes note of changes that the listener is not told of.
    func skip(_ pending: PendingChanges) {}
}
