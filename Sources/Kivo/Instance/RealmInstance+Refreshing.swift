import KivoEngine

extension RealmInstance {
    /// Advances to the newest version and delivers pending changes. Returns whether there was a newer version.
    func refresh() -> Bool {
        checkConfinement()
        guard !isFrozen, !isInWriteTransaction, !activity.isAnnouncingMove, !activity.isCalling, !isMakingKeys
        else { return false }
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

    /// Serves a turn that the scheduler gave this instance.
    func serveRefreshRequest() {
        letGoOfLeft()
        guard isIdle else {
            hasMissedTurn = true
            return
        }
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

    /// Requests another turn in place of one that was skipped: in a write, in a callback that served its run loop, or in the
    /// middle of a move.
    func makeUpForMissedTurn() {
        guard hasMissedTurn, isIdle else { return }
        hasMissedTurn = false
        handle.requestRefresh()
    }

    /// Requests another turn if there is work that no turn could do.
    func requestRefreshIfDue() {
        let isBehind = autorefresh && version != 0 && store.head > version
        if isBehind || news.isUntold && !listeners.hasNoRealmObserver || listeners.isDeliveryDue(version) {
            handle.requestRefresh()
        }
    }

    /// Delivers pending changes to the observers of collections and objects.
    func deliver() { listeners.deliver(self) }
}
