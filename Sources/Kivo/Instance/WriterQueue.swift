import Dispatch
import KivoEngine

/// The one writer's place of a store, and those who wait for it, in the order in which they came. Thread-safe.
///
/// A thread that writes now blocks until the place is its own. A realm instance that writes later is offered the place and
/// takes it on a turn of its own, so that nobody blocks for it:
///
///     held by a ── line: b (blocked), c (scheduled), d (blocked)
///
/// An offer that is not taken up for a while, because the thread that would have to is blocked itself, passes to the thread
/// that waits behind it: the two may be waiting for each other.
///
/// Of the end of an actor or a queue nobody is told: while others wait for one that has the place, it is looked now and then
/// whether it is still there, see ``watch()``.
final class WriterQueue: Sendable {
    /// The instance that writes, by its handle.
    typealias Writer = InstanceHandle

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
        /// What an instance committed is being made durable; it is done with the place.
        case flushing(line: [Waiter])

        /// The holder that others wait for, if it may go away without a word.
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
        /// Somebody comes, and blocks or not.
        case came(Waiter)
        /// An instance takes up its offer.
        case accepted(Writer)
        /// The first of those who block is tired of waiting for an offer to be taken up.
        case overtook(Writer)
        /// The holder is done, but what it committed is not durable yet.
        case began(flushOf: Writer)
        /// The holder, or the flush, is done.
        case ended
        /// An instance no longer wants the place.
        case withdrew(Writer)
    }

    /// Who looks whether the holder is there.
    private struct Watch: Sendable {
        /// Whether somebody will look.
        var isOn = false
        /// A holder whose actor was gone, and how often in a row.
        var suspect: Writer?
        var sightings = 0
    }

    private let state = Lock(State.free)
    private let watchState = Lock(Watch())
    /// How long an offer stands before a blocked thread takes the place; and how long after one look the next is taken.
    private static let patience = DispatchTimeInterval.milliseconds(100)
    /// After how many seconds it is logged that a thread waits.
    private static let silence = 5.0
    /// How often an actor has to be seen gone: what it does at its end, where it counts as gone already, may still write.
    private static let enoughSightings = 10

    /// Whether somebody has the place who only has the store move on to what other processes have committed.
    var isHeldByFollower: Bool {
        state.withLock { if case .held(let holder, _) = $0 { holder.isFollower } else { false } }
    }

    /// Waits for the place and takes it.
    ///
    /// - Parameter timeout: How long to wait, in seconds; nil for as long as it takes.
    /// - Returns: Whether the writer has the place.
    func lock(_ writer: Writer, timeout: Double? = nil) -> Bool {
        var wakeup: DispatchSemaphore?
        var isWatchDue = false
        state.withLock { state in
            switch state {
            case .free: state = .held(by: writer, line: [])
            case .held(let holder, _) where holder === writer: return
            case .offered(let waiter, _) where waiter.writer === writer: _ = state.take(.accepted(writer))
            default:
                let semaphore = DispatchSemaphore(value: 0)
                wakeup = semaphore
                _ = state.take(.came(Waiter(writer: writer, kind: .blocked(semaphore))))
            }
            isWatchDue = state.watchedHolder != nil
        }
        if isWatchDue { watch() }
        guard let wakeup else { return true }
        return wait(for: wakeup, writer, timeout)
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

    /// When a thread that waits looks again: sooner if it is not to wait for so long.
    private func next(_ start: DispatchTime, _ timeout: Double?) -> DispatchTime {
        let usual = DispatchTime.now() + WriterQueue.patience
        return timeout.map { min(usual, start + max(0, $0)) } ?? usual
    }

    /// Leaves the line. Returns whether the place has come meanwhile.
    private func giveUpWaiting(_ writer: Writer) -> Bool {
        let (isHeld, woken) = state.withLock { state -> (Bool, Waiter?) in
            if case .held(let holder, _) = state, holder === writer { return (true, nil) }
            return (false, state.take(.withdrew(writer)))
        }
        wake(woken)
        return isHeld
    }

    /// Logs whose write is waited for.
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

    /// Takes the place if nobody has it or waits for it; returns whether it was free.
    func tryLock(_ writer: Writer) -> Bool {
        state.withLock { state in
            guard case .free = state else { return false }
            state = .held(by: writer, line: [])
            return true
        }
    }

    /// Asks for the place without waiting: it will be offered, and the instance be given a turn. Harmless when repeated.
    func request(_ writer: Writer) { take(.came(Waiter(writer: writer, kind: .scheduled))) }

    /// Whether the place is offered to an instance.
    func isOffered(to writer: Writer) -> Bool {
        state.withLock { if case .offered(let waiter, _) = $0 { waiter.writer === writer } else { false } }
    }

    /// Takes the place if it is offered; returns whether it was.
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

    /// Hands the place over to the flush of what was committed.
    func beginFlush(_ writer: Writer) { take(.began(flushOf: writer)) }

    /// Gives the place back.
    func unlock() { take(.ended) }

    /// Gives up what an instance asked for without waiting.
    func withdraw(_ writer: Writer) { take(.withdrew(writer)) }

    /// Whether somebody waits.
    var isWaitedFor: Bool { state.withLock { !$0.line.isEmpty } }

    private func take(_ event: Event) {
        let (woken, isWatchDue) = state.withLock { ($0.take(event), $0.watchedHolder != nil) }
        wake(woken)
        if isWatchDue { watch() }
    }

    /// Wakes who got the place. Outside of the lock: whoever is woken, or let go of on the way, may come back here.
    private func wake(_ woken: Waiter?) {
        switch woken?.kind {
        case .blocked(let semaphore): semaphore.signal()
        case .scheduled: woken?.writer.requestRefresh()
        case nil: break
        }
    }

    // MARK: Holders that are gone

    /// Has somebody look after the holder that others wait for.
    private func watch() {
        let isNew = watchState.withLock { watch in
            defer { watch.isOn = true }
            return !watch.isOn
        }
        if isNew { lookLater() }
    }

    private func lookLater() {
        DispatchQueue.global().asyncAfter(deadline: .now() + WriterQueue.patience) { [weak self] in
            self?.look()
        }
    }

    private func look() {
        let holder = state.withLock { $0.watchedHolder }
        // Outside of the locks: who asks for an actor may be the last to let go of it.
        let isGone = holder?.isGone ?? false
        let isCertain = watchState.withLock { watch in
            watch.isOn = holder != nil
            watch.sightings = isGone ? (watch.suspect === holder ? watch.sightings : 0) + 1 : 0
            watch.suspect = isGone ? holder : nil
            return watch.sightings >= WriterQueue.enoughSightings
        }
        if isCertain { holder?.giveUpWrite() }
        if holder != nil {
            lookLater()
        } else if state.withLock({ $0.watchedHolder != nil }) {
            // Somebody came meanwhile, and believed that it was looked still.
            watch()
        }
    }
}

extension WriterQueue.State {
    /// The one place where the state changes. Returns who got the place, and has to be woken.
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
            guard let place = line.firstIndex(where: \.isBlocked), line[place].writer === writer else {
                return nil
            }
            let first = line.remove(at: place)
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
            fatalError("the writer's place is not with who acts as if it were")
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
    /// The line with one more. An instance is in it once: a thread that blocks takes its instance's place, and who is there
    /// already keeps it.
    fileprivate func with(_ waiter: WriterQueue.Waiter) -> Self {
        guard let place = firstIndex(where: { $0.writer === waiter.writer }) else { return self + [waiter] }
        guard case .blocked = waiter.kind else { return self }
        var line = self
        line[place] = waiter
        return line
    }
}
