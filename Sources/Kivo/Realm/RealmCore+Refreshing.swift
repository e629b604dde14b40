import KivoEngine

extension RealmCore {
    /// Moves to the newest version and delivers what is due; answers whether there was a newer version.
    func refresh() -> Bool {
        checkConfinement()
        guard !isFrozen, !isInWriteTransaction, !observers.isDelivering else { return false }
        ensureRead()
        guard store.head != version else {
            deliver()
            return false
        }
        advanceNotifyingObservedRows {}
        observers.notifyRealm(.didChange, Realm(self), skipping: [])
        deliver()
        return true
    }

    /// The turn that a scheduler gave this instance.
    func serveRefreshRequest() {
        guard !isInWriteTransaction, !observers.isDelivering else { return }
        if store.head == version {
            deliver()
        } else if autorefresh {
            _ = refresh()
        } else {
            observers.notifyRealm(.refreshRequired, Realm(self), skipping: [])
        }
    }

    /// Moves to the newest version, telling key-value observers before and after.
    func advanceNotifyingObservedRows(_ afterMove: () -> Void) {
        let from = version
        advance { old, changes, move in
            observedRows.advance(self, old, changes) {
                move()
                afterMove()
            }
            observers.recordAdvance(changes, from: from, to: version, old: old, core: self)
        }
    }

    /// Tells observers of collections and objects what they have not been told yet.
    func deliver(isWriting: Bool = false) { observers.deliver(self, isWriting: isWriting) }
}
