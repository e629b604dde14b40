import KivoEngine

/// Asks a listener for what it has to tell. The listener does not call it with changes; it says only that there are some. Confined with the realm instance, but for what is said to be thread-safe.
protocol NewsTaker: AnyObject {
    /// The version, which is pinned, that the listener is at while it is not registered; nil while it is.
    var keptVersion: UInt64? { get }

    /// There is something to tell since a version. It is pinned during the call, and the listener is registered no more.
    func takeNews(since version: UInt64)

    /// Nothing will be told any more: the realm was invalidated.
    func takeEnd()
}

extension ListenerRegistry {
    /// Has the taker of a listener told once there is something to tell. The listener, which has seen the version that the
    /// instance is at, stops to be registered with that.
    func awaitNews(_ listener: Listener, _ instance: RealmInstance) -> Registration {
        register(listener, instance)
    }

    /// Stops to wait for news of a listener.
    func stopAwaitingNews(_ registration: Registration, _ instance: RealmInstance) {
        if registration.listener == nil { return }
        registration.cancel()
        remove(registration, instance)
    }

    /// The version that the listener of a taker is at.
    func version(seenBy listener: Listener, of taker: any NewsTaker, _ instance: RealmInstance) -> UInt64 {
        if let kept = taker.keptVersion { return kept }
        findConcerned(instance)
        return version(seenBy: listener)
    }

    /// Tells a listener what happened, or its taker that there is something to tell.
    func tell(
        _ listener: Listener, _ registration: Registration, _ pending: PendingChanges,
        _ instance: RealmInstance
    ) {
        guard let taker = listener.newsTaker else { return listener.deliver(pending) }
        guard listener.hasNews(pending) else { return }
        stopAwaitingNews(registration, instance)
        taker.takeNews(since: pending.from)
    }
}
