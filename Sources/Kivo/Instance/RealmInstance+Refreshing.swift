import KivoEngine

extension RealmInstance {
    /// Moves to the newest version and delivers what is due; answers whether there was a newer version.
    func refresh() -> Bool {
        checkConfinement()
        guard !isFrozen, !isInWriteTransaction, !isMoving, !observers.isDelivering else { return false }
        letGoOfLeft()
        let wasUnread = version == 0
        ensureRead()
        let hasMoved = wasUnread ? hasUntoldMove : store.head != version
        if !wasUnread, hasMoved { advanceNotifyingKeyValueObservers {} }
        if hasMoved || hasUntoldMove { tellRealmObservers() }
        deliver()
        return hasMoved
    }

    /// Lets go of observers and observations that ended on other threads.
    func letGoOfLeft() {
        guard let left = handle.takeLeft() else { return }
        for registration in left.registrations { observers.remove(registration) }
        keyValueRegistry.remove(left)
    }

    /// Tells the realm's observers that this instance is at another version than they last heard of.
    func tellRealmObservers(skipping tokens: [NotificationToken] = []) {
        hasUntoldMove = false
        observers.notifyRealm(.didChange, Realm(self), skipping: tokens)
    }

    /// Called before an observer of the realm is added: the first one is told of what happens from now on.
    func beginTellingRealmObservers() {
        guard observers.hasNoRealmObserver else { return }
        hasUntoldMove = false
        unreadSince = store.head
    }

    /// The turn that a scheduler gave this instance.
    func serveRefreshRequest() {
        letGoOfLeft()
        guard !isInWriteTransaction, !isMoving, !observers.isDelivering else { return }
        if store.head == version, !hasUntoldMove {
            deliver()
        } else if autorefresh || store.head == version {
            _ = refresh()
        } else {
            observers.notifyRealm(.refreshRequired, Realm(self), skipping: [])
        }
    }

    /// Moves to the newest version, telling key-value observers before and after.
    func advanceNotifyingKeyValueObservers(_ afterMove: () -> Void) {
        let from = version
        advance { old, changes, move in
            isMoving = true
            keyValueRegistry.advance(self, changes) {
                move()
                isMoving = false
                // Before anybody is told: what a handler writes comes after the move.
                observers.recordAdvance(changes, from: from, to: version, old: old, instance: self)
                afterMove()
            }
        }
    }

    /// Asks for another turn if something is due that a turn could not see to: a request that came at a bad moment is
    /// spent.
    func requestRefreshIfDue() {
        let isBehind = autorefresh && version != 0 && store.head != version
        if isBehind || hasUntoldMove && !observers.hasNoRealmObserver || observers.isDeliveryDue(version) {
            handle.requestRefresh()
        }
    }

    /// Tells observers of collections and objects what they have not been told yet.
    func deliver(isWriting: Bool = false) { observers.deliver(self, isWriting: isWriting) }
}
