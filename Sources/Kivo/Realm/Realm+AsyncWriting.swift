extension Realm {
    /// Queues a write: the block runs in a write transaction of its own, later, where this realm belongs, and what it did is
    /// committed.
    ///
    /// The thread never waits for the writer's place. Writes of one realm run in the order in which they were queued, and take
    /// turns with other writers; a ``write(withoutNotifying:_:)`` of this realm overtakes those that are queued. What the
    /// block does is visible in this realm when it returns, and to others when it is durable, which takes place on another
    /// thread; writes that are queued one behind the other may become durable together. May be called inside of a write or
    /// a notification: that is how to write in answer to one.
    ///
    /// Queued writes keep the realm and its actor alive until they are done, and are not affected by ``invalidate()``. If
    /// their thread ends they are dropped.
    ///
    /// From the reference page "React to Changes", "Perform Writes Inside of Notifications".
    ///
    /// - Parameters:
    ///   - block: the changes.
    ///   - onComplete: called once, on a later turn, when what was done is durable; or with an error (a duplicate primary
    ///     key, a full disk): nothing has changed then.
    /// - Returns: what ``cancelAsyncWrite(_:)`` takes the write out of the queue by.
    ///
    /// Traps on a thread that has no run loop running, on a frozen and on a read-only realm.
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

    /// Queues a block that is called when this realm has a write transaction open for it.
    ///
    /// The block ends the transaction, by ``commitAsyncWrite(allowGrouping:_:)`` or in another way; one that it leaves open
    /// is rolled back when it returns; one that an observer begins behind its end is that observer's to end, and further
    /// writes wait for that. The rest is as for ``writeAsync(_:onComplete:)``.
    ///
    /// - Returns: what ``cancelAsyncWrite(_:)`` takes the block out of the queue by.
    @discardableResult
    public func beginAsyncWrite(_ block: @escaping () -> Void) -> AsyncTransactionId {
        instance.enqueue(.block(block))
    }

    /// Commits the open transaction, that of ``beginWrite()`` as well, without waiting until it is durable.
    ///
    /// This realm sees it at once, and its observers are told as usual. Others see it when it is durable. If it cannot be
    /// made durable it is undone: this realm moves back, its observers are told of that, and `onComplete` of the error.
    ///
    /// - Parameters:
    ///   - allowGrouping: whether the writes that are queued behind it may run first, to become durable together with it. A
    ///     crash loses all of a group or none.
    ///   - onComplete: called once, on a later turn, when the commit is durable, or with the reason why it is not.
    /// - Returns: what ``cancelAsyncWrite(_:)`` drops the call of `onComplete` by.
    ///
    /// Traps outside of a write transaction, and where ``writeAsync(_:onComplete:)`` does.
    @discardableResult
    public func commitAsyncWrite(
        allowGrouping: Bool = false, _ onComplete: (((any Swift.Error)?) -> Void)? = nil
    ) -> AsyncTransactionId {
        instance.commitAsync(allowsGrouping: allowGrouping, onComplete)
    }

    /// Takes a write that has not begun out of the queue; of a commit, drops the call of its completion. An id of what is
    /// done already has no effect.
    ///
    /// - Throws: nothing so far.
    public func cancelAsyncWrite(_ asyncTransactionId: AsyncTransactionId) throws {
        instance.cancelAsync(asyncTransactionId)
    }

    /// Whether asynchronous writes are queued, under way or not known to be durable yet.
    public var isPerformingAsynchronousWriteOperations: Bool {
        instance.checkConfinement()
        return instance.asyncWork?.isUnderWay ?? false
    }

    /// Runs a block in a write transaction, for which the task waits without blocking its thread, and commits it; cancels it
    /// if the block throws.
    ///
    /// Returns when what was done is durable. The block may commit or cancel by itself; after ``cancelWrite()`` nothing is
    /// committed, unless it begins another write, which is committed then. Order and lifetime are those of
    /// ``writeAsync(_:onComplete:)``. If an observer of the realm leaves a write open behind the commit, this returns after
    /// the end of that write.
    ///
    /// From the reference page "React to Changes", "React to Changes on a Different Actor".
    ///
    /// - Parameters:
    ///   - _isolation: where the caller runs; not to be passed.
    ///   - block: the changes.
    /// - Throws: what the block throws; `CancellationError` if the task is cancelled before the block begins; ``Realm/Error``
    ///   if the data cannot be written or a data error happened inside. Nothing has changed then.
    ///
    /// Traps unless the realm belongs to the main thread or to an actor.
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
            guard let next = instance.beginLending(id) else { break }
            ticket = next
        }
        let commit: (result: Result, isLeft: Bool)
        do {
            try Task.checkCancellation()
            commit = try instance.inLentWrite(block)
        } catch {
            instance.endLending()
            throw error
        }
        if !commit.isLeft {
            instance.endLending()
        } else {
            try await withCheckedThrowingContinuation(isolation: _isolation) {
                (continuation: CheckedContinuation<Void, any Swift.Error>) in
                _ = instance.commitAsync(allowsGrouping: true) { error in
                    if let error { continuation.resume(throwing: error) } else { continuation.resume() }
                }
                instance.endLending()
            }
        }
        return commit.result
    }

    /// Waits, without blocking, until this realm is at the version that is the newest now, and its observers have been told;
    /// also if ``autorefresh`` is false.
    ///
    /// - Parameter _isolation: where the caller runs; not to be passed.
    /// - Returns: whether there was a newer version. False at once inside of a write or a notification, and on a frozen
    ///   realm.
    ///
    /// Traps unless the realm belongs to the main thread or to an actor.
    @discardableResult
    public func asyncRefresh(_isolation: isolated (any Actor)? = #isolation) async -> Bool {
        let instance = instance
        if instance.isFrozen { return false }
        instance.requireActor("refresh by 'asyncRefresh'")
        guard instance.canRefreshToNewer else { return false }
        let work = instance.requireAsyncWork("refresh asynchronously")
        return await withCheckedContinuation(isolation: _isolation) { continuation in
            work.refreshes.append(continuation)
            instance.handle.requestRefresh()
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

    /// Whether a refresh would move this instance now.
    fileprivate var canRefreshToNewer: Bool {
        guard !isInWriteTransaction, !activity.isAnnouncingMove, !activity.isCalling else { return false }
        return version == 0 ? news.isUntold : store.head > version
    }

    /// Runs a block in a transaction for which the writer's place was lent. Returns whether it left one to commit.
    fileprivate func inLentWrite<Result>(_ block: () throws -> Result) throws -> (Result, isLeft: Bool) {
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
