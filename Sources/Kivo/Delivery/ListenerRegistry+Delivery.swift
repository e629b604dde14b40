import KivoEngine

extension ListenerRegistry {
    /// Whether a listener may be behind a version or waits for its first call. O(1).
    func isDeliveryDue(_ version: UInt64) -> Bool {
        !isEmpty && (seen < version || !behind.isEmpty || !awaitingFirstCall.isEmpty)
    }

    /// Delivers its pending changes to every listener. Pending first calls are made as well, also when a write begins: what is
    /// written is a change of what they show.
    ///
    /// A callback may change something in an open transaction, or leave one open that it changed. The delivery stops then,
    /// because changes up to the last version do not lead to the state that a listener would read. The listeners that are left
    /// stay behind. The end of the transaction schedules a turn, in which each of them receives one change for everything.
    func deliver(_ instance: RealmInstance) {
        guard !isEmpty else { return dropDelivered() }
        // A key-value observer may have changed something before a listener is called here.
        if instance.hasUncommittedChanges { return }
        let target = instance.version
        findConcerned(instance)
        instance.activity.take(.deliveryBegan)
        for registration in due {
            if instance.hasUncommittedChanges { break }
            guard let listener = registration.listener else { continue }
            switch listener.progress {
            case .awaitingFirstCall:
                findConcerned(instance)
                listener.take(.caughtUp)
                listener.callInitial()
            case .behind(let since) where since < target:
                findConcerned(instance)
                let pending = pending(since, instance)
                listener.take(.caughtUp)
                untoldCount -= 1
                tell(listener, registration, pending, instance)
            case .behind, .told, .ended: continue
            }
        }
        instance.activity.take(.deliveryEnded)
        if !instance.activity.isDelivering {
            dropDelivered()
            instance.requestTurnIfDue()
        }
    }

    /// The registrations that may have to be called, in the order of registration.
    private var due: [Registration] {
        if awaitingFirstCall.isEmpty { return behind }
        if behind.isEmpty { return awaitingFirstCall }
        return (behind + awaitingFirstCall).sorted { $0.order < $1.order }
    }
}
