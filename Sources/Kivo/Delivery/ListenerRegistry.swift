import KivoEngine

/// The listeners of one realm instance, and the changes that were not delivered to them yet. Confined with the instance.
///
/// The ``ListenerIndex`` finds the listeners that a change concerns. The others are notified of nothing and count as up to date
/// at ``seen``, the version up to which changes were searched. The listeners that were found are *behind* until they are called.
///
/// A delivery calls the listeners in the order of their registration, each once, with the composition of all changes since its
/// last call. A write inside of a callback delivers the pending changes to the other listeners first. No listener therefore
/// receives a change twice or out of order.
final class ListenerRegistry {
    /// The dependencies of the listeners of this instance, shared by listeners whose dependencies are equal.
    let filters = ListenerFilters()
    private var realmObservers = OrderedEntries<Registration>()
    private(set) var index = ListenerIndex()
    var steps = StepLog()
    /// The version up to which the listeners that changes concern were searched.
    var seen: UInt64 = 0
    /// The listeners that are behind, and those that wait for their first call, both in the order of registration. Some may have
    /// ended or been cancelled meanwhile.
    var behind: [Registration] = []
    var awaitingFirstCall: [Registration] = []
    /// The number of elements of `behind` that have not caught up yet, including those that were cancelled meanwhile.
    var untoldCount = 0
    /// The composition that was computed last, cached because several listeners in a row need it.
    var lastPending: PendingChanges?
    private var registrations = 0
    /// The number of the last registration before all listeners were removed at once.
    private var lastCleared = 0
    /// The number of listeners that were removed since `dropDelivered()` last ran.
    private var removals = 0

    /// Whether there are no listeners, so that commits matter only to the realm's observers.
    var isEmpty: Bool { index.isEmpty }

    var hasNoRealmObserver: Bool { realmObservers.isEmpty }

    /// The number of observers, for tests.
    var count: Int { realmObservers.count + index.count }

    // MARK: Registration

    func observe(
        _ instance: RealmInstance, end: @escaping () -> Void = {}, _ block: @escaping NotificationBlock
    ) -> NotificationToken {
        registrations += 1
        let registration = Registration(registrations, RealmListener(block, end: end))
        realmObservers.append(registration)
        instance.turns.enable()
        return NotificationToken(instance, registration)
    }

    func add(_ listener: Listener, _ instance: RealmInstance) -> NotificationToken {
        let registration = register(listener, instance)
        listener.didRegister(registration)
        if case .awaitingFirstCall = listener.progress {
            awaitingFirstCall.append(registration)
            instance.turns.request()
        }
        return NotificationToken(instance, registration)
    }

    /// Registers a listener for changes from now on.
    func register(_ listener: Listener, _ instance: RealmInstance) -> Registration {
        // Earlier changes concern only the listeners that are registered already.
        if index.isEmpty { seen = instance.version } else { findConcerned(instance) }
        registrations += 1
        let registration = Registration(registrations, listener)
        index.add(registration, registration.interest!)
        instance.turns.enable()
        return registration
    }

    /// Removes an observer that was cancelled. The next turn, refresh or write calls this for an observer that was cancelled on
    /// another thread.
    func remove(_ registration: Registration, _ instance: RealmInstance) {
        guard let interest = registration.interest else {
            _ = realmObservers.remove(registration)
            return
        }
        guard registration.order > lastCleared else { return }
        index.remove(registration, interest)
        removals += 1
        // Not at every removal, so that the removal of many listeners scans the lists only a few times.
        let isWorthwhile = index.isEmpty || removals * 2 > behind.count + awaitingFirstCall.count
        if isWorthwhile, !instance.activity.isDelivering { dropDelivered() }
    }

    func removeAllCollectionsAndObjects() {
        let all = index.all
        lastCleared = registrations
        index = ListenerIndex()
        dropDelivered()
        for registration in all {
            registration.listener?.newsTaker?.takeEnd()
            registration.cancel()
        }
        realmObservers.forEach { ($0.listener as? RealmListener)?.realmEnds() }
    }

    /// Drops the listeners that are no longer due, and the steps that were delivered to all listeners.
    func dropDelivered() {
        removals = 0
        lastPending = nil
        // Released at the end, not while the lists are changed: releasing a listener may end further observations.
        let dropped = (behind, awaitingFirstCall)
        let isDue = { (registration: Registration) in registration.listener?.progress.isDue ?? false }
        behind = untoldCount == 0 || index.isEmpty ? [] : behind.filter(isDue)
        untoldCount = behind.count
        if !awaitingFirstCall.isEmpty {
            awaitingFirstCall = index.isEmpty ? [] : awaitingFirstCall.filter(isDue)
        }
        var oldest = index.isEmpty ? UInt64.max : seen
        for case .behind(let since)? in behind.map({ $0.listener?.progress }) { oldest = min(oldest, since) }
        steps.drop(upTo: oldest)
        withExtendedLifetime(dropped) {}
    }

    // MARK: Realm observers

    /// Calls the realm's observers, synchronously.
    func notifyRealm(
        _ notification: Realm.Notification, _ instance: RealmInstance, skipping tokens: [NotificationToken]
    ) {
        guard !realmObservers.isEmpty else { return }
        let realm = Realm(instance)
        let skipped = tokens.compactMap(\.registration)
        instance.activity.take(.roundBegan)
        defer { instance.activity.take(.roundEnded) }
        // A copy, which costs nothing: observers may end others and add new ones.
        let observers = realmObservers
        observers.forEach { registration in
            if skipped.contains(where: { $0 === registration }) { return }
            (registration.listener as? RealmListener)?.tell(notification, realm)
        }
    }
}
