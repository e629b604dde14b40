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
    /// The observations that are delivered at a pace of their own.
    var paced = Paced()
    /// The listeners that ``gather(_:)`` takes in place of registering them; nil unless it runs.
    private var gathered: [Listener]?
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
        if gathered != nil {
            gathered!.append(listener)
            return NotificationToken()
        }
        let registration = register(listener)
        listener.didRegister(registration)
        if case .awaitingFirstCall = listener.progress { awaitFirstCall(registration) }
        return NotificationToken(host.registrationOwner, registration)
    }

    /// Returns the listeners that `observe` adds, which become parts of another one and are not registered.
    func gather(_ observe: () -> Void) -> [Listener] {
        gathered = []
        observe()
        defer { gathered = nil }
        return gathered!
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

    /// Adds a listener whose first call is made at once, with the realm's current state.
    func addCalling(_ listener: Listener, consumer: (any ChangeConsumer)? = nil) -> NotificationToken {
        listener.isInternal = true
        listener.take(.caughtUp)
        listener.callInitial()
        listener.consumer = consumer
        let registration = register(listener)
        listener.didRegister(registration)
        return NotificationToken(host.registrationOwner, registration)
    }

    /// Requests the turn in which a new listener is called for the first time.
    func awaitFirstCall(_ registration: Registration) {
        awaitingFirstCall.append(registration)
        host.turns.request()
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
        if endPaced(registration) { return }
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
        endAllPaced()
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

extension ListenerRegistry {
    /// Whether a listener may be outdated at a version, waits for its first call, or holds changes that are due. O(1).
    func isDeliveryDue(_ version: UInt64) -> Bool {
        !isEmpty && (seen < version || !outdated.isEmpty || !awaitingFirstCall.isEmpty) || paced.isDue
    }

    /// Delivers its pending changes to every listener. Pending first calls are made as well, also when a write begins: what is
    /// written is a change of what they show.
    ///
    /// A callback may change something in an open transaction, or leave one open that it changed. The delivery stops then,
    /// because changes up to the last version do not lead to the state that a listener would read. The listeners that are left
    /// stay outdated. The end of the transaction schedules a turn, in which each of them receives one change for everything.
    ///
    /// - Returns: Whether listeners may have been called.
    func deliver() -> Bool {
        guard !isEmpty else {
            dropDelivered()
            return false
        }
        let host = host!
        // A key-value observer may have changed something before a listener is called here.
        if host.hasUncommittedChanges { return false }
        let target = host.version
        findConcerned()
        let isOutermost = !host.activity.isDelivering
        host.activity.take(.deliveryBegan)
        let due = due
        let isMeasured = host.isOnMainThread && !due.isEmpty && isOutermost
        let start: EventMoment? = isMeasured ? .now : nil
        for registration in due {
            if host.hasUncommittedChanges { break }
            guard let listener = registration.listener else { continue }
            switch listener.progress {
            case .awaitingFirstCall:
                findConcerned()
                listener.take(.caughtUp)
                host.recording(listener, registration, since: target) { listener.callInitial() }
            case .outdated(let since) where since < target:
                findConcerned()
                let pending = pendingChanges(since: since)
                catchUp(listener)
                deliver(pending, to: listener, registration)
            case .outdated, .upToDate, .ended: continue
            }
        }
        host.activity.take(.deliveryEnded)
        if !host.activity.isDelivering { dropDelivered() }
        if let start { ListenerRegistry.logIfSlow(start, host.eventName.text) }
        return true
    }

    /// Logs a message if the listeners held up the main thread for longer than a frame.
    private static func logIfSlow(_ start: EventMoment, _ realm: String) {
        let duration = Duration.nanoseconds(start.elapsed)
        if duration < longestOnMainThread { return }
        Logger.shared.log(
            level: .detail,
            message: """
                Listeners of realm '\(realm)' took \(Int(duration.milliseconds)) ms on the main thread. \
                'Realm.events' tells how long each of them takes.
                """)
    }

    /// The duration of a frame, at 60 in a second.
    private static let longestOnMainThread = Duration.milliseconds(16)

    /// Delivers changes to a listener, or notifies its consumer that there are some.
    private func deliver(_ pending: PendingChanges, to listener: Listener, _ registration: Registration) {
        guard let consumer = listener.consumer else {
            return host.recording(listener, registration, since: pending.from) { listener.deliver(pending) }
        }
        guard listener.isAffected(by: pending) else { return }
        if !consumer.endsRegistration { unregister(registration) }
        consumer.didChange(since: pending.from)
    }

    /// The registrations that may have to be called, in the order of registration.
    private var due: [Registration] {
        if awaitingFirstCall.isEmpty { return outdated }
        if outdated.isEmpty { return awaitingFirstCall }
        return (outdated + awaitingFirstCall).sorted { $0.order < $1.order }
    }
}

/// Recording changes, and finding the listeners that they concern.
extension ListenerRegistry {
    /// Records a commit of this instance. `old` is the snapshot before it, which stays pinned until the commit was delivered to
    /// all listeners. The listeners of the tokens are not notified of the commit, and continue after it.
    func recordLocal(
        _ changes: RowChangeSet, from: UInt64, to: UInt64, old: Snapshot, skipping tokens: [NotificationToken]
    ) {
        steps.append(StepLog.Step(from: from, to: to, changes, pinned: old, isAdvance: false, host.pins))
        if tokens.isEmpty { return }
        findConcerned()
        for token in tokens {
            guard let listener = token.registration?.listener,
                case .outdated(let since) = listener.progress
            else { continue }
            listener.skip(pendingChanges(since: since))
            catchUp(listener)
        }
    }

    /// Records an advance to newer versions.
    func recordAdvance(_ changes: RowChangeSet, from: UInt64, to: UInt64, old: Snapshot) {
        guard !isEmpty else { return }
        host.pins.pin(from)
        steps.append(StepLog.Step(from: from, to: to, changes, pinned: old, isAdvance: true, host.pins))
    }

    /// Notes that the instance moved to a version with the same data.
    func followEviction(from: UInt64, to: UInt64) {
        if seen == from { seen = to }
        if !paced.all.isEmpty { followEvictionOfPaced(from: from, to: to) }
    }

    /// Returns the composed changes from a version that listeners are at to the version of the realm.
    func pendingChanges(since from: UInt64) -> PendingChanges {
        let (version, snapshot) = (host.version, host.snapshot)
        if let lastPending, lastPending.leads(from: from, to: version, snapshot) { return lastPending }
        let pending = PendingChanges(
            steps.since(from), from: from, to: version, snapshot, host.catalog)
        lastPending = pending
        return pending
    }

    /// Adds the listeners that new changes concern to the outdated ones.
    func findConcerned() {
        guard seen < host.version else { return }
        let since = seen
        let pending = pendingChanges(since: since)
        seen = host.version
        var isOrdered = true
        var last = outdated.last?.order ?? 0
        index.forEachConcerned(by: pending) { registration in
            guard registration.noteConcerned(since: since) else { return }
            outdatedCount += 1
            isOrdered = isOrdered && registration.order > last
            last = registration.order
            outdated.append(registration)
        }
        if !isOrdered { outdated.sort { $0.order < $1.order } }
    }

    /// Records that a listener was called, or need not be called, with what it is outdated by.
    func catchUp(_ listener: Listener) {
        guard case .outdated = listener.progress else { return }
        listener.take(.caughtUp)
        outdatedCount -= 1
    }

    /// Returns the version that a listener is at: the last that it has seen.
    func version(seenBy listener: Listener) -> UInt64 {
        if case .outdated(let since) = listener.progress { since } else { seen }
    }

    /// Returns the version that a listener is at, after searching what concerns it: that of the realm, if nothing does.
    func searchedVersion(seenBy listener: Listener) -> UInt64 {
        if let pinned = listener.consumer?.pinnedVersion { return pinned }
        findConcerned()
        return version(seenBy: listener)
    }

    /// Marks a listener as outdated although the search did not find it, because the data that it follows was read ahead of it.
    func noteReadAhead(_ registration: Registration, _ listener: Listener) {
        guard listener.noteConcerned(since: seen) else { return }
        outdatedCount += 1
        let index = outdated.partitionPoint { $0.order < registration.order }
        outdated.insert(registration, at: index)
    }
}
