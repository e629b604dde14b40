import KivoEngine
import Synchronization

/// The turns in which a realm instance looks for new versions, delivers changes and carries out asynchronous writes, on its queue,
/// run loop or actor.
///
/// Any thread may request a turn; requests are merged until the turn comes. An instance that is busy skips its turn, and requests
/// another one when it is idle.
///
/// Thread-safe: the client is set once, before the turns are shared, and is only called where the instance belongs or after its
/// thread has ended; everything else is locked or atomic.
final class Turns: ScheduledTurn, @unchecked Sendable {
    private weak var client: (any TurnClient)?
    private let lockedScheduler: Lock<Scheduler>
    /// Whether a request waits for a turn, or for the first observer.
    private let isRequested = Atomic<Bool>(false)
    private let isSkipped = Atomic<Bool>(false)

    init(_ scheduler: Scheduler) { lockedScheduler = Lock(scheduler) }

    /// Called once, by the client that owns the turns.
    func attach(_ client: any TurnClient) { self.client = client }

    var scheduler: Scheduler { lockedScheduler.withLock { $0 } }

    /// Requests a turn, from any thread.
    func request() {
        if isRequested.exchange(true, ordering: .acquiringAndReleasing) { return }
        scheduler.schedule(self)
    }

    /// Makes sure that turns come, if the thread has any, because the instance is observed.
    ///
    /// - Precondition: This code runs where the instance belongs.
    func enable() {
        let isNew = lockedScheduler.withLock { scheduler in
            guard case .none = scheduler else { return false }
            scheduler = .turns(.currentRunLoop)
            return true
        }
        if isNew, isRequested.load(ordering: .acquiring) { scheduler.schedule(self) }
    }

    /// Records that the instance was too busy to use its turn.
    func skip() { isSkipped.store(true, ordering: .relaxed) }

    /// Whether a turn was skipped, so that the instance needs another one when it is idle.
    var wasSkipped: Bool { isSkipped.load(ordering: .relaxed) }

    /// Requests another turn in place of the one that was skipped.
    func resume() {
        isSkipped.store(false, ordering: .relaxed)
        request()
    }

    // MARK: ScheduledTurn

    func run() {
        endRequest()
        client?.serveTurn()
    }

    func threadEnded() {
        endRequest()
        client?.turnsEnded()
    }

    /// Clears the flag, so that the next request asks for a turn of its own. An exchange, not a store: this code sees everything
    /// that happened before a request that was merged into this one.
    private func endRequest() { _ = isRequested.exchange(false, ordering: .acquiringAndReleasing) }
}

/// The owner of ``Turns``, which uses them.
protocol TurnClient: AnyObject {
    /// Uses a turn, where the instance belongs.
    func serveTurn()

    /// Called on any thread, instead of ``serveTurn()``, if the thread has ended or is about to.
    func turnsEnded()
}
