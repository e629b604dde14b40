import KivoEngine

extension RealmInstance {
    /// Advances to the newest version and delivers pending changes. Returns whether there was a newer version.
    func refresh() -> Bool {
        checkConfinement()
        guard !isFrozen, isIdle else { return false }
        releaseEndedElsewhere()
        followEvictions()
        evictIfDue()
        store.lookElsewhere()
        let wasUnread = version == 0
        ensureRead()
        let hasMoved = wasUnread ? observers.progress.isPending : store.head > version
        if !wasUnread, hasMoved { moveToNewest() }
        if hasMoved || observers.progress.isPending { notifyObservers() }
        deliver()
        return hasMoved
    }

    /// Releases the observers and observations that ended on other threads.
    func releaseEndedElsewhere() {
        guard let ended = handle.takeEndedElsewhere() else { return }
        for registration in ended.registrations {
            registration.cancel()
            remove(registration)
        }
        rowNotifier.remove(ended)
    }

    /// Removes an observer or a listener that was cancelled.
    func remove(_ registration: Registration) {
        if registration.interest == nil {
            observers.remove(registration)
        } else {
            listeners.remove(registration)
        }
    }

    /// Adds an observer of the realm. `end` is called when the realm is invalidated.
    func observe(end: @escaping () -> Void = {}, _ block: @escaping NotificationBlock) -> NotificationToken {
        let registration = observers.add(head: store.head, end: end, block)
        turns.enable()
        return NotificationToken(instanceOwner, registration)
    }

    /// Notifies the realm's observers that this instance is at another version than at their last notification.
    func notifyObservers(skipping tokens: [NotificationToken] = []) {
        observers.take(.didNotify)
        callObservers(.didChange, skipping: tokens)
        noteWriteOfObservers()
    }

    /// Calls the realm's observers, synchronously.
    private func callObservers(
        _ notification: Realm.Notification, skipping tokens: [NotificationToken] = []
    ) {
        if observers.isEmpty { return }
        activity.take(.roundBegan)
        defer { activity.take(.roundEnded) }
        let observers = observers
        observers.notify(notification, Realm(self), skipping: tokens.compactMap(\.registration))
    }

    /// Called after observers were notified while no write was open. A write that is open now was begun by one of them.
    func noteWriteOfObservers() { if let transaction { asyncWork?.writeOfObservers = transaction.memory.id } }

    /// Uses a turn to look for new versions and to deliver pending changes.
    func serveTurn() {
        releaseEndedElsewhere()
        guard isIdle else { return turns.skip() }
        followEvictions()
        // The last commit of this instance may become durable, and visible to others, only later; the store's newest version is
        // older then.
        let isNewest = store.head <= version
        if isNewest, !observers.progress.isPending {
            deliver()
        } else if autorefresh || isNewest {
            _ = refresh()
        } else if store.head != announcedHead {
            announcedHead = store.head
            callObservers(.refreshRequired)
        }
        // What is held leads to the version that is shown, however many there are after it.
        if isIdle, listeners.deliverPaced() { requestTurnIfDue() }
    }

    /// Whether a turn can do all pending work.
    var isIdle: Bool {
        !isInWriteTransaction && !activity.isAnnouncingMove && !activity.isCalling && !isMakingKeys
    }

    /// Called whenever the instance may have become idle: after a write, a callback, or the announcement of a move.
    func resumeTurns() { if turns.wasSkipped, isIdle { turns.resume() } }

    /// Requests another turn if there is work that no turn could do.
    func requestTurnIfDue() {
        let isOutdated = autorefresh && version != 0 && store.head > version
        if isOutdated || observers.progress.isPending && !observers.isEmpty
            || listeners.isDeliveryDue(version)
        {
            turns.request()
        }
    }

    /// Delivers pending changes to the observers of collections and objects.
    func deliver() {
        if let recording = store.recording { recordTurn(in: recording) }
        var hasCalled = listeners.deliver()
        if listeners.deliverPaced() { hasCalled = true }
        if hasCalled, !activity.isDelivering { requestTurnIfDue() }
    }
}

extension RealmInstance: DeliveryHost {
    var pins: any VersionPins { store }
    var registrationOwner: any RegistrationOwner { instanceOwner }
    func dataVersion(of version: UInt64) -> UInt64 {
        store.evictions.load(ordering: .relaxed) == 0 ? version : store.dataVersion(of: version)
    }
    var eventName: EventName { store.eventName }
    var home: String { confinement.home }
    var isOnMainThread: Bool { if case .main = confinement { true } else { false } }
}

/// A move of a realm instance from its version to the newest one, which is prepared, announced, performed and closed. Both
/// versions are pinned from the preparation to the end.
struct VersionMove {
    let from: UInt64
    let old: Snapshot
    let to: UInt64
    /// The number of the first version with the data of the one that is moved to.
    let data: UInt64
    let new: Snapshot
    /// The changes from one version to the other.
    let changes: RowChangeSet
}

extension RealmInstance {
    /// Advances to the newest version, notifying key-value observers before and after.
    ///
    /// - Parameter openingWrite: Whether a transaction is opened on the new version before observers are notified of it.
    func moveToNewest(openingWrite: Bool = false) {
        let move = prepareMove()
        var changes = announce(move)
        perform(move)
        if openingWrite { openTransaction() }
        changes?.close()
        store.unpin(move.from)
    }

    private func prepareMove() -> VersionMove {
        let old = snapshot
        let next = store.advance(from: version)
        updateCatalog()
        return VersionMove(
            from: version, old: old, to: next.version, data: next.data, new: next.snapshot,
            changes: next.changes)
    }

    /// Notifies key-value observers of the changes before they are made.
    private func announce(_ move: VersionMove) -> (any OpenRowChanges)? {
        activity.take(.moveAnnounced)
        defer { activity.take(.moveMade) }
        return rowNotifier.willMove(self, move.changes, .forward)
    }

    private func perform(_ move: VersionMove) {
        moveTo(move.to, move.new, data: move.data)
        advanceGeneration()
        // Recorded before observers are notified: what a handler writes comes after the move.
        listeners.recordAdvance(move.changes, from: move.from, to: move.to, old: move.old)
    }
}
