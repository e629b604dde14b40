import KivoEngine
import Synchronization

/// A realm instance, as other threads may know it: something to ask for a refresh, nothing to look into.
///
/// Thread-safe: the weak reference is set once before the handle is shared and is only followed where the instance
/// belongs; the flag is atomic.
final class CoreHandle: @unchecked Sendable {
    /// What holds the instance; only for code that runs where it belongs.
    private(set) weak var anchor: CoreAnchor?
    private let scheduler: Mutex<Scheduler>
    /// Whether a request waits for a turn, or for somebody to listen.
    private let isRequested = Atomic<Bool>(false)
    private let hasCancelled = Atomic<Bool>(false)

    /// Observations of objects that were let go of elsewhere.
    private let abandoned = Lock<[Abandoned]>([])

    /// An observation on its way to where it belongs. Nobody else refers to it, and on the way nobody looks into it.
    private struct Abandoned: @unchecked Sendable {
        let observation: Observation
    }

    init(_ scheduler: Scheduler) { self.scheduler = Mutex(scheduler) }

    /// Makes sure that the instance is given turns, if its thread has any, because somebody observes it. Only where the
    /// instance belongs.
    func listen() {
        let isNew = scheduler.withLock { scheduler in
            guard case .none = scheduler else { return false }
            scheduler = .turns(.currentRunLoop)
            return true
        }
        if isNew, isRequested.load(ordering: .acquiring) { scheduler.withLock { $0 }.schedule(self) }
    }

    /// Hands over the observations of an object that was let go of elsewhere.
    func abandon(_ observations: some Swift.Sequence<Observation>) {
        let handedOver = observations.map { Abandoned(observation: $0) }
        if handedOver.isEmpty { return }
        abandoned.withLock { $0 += handedOver }
        requestRefresh()
    }

    /// The observations that were handed over since this was last asked. Only where the instance belongs.
    func takeAbandoned() -> [Observation] {
        abandoned.withLock { abandoned -> [Abandoned] in
            defer { abandoned = [] }
            return abandoned
        }.map(\.observation)
    }

    /// Has the instance let go, on its next turn, of observers that were cancelled elsewhere.
    func requestRemovalOfCancelled() {
        hasCancelled.store(true, ordering: .releasing)
        requestRefresh()
    }

    /// Whether observers were cancelled elsewhere since this was last asked. Only where the instance belongs.
    func takeCancelled() -> Bool { hasCancelled.exchange(false, ordering: .acquiring) }

    func attach(_ anchor: CoreAnchor) { self.anchor = anchor }

    /// Has the instance look for new versions and deliver what is due, on its next turn. Requests are merged.
    func requestRefresh() {
        if isRequested.exchange(true, ordering: .acquiringAndReleasing) { return }
        scheduler.withLock { $0 }.schedule(self)
    }

    /// A turn. Only where the instance belongs.
    func serve() {
        isRequested.store(false, ordering: .releasing)
        guard let anchor else { return }
        withExtendedLifetime(anchor) { anchor.core.serveRefreshRequest() }
    }
}
