import KivoEngine

/// The listeners of one realm instance, and the changes that were not delivered to them yet. Confined with the instance.
///
/// The ``ListenerIndex`` finds the listeners that a change concerns. The others are notified of nothing and count as up to date
/// at ``seen``, the version up to which changes were searched. The listeners that were found are *outdated* until they are called.
///
/// A delivery calls the listeners in the order of their registration, each once, with the composition of all changes since its
/// last call. A write inside of a callback delivers the pending changes to the other listeners first. No listener therefore
/// receives a change twice or out of order.
///
/// Exclusive access is not checked where no other code can run during an access.
final class ListenerRegistry {
    /// The dependencies of the listeners of this instance, shared by listeners whose dependencies are equal.
    let filters = ListenerFilters()
    private(set) unowned(unsafe) var host: (any DeliveryHost)!
    private(set) var index = ListenerIndex()
    var steps = StepLog()
    /// The version up to which the listeners that changes concern were searched.
    @exclusivity(unchecked) var seen: UInt64 = 0
    /// The outdated listeners, and those that wait for their first call, both in the order of registration. Some may have ended or
    /// been cancelled meanwhile.
    @exclusivity(unchecked) var outdated: [Registration] = []
    @exclusivity(unchecked) var awaitingFirstCall: [Registration] = []
    /// The number of elements of `outdated` that have not caught up yet, including those that were cancelled meanwhile.
    @exclusivity(unchecked) var outdatedCount = 0
    /// The composition that was computed last, cached because several listeners in a row need it.
    @exclusivity(unchecked) var lastPending: PendingChanges?
    private var registrations = 0
    /// The number of the last registration before all listeners were removed at once.
    private var lastCleared = 0
    /// The number of listeners that were removed since `dropDelivered()` last ran.
    @exclusivity(unchecked) private var removals = 0

    /// Called once, by the instance that owns the registry.
    func attach(_ host: any DeliveryHost) { self.host = host }

    /// Whether there are no listeners, so that commits matter only to the realm's observers.
    var isEmpty: Bool { index.isEmpty }

    /// The number of listeners, for tests.
    var count: Int { index.count }

    // MARK: Registration

    func add(_ listener: Listener) -> NotificationToken {
        let registration = register(listener)
        listener.didRegister(registration)
        if case .awaitingFirstCall = listener.progress {
            awaitingFirstCall.append(registration)
            host.turns.request()
        }
        return NotificationToken(host.registrationOwner, registration)
    }

    /// Registers a listener for changes from now on. If it has a consumer, the first notification ends the registration.
    func register(_ listener: Listener) -> Registration {
        // Earlier changes concern only the listeners that are registered already.
        if index.isEmpty { seen = host.version } else { findConcerned() }
        registrations += 1
        let registration = Registration(registrations, listener)
        index.add(registration, registration.interest!)
        host.turns.enable()
        return registration
    }

    /// Cancels a registration, unless it is cancelled already.
    func unregister(_ registration: Registration) {
        if registration.listener == nil { return }
        registration.cancel()
        remove(registration)
    }

    /// Removes a listener that was cancelled. The next turn, refresh or write calls this for a listener that was cancelled on
    /// another thread.
    func remove(_ registration: Registration) {
        guard let interest = registration.interest, registration.order > lastCleared else { return }
        index.remove(registration, interest)
        removals += 1
        // Not at every removal, so that the removal of many listeners scans the lists only a few times.
        let isWorthwhile = index.isEmpty || removals * 2 > outdated.count + awaitingFirstCall.count
        if isWorthwhile, !host.activity.isDelivering { dropDelivered() }
    }

    /// Cancels all registrations, because the realm was invalidated.
    func removeAll() {
        let all = index.all
        lastCleared = registrations
        index = ListenerIndex()
        dropDelivered()
        for registration in all {
            registration.listener?.consumer?.didEnd()
            registration.cancel()
        }
    }

    /// Drops the listeners that are no longer due, and the steps that were delivered to all listeners.
    func dropDelivered() {
        removals = 0
        lastPending = nil
        // Released at the end, not while the lists are changed: releasing a listener may end further observations.
        let dropped = (outdated, awaitingFirstCall)
        let isDue = { (registration: Registration) in registration.listener?.progress.isDue ?? false }
        outdated = outdatedCount == 0 || index.isEmpty ? [] : outdated.filter(isDue)
        outdatedCount = outdated.count
        if !awaitingFirstCall.isEmpty {
            awaitingFirstCall = index.isEmpty ? [] : awaitingFirstCall.filter(isDue)
        }
        var oldest = index.isEmpty ? UInt64.max : seen
        for case .outdated(let since)? in outdated.map({ $0.listener?.progress }) {
            oldest = min(oldest, since)
        }
        steps.drop(upTo: oldest)
        withExtendedLifetime(dropped) {}
    }
}
