import Dispatch
import KivoEngine

/// The write lock of a store, and the line of instances that wait for it, in the order of their requests. Thread-safe.
///
/// A synchronous write blocks its thread until it has the lock. An asynchronous write does not block: its realm instance is
/// offered the lock and takes it on a turn of its own.
///
///     held by a ── line: b (blocked), c (scheduled), d (blocked)
///
/// An offer that is not accepted within `offerTimeout` passes to the first blocked thread in the line. The thread that should
/// accept may itself be blocked, so that the two would wait for each other.
///
/// Actors and queues do not notify anybody when they are deallocated. While others wait for an instance of an actor or queue,
/// ``watch()`` checks from time to time whether that still exists.
final class WriterQueue: Sendable {
    fileprivate struct Waiter: Sendable {
        let writer: Writer
        let kind: Kind

        enum Kind: Sendable {
            case blocked(DispatchSemaphore)
            case scheduled
        }

        var isBlocked: Bool { if case .blocked = kind { true } else { false } }
    }

    fileprivate enum State: Sendable {
        case free
        /// An instance may write on its next turn.
        case offered(Waiter, line: [Waiter])
        case held(by: Writer, line: [Waiter])
        /// The commits of an instance are being made durable; the instance itself has given up the write lock.
        case flushing(line: [Waiter])

        /// The holder that others wait for, if its actor or queue can be deallocated without a notification.
        var watchedHolder: Writer? {
            if case .held(let holder, let line) = self, holder.mayGoUnnoticed, !line.isEmpty {
                holder
            } else {
                nil
            }
        }

        var line: [Waiter] {
            switch self {
            case .free: []
            case .offered(_, let line), .held(_, let line), .flushing(let line): line
            }
        }
    }

    fileprivate enum Event {
        /// An instance asks for the write lock, blocking its thread or not.
        case came(Waiter)
        /// An instance accepts its offer.
        case accepted(Writer)
        /// The first blocked thread has waited too long for an offer to be accepted.
        case overtook(Writer)
        /// The holder is done, but its commits are not durable yet.
        case began(flushOf: Writer)
        /// The holder, or the flush, is done.
        case ended
        /// An instance no longer wants the write lock.
        case withdrew(Writer)
    }

    /// The state of the checks whether the holder still exists.
    private struct Watch: Sendable {
        /// Whether the next check is scheduled.
        var isOn = false
        /// A holder whose actor or queue was gone, and the number of consecutive checks that found it gone.
        var missingHolder: Writer?
        var sightings = 0
    }

    /// The name of the store, for events.
    private let name: EventName
    private let state = Lock(State.free)
    private let watchState = Lock(Watch())
    /// The time that an offer stands before a blocked thread takes the write lock, and the interval between two checks of the
    /// holder.
    private static let offerTimeout = DispatchTimeInterval.milliseconds(100)
    /// The number of seconds after which a warning is logged that a thread waits.
    private static let silence = 5.0
    /// The number of consecutive checks that must find an actor gone: its `deinit`, during which it counts as gone already, may
    /// still write.
    private static let enoughSightings = 10

    init(_ name: EventName) { self.name = name }

    /// Whether the write lock is held only to advance the store to the commits of other processes.
    var isHeldByFollower: Bool {
        state.withLock { if case .held(let holder, _) = $0 { holder.isFollower } else { false } }
    }

    /// Waits for the write lock and takes it.
    ///
    /// - Parameter timeout: The longest wait in seconds, or nil to wait without a limit.
    /// - Returns: Whether the writer has the write lock.
    func lock(_ writer: Writer, timeout: Double? = nil) -> Bool {
        var wakeup: DispatchSemaphore?
        var isWatchDue = false
        var holder: Writer?
        state.withLock { state in
            switch state {
            case .free: state = .held(by: writer, line: [])
            case .held(let holder, _) where holder === writer: return
            case .offered(let waiter, _) where waiter.writer === writer: _ = state.take(.accepted(writer))
            default:
                if case .held(let current, _) = state { holder = current }
                let semaphore = DispatchSemaphore(value: 0)
                wakeup = semaphore
                _ = state.take(.came(Waiter(writer: writer, kind: .blocked(semaphore))))
            }
            isWatchDue = state.watchedHolder != nil
        }
        if isWatchDue { watch() }
        guard let wakeup else { return true }
        guard writer.isInstance, let start = Events.start else {
            return wait(for: wakeup, writer, timeout)
        }
        let home = holder?.home ?? "another thread"
        let isSuccessful = wait(for: wakeup, writer, timeout)
        Events.add(
            name, since: start, .writeWait(RealmEvent.WriteWait(holder: home, isSuccessful: isSuccessful)))
        return isSuccessful
    }

    private func wait(for wakeup: DispatchSemaphore, _ writer: Writer, _ timeout: Double?) -> Bool {
        let start = DispatchTime.now()
        func hasPassed(_ seconds: Double) -> Bool {
            Double(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) >= seconds * 1e9
        }
        var isTold = false
        while wakeup.wait(timeout: next(start, timeout)) == .timedOut {
            take(.overtook(writer))
            if let timeout, hasPassed(timeout) { return giveUpWaiting(writer) }
            if !isTold, !writer.isFollower, hasPassed(WriterQueue.silence) {
                isTold = true
                tellOfWaiting()
            }
        }
        return true
    }

    /// Returns when a waiting thread looks again: after `offerTimeout`, or at its timeout if that is sooner.
    private func next(_ start: DispatchTime, _ timeout: Double?) -> DispatchTime {
        let usual = DispatchTime.now() + WriterQueue.offerTimeout
        return timeout.map { min(usual, start + max(0, $0)) } ?? usual
    }

    /// Leaves the line. Returns whether the writer was given the write lock meanwhile.
    private func giveUpWaiting(_ writer: Writer) -> Bool {
        let (isHeld, woken) = state.withLock { state -> (Bool, Waiter?) in
            if case .held(let holder, _) = state, holder === writer { return (true, nil) }
            return (false, state.take(.withdrew(writer)))
        }
        wake(woken)
        return isHeld
    }

    /// Logs a warning about the write that blocks this one.
    private func tellOfWaiting() {
        let holder = state.withLock { state -> Writer? in
            if case .held(let holder, _) = state { holder } else { nil }
        }
        guard let holder, !holder.isFollower else { return }
        Logger.shared.log(
            level: .warn,
            message: """
                A write has been waiting for \(Int(WriterQueue.silence)) seconds for one that is open on \(holder.home): \
                every 'beginWrite()' needs its 'commitWrite()' or 'cancelWrite()'.
                """)
    }

    /// Takes the write lock if it is free and no instance waits for it. Returns whether it was free.
    func tryLock(_ writer: Writer) -> Bool {
        state.withLock { state in
            guard case .free = state else { return false }
            state = .held(by: writer, line: [])
            return true
        }
    }

    /// Requests the write lock without waiting. When it is offered, the instance gets a turn. Repeated requests have no effect.
    func request(_ writer: Writer) { take(.came(Waiter(writer: writer, kind: .scheduled))) }

    /// Whether the write lock is offered to an instance.
    func isOffered(to writer: Writer) -> Bool {
        state.withLock { if case .offered(let waiter, _) = $0 { waiter.writer === writer } else { false } }
    }

    /// Takes the write lock if it is offered to the writer. Returns whether it was.
    func accept(_ writer: Writer) -> Bool {
        let (isAccepted, isWatchDue) = state.withLock { state in
            guard case .offered(let waiter, _) = state, waiter.writer === writer else {
                return (false, false)
            }
            _ = state.take(.accepted(writer))
            return (true, state.watchedHolder != nil)
        }
        if isWatchDue { watch() }
        return isAccepted
    }

    /// Transfers the write lock from the writer to the flush of its commits.
    func beginFlush(_ writer: Writer) { take(.began(flushOf: writer)) }

    /// Releases the write lock.
    func unlock() { take(.ended) }

    /// Withdraws the request of an instance that does not block.
    func withdraw(_ writer: Writer) { take(.withdrew(writer)) }

    /// Whether an instance waits for the write lock.
    var isWaitedFor: Bool { state.withLock { !$0.line.isEmpty } }

    private func take(_ event: Event) {
        let (woken, isWatchDue) = state.withLock { ($0.take(event), $0.watchedHolder != nil) }
        wake(woken)
        if isWatchDue { watch() }
    }

    /// Wakes the instance that was given the write lock. Called outside of the state's lock: an instance that is woken, or
    /// released on the way, may call this queue again.
    private func wake(_ woken: Waiter?) {
        switch woken?.kind {
        case .blocked(let semaphore): semaphore.signal()
        case .scheduled: woken?.writer.requestTurn()
        case nil: break
        }
    }

    // MARK: Holders that are gone

    /// Schedules checks of the holder that others wait for, unless they are scheduled already.
    private func watch() {
        let isNew = watchState.withLock { watch in
            defer { watch.isOn = true }
            return !watch.isOn
        }
        if isNew { lookLater() }
    }

    private func lookLater() {
        DispatchQueue.global().asyncAfter(deadline: .now() + WriterQueue.offerTimeout) { [weak self] in
            self?.look()
        }
    }

    private func look() {
        let holder = state.withLock { $0.watchedHolder }
        // Outside of the locks: the check retains the actor for a moment, and may release the last reference to it.
        let isGone = holder?.isGone ?? false
        let isCertain = watchState.withLock { watch in
            watch.isOn = holder != nil
            watch.sightings = isGone ? (watch.missingHolder === holder ? watch.sightings : 0) + 1 : 0
            watch.missingHolder = isGone ? holder : nil
            return watch.sightings >= WriterQueue.enoughSightings
        }
        if isCertain { holder?.giveUpWrite() }
        if holder != nil {
            lookLater()
        } else if state.withLock({ $0.watchedHolder != nil }) {
            // An instance began to wait after the state was read and before `isOn` was cleared, and scheduled no check.
            watch()
        }
    }
}

extension WriterQueue.State {
    /// Applies an event; the state changes nowhere else. Returns the waiter that was given the write lock and has to be woken.
    fileprivate mutating func take(_ event: WriterQueue.Event) -> WriterQueue.Waiter? {
        switch (event, self) {
        case (.came(let waiter), .free): return grant([waiter])
        case (.came(let waiter), .offered(let offered, let line)):
            if offered.writer !== waiter.writer { self = .offered(offered, line: line.with(waiter)) }
        case (.came(let waiter), .held(let holder, let line)):
            self = .held(by: holder, line: line.with(waiter))
        case (.came(let waiter), .flushing(let line)): self = .flushing(line: line.with(waiter))
        case (.accepted(let writer), .offered(_, let line)): self = .held(by: writer, line: line)
        case (.overtook(let writer), .offered(let offered, var line)):
            guard let index = line.firstIndex(where: \.isBlocked), line[index].writer === writer else {
                return nil
            }
            let first = line.remove(at: index)
            line.insert(offered, at: 0)
            self = .held(by: writer, line: line)
            return first
        case (.began(let writer), .held(by: let holder, let line)) where holder === writer:
            self = .flushing(line: line)
        case (.ended, .held(_, let line)), (.ended, .flushing(let line)): return grant(line)
        case (.withdrew(let writer), .offered(let offered, let line)):
            if offered.writer === writer { return grant(line) }
            self = .offered(offered, line: line.filter { $0.writer !== writer })
        case (.withdrew(let writer), .held(let holder, let line)):
            self = .held(by: holder, line: line.filter { $0.writer !== writer })
        case (.withdrew(let writer), .flushing(let line)):
            self = .flushing(line: line.filter { $0.writer !== writer })
        case (.overtook, _), (.withdrew, .free): break
        case (.accepted, _), (.began, _), (.ended, _):
            fatalError("the write lock has another holder")
        }
        return nil
    }

    private mutating func grant(_ line: [WriterQueue.Waiter]) -> WriterQueue.Waiter? {
        guard let next = line.first else {
            self = .free
            return nil
        }
        let rest = Array(line.dropFirst())
        switch next.kind {
        case .blocked: self = .held(by: next.writer, line: rest)
        case .scheduled: self = .offered(next, line: rest)
        }
        return next
    }
}

extension [WriterQueue.Waiter] {
    /// Returns the line with one more waiter. An instance is in it once: a waiter that blocks replaces its instance's scheduled
    /// one, and otherwise the instance keeps its position.
    fileprivate func with(_ waiter: WriterQueue.Waiter) -> Self {
        guard let index = firstIndex(where: { $0.writer === waiter.writer }) else { return self + [waiter] }
        guard case .blocked = waiter.kind else { return self }
        var line = self
        line[index] = waiter
        return line
    }
}
