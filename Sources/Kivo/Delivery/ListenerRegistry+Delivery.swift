import KivoEngine

extension ListenerRegistry {
    /// Whether a listener may be outdated at a version, or waits for its first call. O(1).
    func isDeliveryDue(_ version: UInt64) -> Bool {
        !isEmpty && (seen < version || !outdated.isEmpty || !awaitingFirstCall.isEmpty)
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
        host.activity.take(.deliveryBegan)
        for registration in due {
            if host.hasUncommittedChanges { break }
            guard let listener = registration.listener else { continue }
            switch listener.progress {
            case .awaitingFirstCall:
                findConcerned()
                listener.take(.caughtUp)
                listener.callInitial()
            case .outdated(let since) where since < target:
                findConcerned()
                let pending = pendingChanges(since: since)
                listener.take(.caughtUp)
                outdatedCount -= 1
                deliver(pending, to: listener, registration)
            case .outdated, .upToDate, .ended: continue
            }
        }
        host.activity.take(.deliveryEnded)
        if !host.activity.isDelivering { dropDelivered() }
        return true
    }

    /// Delivers changes to a listener, or notifies its consumer that there are some.
    private func deliver(_ pending: PendingChanges, to listener: Listener, _ registration: Registration) {
        guard let consumer = listener.consumer else { return listener.deliver(pending) }
        guard listener.isAffected(by: pending) else { return }
        unregister(registration)
        consumer.didChange(since: pending.from)
    }

    /// The registrations that may have to be called, in the order of registration.
    private var due: [Registration] {
        if awaitingFirstCall.isEmpty { return outdated }
        if outdated.isEmpty { return awaitingFirstCall }
        return (outdated + awaitingFirstCall).sorted { $0.order < $1.order }
    }
}
