import KivoEngine

extension RealmInstance {
    var isInWriteTransaction: Bool { transaction != nil }

    /// Whether an open transaction has changed anything. The state that is read then is no version, so nothing is delivered.
    var hasUncommittedChanges: Bool { transaction?.hasChanges == true }

    /// The open transaction; traps in words if there is none.
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

    /// Traps unless a transaction is still the open one, after code of the user's ran.
    func checkOpen(_ transaction: WriteTransaction) {
        if self.transaction !== transaction {
            trap(
                """
                A write transaction was ended inside of a notification, or by code that converts a value, before one of its \
                changes.
                """)
        }
    }

    /// Traps unless a change can still be carried out after code of the user's ran: its transaction is open, and the
    /// object it is of and the one it is to refer to are there.
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

    /// Waits for the writer's place, moves to the newest version, delivers what is due, and opens a transaction.
    func beginWrite() {
        checkBeginning()
        _ = store.writer.lock(handle)
        openWrite()
    }

    /// The same; throws ``Realm/Error/Code/lockTimeout`` if it has waited for as long as the configuration says.
    func beginWriteInTime() throws {
        checkBeginning()
        let timeout = configuration.lockTimeout
        guard store.writer.lock(handle, timeout: timeout) else {
            throw Realm.Error(
                .lockTimeout,
                """
                Another thread of this process has been writing the realm for longer than the \
                \(timeout ?? 0) seconds that a write is to wait.
                """, fileURL: configuration.fileURL)
        }
        openWrite()
        // There is nothing to do for a block whose write is not to be committed.
        if let error = pendingError, error.code == .lockTimeout {
            cancelWrite()
            throw error
        }
    }

    private func checkBeginning() {
        checkConfinement()
        if isFrozen { trap("A frozen realm cannot be written to.") }
        if configuration.readOnly { trap("The realm was opened read-only and cannot be written to.") }
        if isInWriteTransaction { trap("The realm is already in a write transaction.") }
        checkNotMakingKeys("begin a write")
        if activity.isAnnouncingMove {
            trap("No write can begin inside of a notification before a change: write in the one after it.")
        }
        letGoOfLeft()
    }

    /// Opens a transaction on the newest version and delivers what is due. Only for the holder of the writer's place.
    func openWrite() {
        openOnNewest()
        deliver()
        // An observer may have ended the transaction and released the place. Its commit is delivered later: an observer that
        // ends each transaction would be called for ever.
        while !isInWriteTransaction {
            _ = store.writer.lock(handle)
            openOnNewest()
        }
    }

    /// Advances to the newest version and opens a transaction on it. Key-value observers are notified, and may end the transaction.
    private func openOnNewest() {
        ensureRead()
        // If this fails, the commit throws: the transaction would not be built on the commits of others.
        pendingError = prepareToWrite()
        if store.head <= version {
            openTransaction()
        } else {
            moveToNewest(openingWrite: true)
            news.take(.movedSilently)
        }
    }

    /// Makes sure that this store alone writes and knows all versions; returns what is wrong if that is not so.
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
        setTransaction(store.makeTransaction(snapshot, catalog, reader: reader))
        if case .thread = confinement { ThreadStorage.withCurrent { $0.begin(instanceOwner) } }
    }

    /// Closes the transaction, which was committed or cancelled, and makes room for the next writer, unless an asynchronous
    /// write of this instance goes on.
    private func closeTransaction() {
        endTransaction()
        if let asyncWork { return asyncWork.didClose(self) }
        store.endWriting()
    }

    /// Closes the transaction.
    private func endTransaction() {
        if case .thread = confinement { ThreadStorage.withCurrent { $0.end(instanceOwner) } }
        setTransaction(nil)
        makeUpForMissedTurn()
    }

    /// Gives the open write up because its thread ends, or its actor is gone. Nobody is told: whoever could be belongs there.
    func giveUpWrite() {
        guard let transaction else { return }
        pendingError = nil
        store.cancel(transaction)
        setTransaction(nil)
        // The write may have been opened behind commits that wait for its end.
        if store.newestUnlogged != nil { try? store.flush(except: handle) }
        store.endWriting()
    }

    /// Makes the open transaction the newest version, durable before this returns, and tells realm observers.
    func commitWrite(withoutNotifying tokens: [NotificationToken]) throws {
        let transaction = requireTransaction("commit")
        checkNoMigration()
        let instanceOwner = instanceOwner
        defer { withExtendedLifetime(instanceOwner) {} }
        for token in tokens where token.instance !== self {
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
        // What is not durable while this instance has the writer's place is its own.
        if let asyncWork, store.newestUnlogged != nil {
            // They come first, and this one is built on them.
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
        // Observers compare with the version that they saw.
        let old = listeners.isEmpty ? nil : store.pin(base)
        do {
            let (version, snapshot) = try store.commit(transaction, changes, base: base)
            moveTo(version, snapshot)
            closeTransaction()
            if let old {
                listeners.recordLocal(
                    changes, from: base, to: version, old: old, self, skipping: tokens)
            }
        } catch {
            if old != nil { store.unpin(base) }
            cancelWrite()
            throw Realm.Error.wrapping(error, configuration.fileURL)
        }
        store.notifyInstances(except: handle)
        tellRealmObservers(skipping: tokens)
        if listeners.isDeliveryDue(version) { handle.requestRefresh() }
    }

    /// Makes the open transaction the newest version for this instance, to be made durable later by a flush that takes along
    /// all that were committed so. Tells realm observers.
    ///
    /// - Parameter passOn: called with the version, and sees to the flush. Observers, which may write, are told afterwards.
    func commitUnlogged(_ passOn: (UInt64) -> Void) {
        let transaction = requireTransaction("commit")
        let instanceOwner = instanceOwner
        defer { withExtendedLifetime(instanceOwner) {} }
        let changes = transaction.changeSet()
        let base = version
        let old = listeners.isEmpty ? nil : store.pin(base)
        let (version, snapshot) = store.commitUnlogged(transaction, changes, base: base, of: handle)
        moveTo(version, snapshot)
        endTransaction()
        if let old { listeners.recordLocal(changes, from: base, to: version, old: old, self, skipping: []) }
        passOn(version)
        tellRealmObservers()
        if listeners.isDeliveryDue(version) { handle.requestRefresh() }
    }

    /// Rolls the open transaction back.
    func cancelWrite() {
        let transaction = requireTransaction("cancel")
        checkNoMigration()
        let instanceOwner = instanceOwner
        defer { withExtendedLifetime(instanceOwner) {} }
        pendingError = nil
        let changes = rowTeller.isEmpty ? ChangeSet() : transaction.changeSet()
        var open = rowTeller.willMove(self, changes, .back)
        store.cancel(transaction)
        // Before anybody is told: a handler may write.
        closeTransaction()
        open?.close()
        noteWriteOfObservers()
        requestRefreshIfDue()
    }

    /// Traps if the transaction is that of a migration.
    private func checkNoMigration() {
        if migration != nil { trap("The write transaction of a migration ends with its block, not before.") }
    }

    /// Marks the open transaction as failed: its commit throws the error and rolls back.
    func fail(_ error: Realm.Error) {
        if pendingError == nil { pendingError = error }
    }
}
