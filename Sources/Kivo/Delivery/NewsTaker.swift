import KivoEngine

/// A consumer that reads the changes of a listener itself. The listener does not call it with changes; it only notifies it that
/// there are some. Confined with the realm instance, except for members that are documented as thread-safe.
protocol NewsTaker: AnyObject {
    /// The pinned version that the listener is at while it is not registered, or nil while it is.
    var keptVersion: UInt64? { get }

    /// Called when there are changes since a version. The version is pinned during the call, and the listener is no longer
    /// registered.
    func takeNews(since version: UInt64)

    /// Called when the realm was invalidated, so that no more changes follow.
    func takeEnd()
}

extension ListenerRegistry {
    /// Registers a listener, which has seen the instance's version, so that its taker is notified of the next change. The
    /// notification ends the registration.
    func awaitNews(_ listener: Listener, _ instance: RealmInstance) -> Registration {
        register(listener, instance)
    }

    /// Cancels the registration of a listener whose taker waits for changes.
    func stopAwaitingNews(_ registration: Registration, _ instance: RealmInstance) {
        if registration.listener == nil { return }
        registration.cancel()
        remove(registration, instance)
    }

    /// Returns the version that the listener of a taker is at.
    func version(seenBy listener: Listener, of taker: any NewsTaker, _ instance: RealmInstance) -> UInt64 {
        if let kept = taker.keptVersion { return kept }
        findConcerned(instance)
        return version(seenBy: listener)
    }

    /// Delivers changes to a listener, or notifies its taker that there are some.
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
