import KivoEngine

/// One listener of a realm, an object or a collection. Confined with its realm instance.
class Listener {
    /// The changes that the listener has received so far.
    private(set) final var progress: ListenerProgress
    /// The consumer that reads the changes of this listener, or nil if the listener itself is called.
    final var newsTaker: (any NewsTaker)?

    init(hasInitial: Bool) { progress = hasInitial ? .awaitingFirstCall : .told }

    final func take(_ event: ListenerProgress.Event) { progress.take(event) }

    /// Records that a change concerns the listener. Returns whether the listener was up to date before.
    final func noteConcerned(since version: UInt64) -> Bool {
        guard case .told = progress else { return false }
        progress.take(.concerned(since: version))
        return true
    }

    /// The interest by which the listener is found, or nil if it listens to the realm.
    var interest: Interest? { nil }

    /// Called once the listener can be found.
    func didRegister(_ registration: Registration) {}

    /// Makes the first call.
    func callInitial() {}

    /// Computes what the changes mean for the listener, and calls it if they affect it.
    func deliver(_ pending: PendingChanges) {}

    /// Whether the listener may have to be notified of changes after the version that it is at. If not, this call may record the
    /// changes; otherwise it leaves the listener as it is.
    func hasNews(_ pending: PendingChanges) -> Bool { true }

    /// Records changes of which the listener is not notified.
    func skip(_ pending: PendingChanges) {}
}
