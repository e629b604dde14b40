import KivoEngine

extension ListenerRegistry {
    /// Whether somebody may be behind a version or waits for the first call. O(1).
    func isDeliveryDue(_ version: UInt64) -> Bool {
        !isEmpty && (seen < version || !behind.isEmpty || !awaitingFirstCall.isEmpty)
    }

    /// Tells every listener what it has not been told.
    ///
    /// - Parameter isWriting: whether a write begins. First calls wait for a turn of their own then, so that what is
    ///   written is part of them, unless the write is made by a callback of the turn that they are due in.
    func deliver(_ instance: RealmInstance, isWriting: Bool = false) {
        guard !isEmpty else { return dropDelivered() }
        let target = instance.version
        findConcerned(instance)
        let isFirstCallDue = !isWriting || instance.activity.isDelivering
        instance.activity.take(.deliveryBegan)
        for registration in isFirstCallDue ? due : behind {
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
            instance.requestRefreshIfDue()
        }
        instance.makeUpForMissedTurn()
    }

    /// All that may have to be called, in the order of registration.
    private var due: [Registration] {
        if awaitingFirstCall.isEmpty { return behind }
        if behind.isEmpty { return awaitingFirstCall }
        return (behind + awaitingFirstCall).sorted { $0.order < $1.order }
    }
}
