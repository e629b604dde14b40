extension Realm {
    /// Queues a write. Later the block runs in a write transaction of its own, on the realm's thread, queue or actor, and its
    /// changes are committed.
    ///
    /// The thread never waits for the write lock. Writes of one realm run in the order in which they were queued, and take turns
    /// with other writers. A ``write(withoutNotifying:_:)`` of this realm runs before queued ones. The block's changes are
    /// visible in this realm when the block returns, and to others when they are durable. They become durable on another thread;
    /// consecutive queued writes may become durable together. This function may be called inside of a write or a notification:
    /// use it to write in response to a notification.
    ///
    /// Queued writes keep the realm and its actor alive until they are done, and are not affected by ``invalidate()``. If their
    /// thread ends they are dropped.
    ///
    /// From realm-swift's page "React to Changes", "Perform Writes Inside of Notifications".
    ///
    /// - Parameters:
    ///   - block: The changes.
    ///   - onComplete: A closure that is called once, on a later turn, when the changes are durable; or with an error (a
    ///     duplicate primary key, a full disk), if nothing was changed.
    /// - Returns: An id by which ``cancelAsyncWrite(_:)`` removes the write from the queue.
    /// - Precondition: The thread has a run loop that is running, and the realm is neither frozen nor read-only.
    @discardableResult
    public func writeAsync(
        _ block: @escaping () -> Void, onComplete: (((any Swift.Error)?) -> Void)? = nil
    ) -> AsyncTransactionId {
        let instance = instance
        return beginAsyncWrite {
            block()
            // The block may have ended the write by itself.
            if instance.isInWriteTransaction {
                _ = instance.commitAsync(allowsGrouping: true, onComplete)
            }
        }
    }

    /// Queues a block that is called in an open write transaction of this realm.
    ///
    /// The block ends the transaction, by ``commitAsyncWrite(allowGrouping:_:)`` or in another way. A transaction that it leaves
    /// open is rolled back when it returns. If an observer begins another transaction after that end, the observer has to end it,
    /// and further writes wait for that. Otherwise this behaves like ``writeAsync(_:onComplete:)``.
    ///
    /// - Returns: An id by which ``cancelAsyncWrite(_:)`` removes the block from the queue.
    @discardableResult
    public func beginAsyncWrite(_ block: @escaping () -> Void) -> AsyncTransactionId {
        instance.enqueue(.block(block))
    }

    /// Commits the open transaction, including one of ``beginWrite()``, without waiting until it is durable.
    ///
    /// The commit is visible in this realm immediately, and its observers are notified as usual. Others see it when it is
    /// durable. If it cannot be made durable it is undone: this realm returns to the version before it, its observers are
    /// notified of that, and `onComplete` receives the error.
    ///
    /// - Parameters:
    ///   - allowGrouping: Whether the writes that are queued behind it may run first, to become durable together with it. A crash
    ///     loses all of a group or none.
    ///   - onComplete: A closure that is called once, on a later turn, when the commit is durable, or with the error that
    ///     prevented it.
    /// - Returns: An id by which ``cancelAsyncWrite(_:)`` cancels the call of `onComplete`.
    /// - Precondition: A write transaction is open, and the preconditions of ``writeAsync(_:onComplete:)`` hold.
    @discardableResult
    public func commitAsyncWrite(
        allowGrouping: Bool = false, _ onComplete: (((any Swift.Error)?) -> Void)? = nil
    ) -> AsyncTransactionId {
        instance.commitAsync(allowsGrouping: allowGrouping, onComplete)
    }

    /// Removes a write that has not begun from the queue; for a commit, cancels the call of its completion. The id of a finished
    /// write or commit has no effect.
    ///
    /// - Throws: No error at present.
    public func cancelAsyncWrite(_ asyncTransactionId: AsyncTransactionId) throws {
        instance.cancelAsync(asyncTransactionId)
    }

    /// A Boolean value that indicates whether asynchronous writes are queued, in progress or not known to be durable yet.
    public var isPerformingAsynchronousWriteOperations: Bool {
        instance.checkConfinement()
        return instance.asyncWork?.isPending ?? false
    }

    /// Runs a block in a write transaction and commits it; cancels it if the block throws. The task waits for the transaction
    /// without blocking its thread.
    ///
    /// Returns when the changes are durable. The block may itself commit or cancel the transaction. After ``cancelWrite()``
    /// nothing is committed, unless the block begins another write, which is then committed. Order and lifetime are those of
    /// ``writeAsync(_:onComplete:)``. If an observer of the realm leaves a write open after the commit, this returns after the
    /// end of that write.
    ///
    /// From realm-swift's page "React to Changes", "React to Changes on a Different Actor".
    ///
    /// - Parameters:
    ///   - _isolation: The isolation of the caller; do not pass it.
    ///   - block: The changes.
    /// - Throws: The error that the block throws; `CancellationError` if the task is cancelled before the block begins;
    ///   ``Realm/Error`` if the data cannot be written or a data error happened inside. Nothing is changed then.
    /// - Precondition: The realm belongs to the main thread or to an actor.
    @discardableResult
    public func asyncWrite<Result>(
        _isolation: isolated (any Actor)? = #isolation, _ block: () throws -> Result
    ) async throws -> Result {
        let instance = instance
        instance.requireActor("write by 'asyncWrite'")
        try Task.checkCancellation()
        var ticket = WriteTicket()
        let id = instance.enqueue(.ticket(ticket))
        while true {
            guard await ticket.wait(_isolation) else { throw CancellationError() }
            guard let next = instance.beginTaskWrite(id) else { break }
            ticket = next
        }
        let commit: (result: Result, isOpen: Bool)
        do {
            try Task.checkCancellation()
            commit = try instance.inTaskWrite(block)
        } catch {
            instance.endTaskWrite()
            throw error
        }
        if !commit.isOpen {
            instance.endTaskWrite()
        } else {
            try await withCheckedThrowingContinuation(isolation: _isolation) {
                (continuation: CheckedContinuation<Void, any Swift.Error>) in
                _ = instance.commitAsync(allowsGrouping: true) { error in
                    if let error { continuation.resume(throwing: error) } else { continuation.resume() }
                }
                instance.endTaskWrite()
            }
        }
        return commit.result
    }

    /// Waits, without blocking, until this realm is at the version that is the newest now, and its observers have been notified.
    /// Also refreshes if ``autorefresh`` is false.
    ///
    /// - Parameter _isolation: The isolation of the caller; do not pass it.
    /// - Returns: Whether there was a newer version. False immediately inside of a write or a notification, and on a frozen
    ///   realm.
    /// - Precondition: The realm belongs to the main thread or to an actor.
    @discardableResult
    public func asyncRefresh(_isolation: isolated (any Actor)? = #isolation) async -> Bool {
        let instance = instance
        if instance.isFrozen { return false }
        instance.requireActor("refresh by 'asyncRefresh'")
        guard instance.canRefreshToNewer else { return false }
        let work = instance.requireAsyncWork("refresh asynchronously")
        return await withCheckedContinuation(isolation: _isolation) { continuation in
            work.refreshes.append(continuation)
            instance.turns.request()
        }
    }
}

extension RealmInstance {
    /// Traps unless this instance belongs to the main thread or to an actor, and is used there.
    fileprivate func requireActor(_ what: String) {
        checkConfinement()
        switch confinement {
        case .main, .actor: return
        case .thread, .queue, .none:
            trap(
                """
                A realm cannot \(what) unless it belongs to the main thread or to an actor: open it by \
                'try await Realm.open()' there, or use 'writeAsync'.
                """)
        }
    }

    /// Whether a refresh would advance this instance now.
    fileprivate var canRefreshToNewer: Bool {
        guard !isInWriteTransaction, !activity.isAnnouncingMove, !activity.isCalling else { return false }
        return version == 0 ? observers.progress.isPending : store.head > version
    }

    /// Runs a block in a transaction of a task that holds the write lock. Returns whether the block left a transaction to commit.
    fileprivate func inTaskWrite<Result>(_ block: () throws -> Result) throws -> (Result, isOpen: Bool) {
        openWrite()
        do {
            let result = try onThisThread(block)
            return (result, isInWriteTransaction)
        } catch {
            if isInWriteTransaction { cancelWrite() }
            throw error
        }
    }
}
