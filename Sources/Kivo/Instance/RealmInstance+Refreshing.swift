import KivoEngine

extension RealmInstance {
    /// Advances to the newest version and delivers pending changes. Returns whether there was a newer version.
    func refresh() -> Bool {
        checkConfinement()
        guard !isFrozen, isIdle else { return false }
        letGoOfLeft()
        store.lookElsewhere()
        let wasUnread = version == 0
        ensureRead()
        let hasMoved = wasUnread ? news.isUntold : store.head > version
        if !wasUnread, hasMoved { moveToNewest() }
        if hasMoved || news.isUntold { tellRealmObservers() }
        deliver()
        return hasMoved
    }

    /// Releases the observers and observations that ended on other threads.
    func letGoOfLeft() {
        guard let left = handle.takeLeft() else { return }
        for registration in left.registrations {
            registration.cancel()
            listeners.remove(registration, self)
        }
        rowTeller.remove(left)
    }

    /// Notifies the realm's observers that this instance is at another version than at their last notification.
    func tellRealmObservers(skipping tokens: [NotificationToken] = []) {
        news.take(.observersTold)
        listeners.notifyRealm(.didChange, self, skipping: tokens)
        noteWriteOfObservers()
    }

    /// Called after observers were notified while no write was open. A write that is open now was begun by one of them.
    func noteWriteOfObservers() { if let transaction { asyncWork?.writeOfObservers = transaction.memory.id } }

    /// Called before an observer of the realm is added. The first observer is notified of changes from now on.
    func beginTellingRealmObservers() {
        guard listeners.hasNoRealmObserver else { return }
        news.take(.firstObserver(head: store.head))
    }

    /// Uses a turn to look for new versions and to deliver pending changes.
    func serveTurn() {
        letGoOfLeft()
        guard isIdle else { return turns.skip() }
        // The last commit of this instance may become durable, and visible to others, only later; the store's newest version is
        // older then.
        let isNewest = store.head <= version
        if isNewest, !news.isUntold {
            deliver()
        } else if autorefresh || isNewest {
            _ = refresh()
        } else {
            listeners.notifyRealm(.refreshRequired, self, skipping: [])
        }
    }

    /// Whether a turn can do all pending work.
    private var isIdle: Bool {
        !isInWriteTransaction && !activity.isAnnouncingMove && !activity.isCalling && !isMakingKeys
    }

    /// Called whenever the instance may have become idle: after a write, a callback, or the announcement of a move.
    func resumeTurns() { if isIdle { turns.resume() } }

    /// Requests another turn if there is work that no turn could do.
    func requestTurnIfDue() {
        let isBehind = autorefresh && version != 0 && store.head > version
        if isBehind || news.isUntold && !listeners.hasNoRealmObserver || listeners.isDeliveryDue(version) {
            turns.request()
        }
    }

    /// Delivers pending changes to the observers of collections and objects.
    func deliver() { listeners.deliver(self) }
}
