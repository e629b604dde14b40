import KivoEngine

/// The listeners of one realm instance, and what they have not been told yet. Confined with it.
///
/// Listeners are found by what changed, see ``ListenerIndex``. Those that were not found have nothing to hear: they count
/// as told up to ``seen``, the version up to which was looked. Those that were found are behind until they are called. A
/// delivery calls them in the order of their registration; each is told the composition of everything since it was called
/// last, once. A write inside of a callback delivers what is due to the others first, so that nobody is told anything
/// twice or out of order.
final class ListenerRegistry {
    /// What the listeners of this instance depend on, shared by those that ask for the same.
    let filters = ListenerFilters()
    private var realmObservers = OrderedEntries<Registration>()
    private(set) var index = ListenerIndex()
    var steps = StepLog()
    /// The version up to which listeners were looked for that changes concern.
    var seen: UInt64 = 0
    /// Those that are behind, and those that wait for their first call; both in the order of registration. Some may be
    /// done with or cancelled meanwhile.
    var behind: [Registration] = []
    var awaitingFirstCall: [Registration] = []
    /// How many of those that are behind have not caught up yet, also if they were cancelled meanwhile.
    var untoldCount = 0
    /// What was composed last, which several ask for in a row.
    var lastPending: PendingChanges?
    private var registrations = 0
    /// The last registration that was made before all listeners were removed at once.
    private var lastCleared = 0
    /// How many were removed since those that are due were last looked through.
    private var removals = 0

    /// Whether there are no listeners, so that no commit matters but to the realm's observers.
    var isEmpty: Bool { index.isEmpty }

    var hasNoRealmObserver: Bool { realmObservers.isEmpty }

    /// How many observers are kept, for tests.
    var count: Int { realmObservers.count + index.count }

    // MARK: Registration

    func observe(
        _ instance: RealmInstance, end: @escaping () -> Void = {}, _ block: @escaping NotificationBlock
    ) -> NotificationToken {
        registrations += 1
        let registration = Registration(registrations, RealmListener(block, end: end))
        realmObservers.append(registration)
        instance.handle.listen()
        return NotificationToken(instance, registration)
    }

    func add(_ listener: Listener, _ instance: RealmInstance) -> NotificationToken {
        let registration = register(listener, instance)
        listener.didRegister(registration)
        if case .awaitingFirstCall = listener.progress {
            awaitingFirstCall.append(registration)
            instance.handle.requestRefresh()
        }
        return NotificationToken(instance, registration)
    }

    /// Has a listener found by what happens from now on.
    func register(_ listener: Listener, _ instance: RealmInstance) -> Registration {
        // What happened before concerns those only that are here already.
        if index.isEmpty { seen = instance.version } else { findConcerned(instance) }
        registrations += 1
        let registration = Registration(registrations, listener)
        index.add(registration, registration.interest!)
        instance.handle.listen()
        return registration
    }

    /// Lets go of an observer that was cancelled. One that was cancelled elsewhere than here waits for the next turn,
    /// refresh or write.
    func remove(_ registration: Registration, _ instance: RealmInstance) {
        guard let interest = registration.interest else {
            _ = realmObservers.remove(registration)
            return
        }
        guard registration.order > lastCleared else { return }
        index.remove(registration, interest)
        removals += 1
        // Now and then, so that ending many costs no more than going through them a few times.
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

    /// Forgets those that are due no longer, and the steps that everybody has been told of.
    func dropDelivered() {
        removals = 0
        lastPending = nil
        // What is let go of may end further observations: not while the lists are being changed.
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
        defer {
            instance.activity.take(.roundEnded)
            instance.makeUpForMissedTurn()
        }
        // A copy, which costs nothing: observers may end others and add new ones.
        let observers = realmObservers
        observers.forEach { registration in
            if skipped.contains(where: { $0 === registration }) { return }
            (registration.listener as? RealmListener)?.tell(notification, realm)
        }
    }
}
