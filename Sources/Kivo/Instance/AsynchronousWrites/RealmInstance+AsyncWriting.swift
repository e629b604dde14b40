import Dispatch
import Foundation

extension RealmInstance {
    /// The maximum number of writes that one turn carries out and makes durable together. It is large enough that each write's
    /// share of the flush is small. It is small enough that other writers and the thread's other work are served in between.
    private static let mostWritesInATurn = 1024
    /// The time after which a turn begins no further writes, in nanoseconds.
    private static let longestTurn: UInt64 = 8_000_000

    /// Returns the asynchronous work of the instance. Traps with a message if the realm is frozen or read-only, or if the
    /// instance gets no turns in which to do the work.
    func requireAsyncWork(_ what: @autoclosure () -> String) -> AsyncWork {
        checkConfinement()
        if isFrozen { trap("A frozen realm cannot \(what()): use 'thaw()' to get a live one.") }
        if configuration.readOnly { trap("A realm that was opened read-only cannot \(what()).") }
        if case .thread = confinement, asyncWork == nil, RunLoop.current.currentMode == nil {
            trap(
                """
                A realm cannot \(what()) on a thread whose run loop does not run: nobody would give it a turn. Use the main \
                thread, a serial queue or an actor, or call this from the run loop.
                """)
        }
        let work = asyncWork ?? AsyncWork(confinement)
        asyncWork = work
        work.retain(instanceOwner)
        turns.enable()
        return work
    }

    // MARK: Queueing

    /// Queues a write and asks for the write lock.
    func enqueue(_ action: AsyncWork.Write.Action) -> AsyncTransactionId {
        let work = requireAsyncWork("write asynchronously")
        let id = work.append(action)
        if work.phase == .idle {
            work.take(.queued)
            store.writer.request(handle)
        }
        return id
    }

    /// Cancels a queued write, or the callback of a commit.
    func cancelAsync(_ id: AsyncTransactionId) {
        checkConfinement()
        guard let work = asyncWork else { return }
        work.cancel(id)
        if work.phase == .waiting, !work.hasWrites {
            work.take(.withdrawn)
            store.writer.withdraw(handle)
            // The next turn releases the references that were held for the write.
            turns.request()
        }
    }

    /// Commits the open transaction and calls `completion` when it is durable, on a later turn.
    ///
    /// - Parameter allowsGrouping: Whether the commit may become durable together with the writes that are queued behind it.
    func commitAsync(allowsGrouping: Bool, _ completion: (((any Error)?) -> Void)?) -> AsyncTransactionId {
        _ = requireTransaction("commit")
        let work = requireAsyncWork("commit asynchronously")
        let id = work.newID()
        if let error = pendingError {
            work.complete(id, at: version, error: error, completion)
            cancelWrite()
            turns.request()
            return id
        }
        if store.isSlow {
            commitUnlogged { version in
                work.complete(id, at: version, completion)
                switch work.phase {
                case .running, .inTask: work.endsTurn = work.endsTurn || !allowsGrouping
                case .idle, .waiting: finishTurn()
                }
            }
        } else {
            var failure: (any Error)?
            do { try commitWrite(withoutNotifying: []) } catch { failure = error }
            work.settle(upTo: version)
            work.complete(id, at: version, error: failure, completion)
            turns.request()
        }
        return id
    }

    // MARK: Turns

    /// Carries out a turn of the asynchronous work.
    func serveAsyncWork() {
        guard let work = asyncWork, !isInWriteTransaction, !activity.isAnnouncingMove, !isMakingKeys else {
            return
        }
        let instanceOwner = instanceOwner
        defer {
            work.releaseIfDone()
            withExtendedLifetime(instanceOwner) {}
        }
        let hasFailed = work.settleFlushes()
        // A failure is reported only after this instance has moved back, which takes a turn of its own.
        if hasFailed, activity.isCalling { return }
        if hasFailed || !work.refreshes.isEmpty, !activity.isCalling {
            _ = refresh()
            let waiting = work.refreshes
            work.refreshes = []
            for continuation in waiting { continuation.resume(returning: true) }
        }
        work.callCompletions()
        guard !isInWriteTransaction, work.phase == .waiting, store.writer.isOffered(to: handle) else {
            return
        }
        // A task takes the lock itself when it runs. If the instance took it now, it might hold it without the task ever
        // running.
        if case .ticket(let ticket)? = work.first?.action, ticket.grant() { return }
        guard store.writer.accept(handle) else { return }
        work.take(.began)
        runWrites(work)
    }

    private func runWrites(_ work: AsyncWork) {
        let end = DispatchTime.now().uptimeNanoseconds + Self.longestTurn
        for _ in 0..<Self.mostWritesInATurn {
            // The lock is offered to a task in a turn of its own.
            if case .ticket(let ticket)? = work.first?.action, !ticket.isCancelled { break }
            guard let write = work.next() else { break }
            if case .block(let block) = write.action {
                openWrite()
                onThisThread(block)
                if let transaction, transaction.memory.id != work.writeOfObservers { cancelWrite() }
            }
            if isInWriteTransaction { break }
            // The turn ends after a commit that must not wait for others, and when another writer waits for the lock.
            if work.endsTurn || store.writer.isWaitedFor { break }
            if DispatchTime.now().uptimeNanoseconds >= end { break }
        }
        finishTurn()
    }

    /// Takes the write lock for a task whose ticket was granted.
    ///
    /// - Returns: A ticket with which the task has to wait again if another writer was first, else nil.
    func beginTaskWrite(_ id: AsyncTransactionId) -> WriteTicket? {
        checkConfinement()
        guard let work = asyncWork else { return nil }
        guard !isInWriteTransaction, work.phase == .waiting, work.first?.id == id, store.writer.accept(handle)
        else {
            let ticket = WriteTicket()
            work.wait(id, by: ticket)
            return ticket
        }
        _ = work.next()
        work.take(.taskBegan)
        return nil
    }

    /// Ends the write of a task that holds the write lock.
    func endTaskWrite() {
        guard let work = asyncWork, work.phase == .inTask else { return }
        finishTurn()
    }

    /// Releases the write lock, after a flush if commits are not durable yet, and requests it again if writes are left.
    ///
    /// A write that a notified observer left open keeps the lock, and calls this when it ends.
    func finishTurn() {
        guard let work = asyncWork else { return }
        if work.phase == .running || work.phase == .inTask { work.take(.ended(hasWrites: work.hasWrites)) }
        work.endsTurn = false
        if isInWriteTransaction { return }
        // The store's version, because this instance may have unpinned its own: the block may have invalidated the realm.
        if let newest = store.newestUnlogged {
            flushElsewhere(work, upTo: newest)
        } else {
            store.endWriting()
        }
        if work.phase == .waiting { store.writer.request(handle) }
    }

    /// Makes the commits durable on another thread.
    private func flushElsewhere(_ work: AsyncWork, upTo version: UInt64) {
        let flush = Flush(upTo: version)
        work.begin(flush)
        let (store, handle) = (store, handle)
        store.writer.beginFlush(handle)
        DispatchQueue.global(qos: .userInitiated).async {
            do {
                try store.flush(except: handle)
                flush.end(nil)
            } catch { flush.end(error as? FlushFailure) }
            store.endWriting()
            handle.turns.request()
        }
    }

    /// Drops the asynchronous work because the thread of the instance ends. Its commits are made durable.
    func abandonAsyncWork() {
        guard let work = asyncWork else { return }
        let holdsLock = work.phase == .running || work.phase == .inTask
        work.drop()
        if holdsLock {
            try? store.flush(except: handle)
            store.endWriting()
        } else {
            store.writer.withdraw(handle)
        }
    }
}

extension AsyncWork {
    /// Called when a write of this instance has ended, asynchronous or not.
    func didClose(_ instance: RealmInstance) {
        switch phase {
        // The turn, or the task, keeps the lock.
        case .running, .inTask: break
        case .idle, .waiting: instance.finishTurn()
        }
        if isDue { instance.turns.request() }
    }
}
