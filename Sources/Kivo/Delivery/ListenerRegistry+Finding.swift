import KivoEngine

/// Recording changes, and finding the listeners that they concern.
extension ListenerRegistry {
    /// Records a commit of this instance. `old` is the snapshot before it, which stays pinned until the commit was delivered to
    /// all listeners. The listeners of the tokens are not notified of the commit, and continue after it.
    func recordLocal(
        _ changes: ChangeSet, from: UInt64, to: UInt64, old: Snapshot, _ instance: RealmInstance,
        skipping tokens: [NotificationToken]
    ) {
        steps.append(
            StepLog.Step(from: from, to: to, changes, pinned: old, isAdvance: false, instance.store))
        if tokens.isEmpty { return }
        findConcerned(instance)
        for token in tokens {
            guard let listener = token.registration?.listener,
                case .behind(let since) = listener.progress
            else { continue }
            listener.skip(pending(since, instance))
            listener.take(.caughtUp)
            untoldCount -= 1
        }
    }

    /// Records an advance to newer versions.
    func recordAdvance(_ changes: ChangeSet, from: UInt64, to: UInt64, old: Snapshot, instance: RealmInstance)
    {
        guard !isEmpty else { return }
        _ = instance.store.pin(from)
        steps.append(StepLog.Step(from: from, to: to, changes, pinned: old, isAdvance: true, instance.store))
    }

    /// Returns the composed changes from a version that listeners are at to the version of the realm.
    func pending(_ from: UInt64, _ instance: RealmInstance) -> PendingChanges {
        let (version, snapshot) = (instance.version, instance.snapshot)
        if let lastPending, lastPending.leads(from: from, to: version, snapshot) { return lastPending }
        let pending = PendingChanges(
            steps.since(from), from: from, to: version, snapshot, instance.catalog)
        lastPending = pending
        return pending
    }

    /// Adds the listeners that new changes concern to those that are behind.
    func findConcerned(_ instance: RealmInstance) {
        guard seen < instance.version else { return }
        let since = seen
        let pending = pending(since, instance)
        seen = instance.version
        var isOrdered = true
        var last = behind.last?.order ?? 0
        index.forEachConcerned(by: pending) { registration in
            guard registration.noteConcerned(since: since) else { return }
            untoldCount += 1
            isOrdered = isOrdered && registration.order > last
            last = registration.order
            behind.append(registration)
        }
        if !isOrdered { behind.sort { $0.order < $1.order } }
    }

    /// Returns the version that a listener is at: the last that it has seen.
    func version(seenBy listener: Listener) -> UInt64 {
        if case .behind(let since) = listener.progress { since } else { seen }
    }

    /// Marks a listener as behind although the search did not find it, because the data that it follows was read ahead of it.
    func noteReadAhead(_ registration: Registration, _ listener: Listener) {
        guard listener.noteConcerned(since: seen) else { return }
        untoldCount += 1
        let place = behind.partitionPoint { $0.order < registration.order }
        behind.insert(registration, at: place)
    }
}
