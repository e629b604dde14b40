import KivoEngine

extension RealmInstance {
    /// Moves to the newest version and delivers what is due; returns whether there was a newer version.
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

    /// Lets go of observers and observations that ended on other threads.
    func letGoOfLeft() {
        guard let left = handle.takeLeft() else { return }
        for registration in left.registrations {
            registration.cancel()
            listeners.remove(registration, self)
        }
        rowTeller.remove(left)
    }

    /// Tells the realm's observers that this instance is at another version than they last heard of.
    func tellRealmObservers(skipping tokens: [NotificationToken] = []) {
        news.take(.observersTold)
        listeners.notifyRealm(.didChange, self, skipping: tokens)
        noteWriteOfObservers()
    }

    /// Called after observers were told while no write was open: one that is open by now is theirs.
    func noteWriteOfObservers() { if let transaction { asyncWork?.writeOfObservers = transaction.memory.id } }

    /// Called before an observer of the realm is added: the first one is told of what happens from now on.
    func beginTellingRealmObservers() {
        guard listeners.hasNoRealmObserver else { return }
        news.take(.firstObserver(head: store.head))
    }

    /// The turn that a scheduler gave this instance.
    func serveRefreshRequest() {
        letGoOfLeft()
        guard isIdle else {
            hasMissedTurn = true
            return
        }
        // What this instance committed last may be durable, and visible to others, only later.
        let isNewest = store.head <= version
        if isNewest, !news.isUntold {
            deliver()
        } else if autorefresh || isNewest {
            _ = refresh()
        } else {
            listeners.notifyRealm(.refreshRequired, self, skipping: [])
        }
    }

    /// Whether a turn can do all that there is to do.
    private var isIdle: Bool {
        !isInWriteTransaction && !activity.isAnnouncingMove && !activity.isCalling && !isMakingKeys
    }

    /// Asks for another turn in place of one that came at a bad moment: in a write, in a callback that served its run loop, or
    /// in the middle of a move.
    func makeUpForMissedTurn() {
        guard hasMissedTurn, isIdle else { return }
        hasMissedTurn = false
        handle.requestRefresh()
    }

    /// Asks for another turn if something is due that no turn could see to.
    func requestRefreshIfDue() {
        let isBehind = autorefresh && version != 0 && store.head > version
        if isBehind || news.isUntold && !listeners.hasNoRealmObserver || listeners.isDeliveryDue(version) {
            handle.requestRefresh()
        }
    }

    /// Tells observers of collections and objects what they have not been told yet.
    func deliver() { listeners.deliver(self) }
}
