import KivoEngine

/// Recording changes, and finding the listeners that they concern.
extension ListenerRegistry {
    /// Records a commit of this instance. `old` is the snapshot before it, which stays pinned until the commit was delivered to
    /// all listeners. The listeners of the tokens are not notified of the commit, and continue after it.
    func recordLocal(
        _ changes: ChangeSet, from: UInt64, to: UInt64, old: Snapshot, skipping tokens: [NotificationToken]
    ) {
        steps.append(StepLog.Step(from: from, to: to, changes, pinned: old, isAdvance: false, host.pins))
        if tokens.isEmpty { return }
        findConcerned()
        for token in tokens {
            guard let listener = token.registration?.listener,
                case .outdated(let since) = listener.progress
            else { continue }
            listener.skip(pendingChanges(since: since))
            listener.take(.caughtUp)
            outdatedCount -= 1
        }
    }

    /// Records an advance to newer versions.
    func recordAdvance(_ changes: ChangeSet, from: UInt64, to: UInt64, old: Snapshot) {
        guard !isEmpty else { return }
        host.pins.pin(from)
        steps.append(StepLog.Step(from: from, to: to, changes, pinned: old, isAdvance: true, host.pins))
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

    /// Returns the version that a listener is at: the last that it has seen.
    func version(seenBy listener: Listener) -> UInt64 {
        if case .outdated(let since) = listener.progress { since } else { seen }
    }

    /// Returns the version that the listener of a consumer is at.
    func version(seenBy listener: Listener, of consumer: any ChangeConsumer) -> UInt64 {
        if let pinned = consumer.pinnedVersion { return pinned }
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
