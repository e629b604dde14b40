import KivoEngine
import Synchronization

/// A realm instance, as other threads may know it: something to ask for a refresh, nothing to look into.
///
/// Thread-safe: the weak reference is set once before the handle is shared and is only followed where the instance
/// belongs; the flags are atomic.
final class InstanceHandle: TurnTaker, @unchecked Sendable {
    /// What holds the instance; only for code that runs where it belongs.
    private(set) weak var instanceOwner: InstanceOwner?
    private let scheduler: Lock<Scheduler>
    /// Whether a request waits for a turn, or for somebody to listen.
    private let isRequested = Atomic<Bool>(false)
    private let left = Lock(Left())
    /// Whether anything is there, which is asked for at every refresh and write. Set under the lock.
    private let hasLeft = Atomic<Bool>(false)

    /// What was let go of elsewhere, on its way to where it belongs. Nobody else refers to the observations, and on the way
    /// nobody looks into them.
    struct Left: @unchecked Sendable {
        /// Observers that were cancelled.
        fileprivate(set) var registrations: [Registration] = []
        /// Observations of objects, and the rows whose observed accessors they were.
        fileprivate(set) var observations: [Observation] = []
        fileprivate(set) var rows: [RowID] = []
    }

    init(_ scheduler: Scheduler) { self.scheduler = Lock(scheduler) }

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

    /// Hands over the observations of an object that was let go of elsewhere, or some of them, and the row if the object is
    /// gone.
    func leave(_ observations: some Swift.Sequence<Observation>, of row: RowID? = nil) {
        let added = Left(observations: Array(observations), rows: row.map { [$0] } ?? [])
        if added.observations.isEmpty, added.rows.isEmpty { return }
        leave(added)
    }

    /// Has the instance let go of an observer that was cancelled elsewhere.
    func leave(_ registration: Registration) { leave(Left(registrations: [registration])) }

    private func leave(_ added: Left) {
        left.withLock { left in
            left.registrations += added.registrations
            left.observations += added.observations
            left.rows += added.rows
            hasLeft.store(true, ordering: .releasing)
        }
        requestRefresh()
    }

    /// What was let go of elsewhere since this was last asked, if anything was. Only where the instance belongs.
    func takeLeft() -> Left? {
        guard hasLeft.load(ordering: .acquiring) else { return nil }
        return left.withLock { left in
            defer { left = Left() }
            hasLeft.store(false, ordering: .releasing)
            return left
        }
    }

    func attach(_ instanceOwner: InstanceOwner) { self.instanceOwner = instanceOwner }

    /// Has the instance look for new versions and deliver what is due, on its next turn. Requests are merged.
    func requestRefresh() {
        if isRequested.exchange(true, ordering: .acquiringAndReleasing) { return }
        scheduler.withLock { $0 }.schedule(self)
    }

    /// A turn. Only where the instance belongs.
    func serve() {
        isRequested.store(false, ordering: .releasing)
        guard let instanceOwner else { return }
        withExtendedLifetime(instanceOwner) { instanceOwner.instance.serveRefreshRequest() }
    }
}
