import KivoEngine
import KivoJournal

extension RealmInstance {
    var isInWriteTransaction: Bool { transaction != nil }

    /// Whether the open transaction has changed anything. The state that is read then is no version, so nothing is delivered.
    var hasUncommittedChanges: Bool { transaction?.hasChanges == true }

    /// Returns the open transaction. Traps with a message if there is none.
    func requireTransaction(_ what: @autoclosure () -> String) -> WriteTransaction {
        checkConfinement()
        checkNotMakingKeys(what())
        guard let transaction else {
            if migration == .old {
                trap(
                    "Cannot \(what()): it is an old object of a migration, which shows what was. Change the new one."
                )
            }
            if isFrozen { trap("Cannot \(what()): the realm is frozen. Use 'thaw()' to get a live one.") }
            trap("Cannot \(what()) outside of a write transaction: put it into 'realm.write { }'.")
        }
        return transaction
    }

    /// Traps unless a transaction is still open after user code ran.
    func checkOpen(_ transaction: WriteTransaction) {
        if self.transaction !== transaction {
            trap(
                """
                A write transaction was ended inside of a notification, or by code that converts a value, before one of its \
                changes.
                """)
        }
    }

    /// Traps unless a change can still be carried out after user code ran: its transaction is open, and the changed object and
    /// the target of the change still exist.
    func checkOpen(_ transaction: WriteTransaction, _ row: RowID, target: RowID? = nil) {
        checkOpen(transaction)
        for row in [row, target].compactMap({ $0 }) where row.key != 0 && !table(row.table).contains(row.key)
        {
            trap(
                """
                An object was deleted inside of a notification, or by code that converts a value, before a change that it is \
                part of.
                """)
        }
    }

    /// Waits for the write lock, advances to the newest version, delivers pending changes, and opens a transaction.
    func beginWrite() {
        checkBeginning()
        store.waitForCheckpointIfBehind()
        _ = store.writer.lock(handle)
        openWrite()
    }

    /// Begins a write as `beginWrite()` does, but with a limited wait.
    ///
    /// - Parameter tokens: The tokens of paced observations to which everything that they hold is delivered.
    /// - Throws: ``Realm/Error/Code/lockTimeout`` if it has waited for the configuration's `lockTimeout`.
    func beginWriteInTime(delivering tokens: [NotificationToken]) throws {
        checkBeginning()
        let timeout = configuration.lockTimeout
        store.waitForCheckpointIfBehind()
        guard store.writer.lock(handle, timeout: timeout) else {
            throw Realm.Error(
                .lockTimeout,
                """
                Another thread of this process has been writing the realm for longer than the \
                \(timeout ?? 0) seconds that a write is to wait.
                """, fileURL: configuration.fileURL)
        }
        openWrite(delivering: tokens)
        // The block does not run, because its write could not be committed.
        if let error = pendingError, error.code == .lockTimeout {
            cancelWrite()
            throw error
        }
    }

    private func checkBeginning() {
        checkConfinement()
        if isFrozen { trap("A frozen realm cannot be written to.") }
        if configuration.readOnly { trap("The realm was opened read-only and cannot be written to.") }
        if isInWriteTransaction { trapOpenWrite() }
        checkNotMakingKeys("begin a write")
        if activity.isAnnouncingMove {
            trap("No write can begin inside of a notification before a change: write in the one after it.")
        }
        releaseEndedElsewhere()
    }

    private func trapOpenWrite() -> Never {
        if activity.isDelivering, isDeliveringBeforeWrite {
            trap(
                """
                The realm is already in a write transaction: a write is beginning, and called this listener with the changes before \
                it. Write without 'write' if 'realm.isInWriteTransaction', or with 'realm.writeAsync', which waits for its turn.
                """)
        }
        trap(
            "The realm is already in a write transaction: write without 'write' if 'realm.isInWriteTransaction'."
        )
    }

    /// Opens a transaction on the newest version and delivers pending changes, those that paced observations hold only to some of them.
    ///
    /// - Precondition: The caller holds the write lock.
    func openWrite(delivering tokens: [NotificationToken] = []) {
        openOnNewest()
        let wasDelivering = isDeliveringBeforeWrite
        isDeliveringBeforeWrite = true
        deliver()
        for token in tokens where token.belongs(to: instanceOwner) { token.deliverHeld() }
        isDeliveringBeforeWrite = wasDelivering
        // An observer may have ended the transaction and released the lock. Its commit is delivered later: an observer that
        // ends each transaction would be called for ever.
        while !isInWriteTransaction {
            _ = store.writer.lock(handle)
            openOnNewest()
        }
    }

    /// Advances to the newest version and opens a transaction on it. Key-value observers are notified, and may end the
    /// transaction.
    private func openOnNewest() {
        ensureRead()
        followEvictions()
        // If this fails, the commit throws: the transaction would not be built on the commits of others.
        pendingError = prepareToWrite()
        if store.head <= version {
            openTransaction()
        } else {
            moveToNewest(openingWrite: true)
            observers.take(.movedSilently)
        }
    }

    /// Makes sure that only this store writes and that it knows all versions. Returns the error if that fails, or if more
    /// versions are active than the configuration allows.
    private func prepareToWrite() -> Realm.Error? {
        do {
            try store.beginExclusive()
        } catch {
            let wrapped = Realm.Error.wrapping(error, configuration.fileURL)
            return wrapped as? Realm.Error ?? Realm.Error(.fail, "\(error)", fileURL: configuration.fileURL)
        }
        guard let limit = configuration.maximumNumberOfActiveVersions, store.activeVersions > limit else {
            return nil
        }
        return Realm.Error(
            .fail,
            """
            \(store.activeVersions) versions of the realm are kept, because somebody still reads the oldest, and its \
            configuration allows \(limit): let go of frozen realms and objects, and refresh realms of other threads.
            """, fileURL: configuration.fileURL)
    }

    /// Opens a transaction on the version that is read.
    func openTransaction() {
        writeLabel = CommitLabel()
        setTransaction(store.makeTransaction(snapshot, catalog, reader: reader))
        if case .thread = confinement { ThreadStorage.withCurrent { $0.begin(instanceOwner) } }
    }

    /// Closes the transaction, which was committed or cancelled, and releases the write lock, unless an asynchronous write of
    /// this instance continues.
    private func closeTransaction() {
        endTransaction()
        if let asyncWork { return asyncWork.didClose(self) }
        store.endWriting()
    }

    /// Closes the transaction.
    private func endTransaction() {
        if case .thread = confinement { ThreadStorage.withCurrent { $0.end(instanceOwner) } }
        setTransaction(nil)
    }

    /// Rolls back the open write because its thread ends, or its actor is gone. Observers belong there too, so none is notified.
    func giveUpWrite() {
        guard let transaction else { return }
        pendingError = nil
        store.cancel(transaction)
        setTransaction(nil)
        // The write may have been opened on top of commits that are flushed only after it ends.
        if store.newestUnlogged != nil { try? store.flush(except: handle) }
        store.endWriting()
    }

    /// Makes the open transaction the newest version, durable before this returns, and notifies realm observers.
    func commitWrite(withoutNotifying tokens: [NotificationToken]) throws {
        let transaction = requireTransaction("commit")
        checkNoMigration()
        let instanceOwner = instanceOwner
        defer { withExtendedLifetime(instanceOwner) {} }
        for token in tokens where !token.belongs(to: instanceOwner) {
            trap(
                """
                A token passed to 'withoutNotifying:' belongs to another realm instance: only notifications of the \
                realm that writes can be skipped.
                """)
        }
        if let error = pendingError {
            cancelWrite()
            throw error
        }
        // Commits that are not durable while this instance has the write lock are its own.
        if let asyncWork, store.newestUnlogged != nil {
            // The earlier commits are flushed first, because this one is built on them.
            do {
                try store.flush(except: handle)
                asyncWork.settle(upTo: version)
            } catch {
                asyncWork.settle(upTo: version, error)
                cancelWrite()
                throw error.error
            }
        }
        let changes = transaction.changeSet()
        let base = version
        // Observers compare with the version that they saw last.
        let old = listeners.isEmpty ? nil : store.pin(base)
        let start = Events.start
        do {
            let (version, snapshot) = try store.commit(transaction, changes, base: base, label: writeLabel)
            moveTo(version, snapshot)
            closeTransaction()
            if !changes.isEmpty { recordOwnCommit() }
            if let old {
                listeners.recordLocal(
                    changes, from: base, to: version, old: old, skipping: tokens)
            }
            listeners.skipHeld(changes, from: base, to: version, of: tokens)
            if let start {
                Events.add(
                    store.eventName, since: start, .commit(RealmEvent.Commit(version, changes, catalog)))
            }
        } catch {
            if old != nil { store.unpin(base) }
            cancelWrite()
            throw Realm.Error.wrapping(error, configuration.fileURL)
        }
        followEvictions()
        evictIfDue()
        store.notifyInstances(except: handle)
        notifyObservers(skipping: tokens)
        if listeners.isDeliveryDue(version) { turns.request() }
    }

    /// Makes the open transaction the newest version for this instance, and notifies realm observers. A later flush makes it
    /// durable, together with all other unlogged commits.
    ///
    /// - Parameter passOn: A closure that is called with the version and arranges the flush. Observers, which may write, are
    ///   notified afterwards.
    func commitUnlogged(_ passOn: (UInt64) -> Void) {
        let transaction = requireTransaction("commit")
        let instanceOwner = instanceOwner
        defer { withExtendedLifetime(instanceOwner) {} }
        let changes = transaction.changeSet()
        let base = version
        let old = listeners.isEmpty ? nil : store.pin(base)
        let (version, snapshot) = store.commitUnlogged(
            transaction, changes, base: base, label: writeLabel, of: handle)
        moveTo(version, snapshot)
        endTransaction()
        if let old { listeners.recordLocal(changes, from: base, to: version, old: old, skipping: []) }
        passOn(version)
        notifyObservers()
        if listeners.isDeliveryDue(version) { turns.request() }
    }

    /// Rolls the open transaction back.
    func cancelWrite() {
        let transaction = requireTransaction("cancel")
        checkNoMigration()
        let instanceOwner = instanceOwner
        defer { withExtendedLifetime(instanceOwner) {} }
        pendingError = nil
        let changes = rowNotifier.isEmpty ? RowChangeSet() : transaction.changeSet()
        var open = rowNotifier.willMove(self, changes, .back)
        store.cancel(transaction)
        // Closed before observers are notified, because a handler may write.
        closeTransaction()
        open?.close()
        noteWriteOfObservers()
        requestTurnIfDue()
    }

    /// Traps if the transaction belongs to a migration.
    private func checkNoMigration() {
        if migration != nil { trap("The write transaction of a migration ends with its block, not before.") }
    }

    /// Marks the open transaction as failed: its commit throws the error and rolls back.
    func fail(_ error: Realm.Error) {
        if pendingError == nil { pendingError = error }
    }
}
