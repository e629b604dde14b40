import KivoEngine

/// The observers of one realm instance, and what they have not been told yet. Confined with it.
///
/// Every observer remembers the version it saw last. A delivery goes through them in the order of their registration;
/// one that is behind is told the composition of everything since, once. A write inside of a callback delivers what is
/// due to the others first, so that nobody is told anything twice or out of order.
final class ObserverRegistry {
    /// A step of the instance from one version to another.
    private struct Step {
        var from: UInt64
        var to: UInt64
        var changes: ChangeSet
        /// The version before, kept pinned, if the step was a move to newer versions.
        var old: (snapshot: Snapshot, store: Store)?
    }

    private var realmObservers: [Registration] = []
    private var notifiers: [Registration] = []
    private var steps: [Step] = []
    private var depth = 0
    private var realmDepth = 0

    deinit { for step in steps { release(step) } }

    /// Whether callbacks are running.
    var isDelivering: Bool { depth > 0 || realmDepth > 0 }

    private func release(_ step: Step) {
        if let old = step.old { old.store.unpin(step.from) }
    }

    // MARK: Registration

    func observe(_ core: RealmCore, _ block: @escaping NotificationBlock) -> NotificationToken {
        let registration = Registration(block: block)
        realmObservers.append(registration)
        return NotificationToken(core, registration)
    }

    func add(_ notifier: Notifier, _ core: RealmCore) -> NotificationToken {
        let registration = Registration(notifier)
        notifiers.append(registration)
        if notifier.isInitialPending { core.handle.requestRefresh() }
        return NotificationToken(core, registration)
    }

    /// Lets go of an observer that was cancelled. Elsewhere than here this waits for the next delivery.
    func remove(_ registration: Registration) {
        realmObservers.removeAll { $0 === registration }
        notifiers.removeAll { $0 === registration }
        if depth == 0 { dropDelivered() }
    }

    func removeAllCollectionsAndObjects() {
        for step in steps { release(step) }
        steps = []
        for registration in notifiers { registration.cancel() }
        notifiers = []
    }

    /// Lets go of observers that were cancelled elsewhere.
    func removeCancelled() {
        realmObservers.removeAll { $0.isCancelled }
        notifiers.removeAll { $0.isCancelled }
        if depth == 0 { dropDelivered() }
    }

    // MARK: Realm observers

    /// Calls the realm's observers, synchronously.
    func notifyRealm(_ notification: Realm.Notification, _ realm: Realm, skipping tokens: [NotificationToken])
    {
        guard !realmObservers.isEmpty else { return }
        realmObservers.removeAll { $0.isCancelled }
        let skipped = tokens.compactMap(\.registration)
        realmDepth += 1
        defer { realmDepth -= 1 }
        for registration in realmObservers {
            if skipped.contains(where: { $0 === registration }) { continue }
            registration.observer?.block?(notification, realm)
        }
    }

    // MARK: Steps

    /// Notes a commit of this instance. The observers of the tokens start anew behind it.
    func recordLocal(_ changes: ChangeSet, from: UInt64, to: UInt64, skipping tokens: [NotificationToken]) {
        guard !notifiers.isEmpty else { return }
        steps.append(Step(from: from, to: to, changes: changes, old: nil))
        for token in tokens {
            guard let notifier = token.registration?.observer?.notifier, let core = token.core else {
                continue
            }
            notifier.seen = to
            notifier.skip(core)
        }
    }

    /// Notes a move to newer versions.
    func recordAdvance(_ changes: ChangeSet, from: UInt64, to: UInt64, old: Snapshot, core: RealmCore) {
        guard !notifiers.isEmpty else { return }
        _ = core.store.pin(from)
        steps.append(Step(from: from, to: to, changes: changes, old: (old, core.store)))
    }

    /// Whether somebody is behind a version or waits for the first call.
    func isDeliveryDue(_ version: UInt64) -> Bool {
        notifiers.contains { registration in
            guard let notifier = registration.observer?.notifier else { return false }
            return notifier.isInitialPending || notifier.seen < version
        }
    }

    // MARK: Delivery

    /// Tells every observer what it has not been told.
    ///
    /// - Parameter isWriting: whether a write begins. First calls wait for a turn of their own then, so that what is
    ///   written is part of them, unless the write is made by a callback of the turn that they are due in.
    func deliver(_ core: RealmCore, isWriting: Bool = false) {
        notifiers.removeAll { $0.isCancelled }
        guard !notifiers.isEmpty else { return dropDelivered() }
        let target = core.version
        var composed: (from: UInt64, to: UInt64, pending: PendingChanges)?
        let isFirstCallDue = !isWriting || depth > 0
        depth += 1
        for registration in notifiers {
            guard let notifier = registration.observer?.notifier else { continue }
            if notifier.isInitialPending {
                guard isFirstCallDue else { continue }
                notifier.isInitialPending = false
                notifier.seen = core.version
                notifier.callInitial()
            } else if notifier.seen < target {
                let from = notifier.seen
                if composed?.from != from || composed?.to != core.version {
                    composed = (from, core.version, pending(from, core))
                }
                notifier.seen = core.version
                notifier.deliver(composed!.pending)
            }
        }
        depth -= 1
        if depth == 0 {
            dropDelivered()
            core.requestRefreshIfDue()
        }
    }

    private func pending(_ from: UInt64, _ core: RealmCore) -> PendingChanges {
        let due = steps.filter { $0.from >= from }
        var changes = due.first?.changes ?? ChangeSet()
        for step in due.dropFirst() { changes.append(step.changes) }
        return PendingChanges(
            core: core, changes: changes,
            advances: due.compactMap { step in step.old.map { ($0.snapshot, step.changes) } })
    }

    private func dropDelivered() {
        if steps.isEmpty { return }
        let waiting = notifiers.lazy.compactMap { $0.observer?.notifier }.filter { !$0.isInitialPending }
        let oldest = waiting.map(\.seen).min() ?? .max
        steps.removeAll { step in
            guard step.to <= oldest else { return false }
            release(step)
            return true
        }
    }
}
