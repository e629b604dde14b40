import Dispatch
import Foundation

extension RealmInstance {
    /// How many writes one turn carries out, and makes durable together: enough that a flush costs little for each, and few
    /// enough that other writers, and what else the thread has to do, come to their turn.
    private static let mostWritesInATurn = 1024
    /// How long a turn begins further writes, in nanoseconds.
    private static let longestTurn: UInt64 = 8_000_000

    /// What is under way asynchronously. Traps in words if nobody gives this instance turns in which to do it.
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
        let work = asyncWork ?? AsyncWork()
        asyncWork = work
        work.hold(self)
        handle.listen()
        return work
    }

    // MARK: Queueing

    /// Queues a write and asks for the writer's place.
    func enqueue(_ action: AsyncWork.Write.Action) -> AsyncTransactionId {
        let work = requireAsyncWork("write asynchronously")
        let id = work.append(action)
        if work.phase == .idle {
            work.take(.queued)
            store.writer.request(handle)
        }
        return id
    }

    /// Drops a queued write, or the call of a commit's completion.
    func cancelAsync(_ id: AsyncTransactionId) {
        checkConfinement()
        guard let work = asyncWork else { return }
        work.cancel(id)
        if work.phase == .waiting, !work.hasWrites {
            work.take(.withdrawn)
            store.writer.withdraw(handle)
            // What was held for it is let go of.
            handle.requestRefresh()
        }
    }

    /// Commits the open transaction and calls `completion` when it is durable, on a later turn.
    ///
    /// - Parameter allowsGrouping: whether it may become durable together with the writes that are queued behind it.
    func commitAsync(allowsGrouping: Bool, _ completion: (((any Error)?) -> Void)?) -> AsyncTransactionId {
        _ = requireTransaction("commit")
        let work = requireAsyncWork("commit asynchronously")
        let id = work.newID()
        if let error = pendingError {
            work.complete(id, at: version, error: error, completion)
            cancelWrite()
            handle.requestRefresh()
            return id
        }
        if store.isSlow {
            commitUnlogged { version in
                work.complete(id, at: version, completion)
                switch work.phase {
                case .running, .lent: work.endsTurn = work.endsTurn || !allowsGrouping
                case .idle, .waiting: finishTurn()
                }
            }
        } else {
            var failure: (any Error)?
            do { try commitWrite(withoutNotifying: []) } catch { failure = error }
            work.settle(upTo: version)
            work.complete(id, at: version, error: failure, completion)
            handle.requestRefresh()
        }
        return id
    }

    // MARK: Turns

    /// What a turn does for asynchronous work.
    func serveAsyncWork() {
        guard let work = asyncWork, !isInWriteTransaction, !activity.isAnnouncingMove, !isMakingKeys else {
            return
        }
        let instanceOwner = instanceOwner
        defer {
            work.letGo()
            withExtendedLifetime(instanceOwner) {}
        }
        let hasFailed = work.settleFlushes()
        // Nobody is told of a failure before this instance has moved back, which takes a turn of its own.
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
        // A task takes the place by itself when it runs: who has it until then may never let the task run.
        if case .ticket(let ticket)? = work.first?.action, ticket.grant() { return }
        guard store.writer.accept(handle) else { return }
        work.take(.began)
        runWrites(work)
    }

    private func runWrites(_ work: AsyncWork) {
        let end = DispatchTime.now().uptimeNanoseconds + Self.longestTurn
        for _ in 0..<Self.mostWritesInATurn {
            // A task has the place offered in a turn of its own.
            if case .ticket(let ticket)? = work.first?.action, !ticket.isCancelled { break }
            guard let write = work.next() else { break }
            if case .block(let block) = write.action {
                openWrite()
                onThisThread(block)
                if let transaction, transaction.memory.id != work.writeOfObservers { cancelWrite() }
            }
            if isInWriteTransaction { break }
            // A commit that is not to wait for others ends the turn, and so does somebody who waits for the place.
            if work.endsTurn || store.writer.isWaitedFor { break }
            if DispatchTime.now().uptimeNanoseconds >= end { break }
        }
        finishTurn()
    }

    /// Takes the writer's place for a task that was told of it.
    ///
    /// - Returns: if somebody came before, by what the task has to wait anew.
    func beginLending(_ id: AsyncTransactionId) -> WriteTicket? {
        checkConfinement()
        guard let work = asyncWork else { return nil }
        guard !isInWriteTransaction, work.phase == .waiting, work.first?.id == id, store.writer.accept(handle)
        else {
            let ticket = WriteTicket()
            work.wait(id, by: ticket)
            return ticket
        }
        _ = work.next()
        work.take(.lent)
        return nil
    }

    /// The task that the writer's place was lent to is done with it.
    func endLending() {
        guard let work = asyncWork, work.phase == .lent else { return }
        finishTurn()
    }

    /// Gives the writer's place back, behind a flush if something is not durable yet, and asks for it anew if writes are left.
    ///
    /// A write that somebody left open who was told of what was done keeps the place, and does this at its own end.
    func finishTurn() {
        guard let work = asyncWork else { return }
        if work.phase == .running || work.phase == .lent { work.take(.ended(isLeft: work.hasWrites)) }
        work.endsTurn = false
        if isInWriteTransaction { return }
        // This instance may have let go of that version: the block may have invalidated the realm.
        if let newest = store.newestUnlogged {
            flushElsewhere(work, upTo: newest)
        } else {
            store.endWriting()
        }
        if work.phase == .waiting { store.writer.request(handle) }
    }

    /// Makes what was committed durable, on another thread.
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
            handle.requestRefresh()
        }
    }

    /// Gives up what is under way because its thread ends. What was committed is made durable.
    func giveUpAsyncWork() {
        guard let work = asyncWork else { return }
        let hasPlace = work.phase == .running || work.phase == .lent
        work.drop()
        if hasPlace {
            try? store.flush(except: handle)
            store.endWriting()
        } else {
            store.writer.withdraw(handle)
        }
    }
}

extension AsyncWork {
    /// A write of this instance ended, whoever began it.
    func didClose(_ instance: RealmInstance) {
        switch phase {
        // The turn, or the task, goes on with the place.
        case .running, .lent: break
        case .idle, .waiting: instance.finishTurn()
        }
        if isDue { instance.handle.requestRefresh() }
    }
}
