import KivoEngine
import Synchronization

/// Something that ended elsewhere than where its realm instance belongs.
protocol EndedElsewhere: AnyObject {
    /// Lets go of it, where the instance belongs.
    func letGo(_ instance: RealmInstance)
}

/// A realm instance, as other threads may know it: something to ask for a refresh, nothing to look into.
///
/// Thread-safe: the weak reference is set once before the handle is shared and is only followed where the instance
/// belongs; the flags are atomic.
final class InstanceHandle: TurnTaker, @unchecked Sendable {
    /// What holds the instance; only for code that runs where it belongs, or that knows that no code does any more.
    private(set) weak var instanceOwner: InstanceOwner?
    private let scheduler: Lock<Scheduler>
    private let confinement: Confinement
    private let threadNumber: UInt64
    /// Whether this is no instance's, but of who has the store move on to what other processes have committed.
    let isFollower: Bool
    /// Whether a request waits for a turn, or for somebody to listen.
    private let isRequested = Atomic<Bool>(false)
    private let left = Lock(Left())
    /// Whether anything is there, which is asked for at every refresh and write. Set under the lock.
    private let hasLeft = Atomic<Bool>(false)

    /// What was let go of elsewhere, on its way to where it belongs. Nobody else refers to the observations, and on the way
    /// nobody looks into them.
    struct Left: @unchecked Sendable {
        /// Observers that were cancelled.
        fileprivate(set) var registrations: [any EndedElsewhere] = []
        /// Key-value observations that were ended.
        fileprivate(set) var observations: [any EndedElsewhere] = []
        /// The observations of managed objects and collections that were let go of, with a reference to each.
        fileprivate(set) var ended: [Unmanaged<AnyObject>] = []
        /// Whether the instance is there to let go of anything.
        fileprivate var isOpen = true
    }

    init(_ scheduler: Scheduler, _ confinement: Confinement, isFollower: Bool = false) {
        self.isFollower = isFollower
        self.scheduler = Lock(scheduler)
        self.confinement = confinement
        threadNumber = confinement.threadNumber
    }

    /// Whether this code runs where the instance belongs.
    @inline(__always)
    var isCurrent: Bool { threadNumber == ThreadIdentity.currentNumber || confinement.isCurrent }

    /// Whether the instance belongs to an actor, of whose end nobody is told.
    var isOfActor: Bool { if case .actor = confinement { true } else { false } }

    /// Whether the instance belongs to an actor that has gone away, or is about to.
    var isGone: Bool { confinement.isGone }

    /// Gives up the write that an actor which is gone has left open.
    func giveUpWrite() {
        guard isGone, let instanceOwner else { return }
        withExtendedLifetime(instanceOwner) { instanceOwner.instance.giveUpWrite() }
    }

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

    /// Has the instance let go of an observer that was cancelled elsewhere.
    func leave(registration: any EndedElsewhere) { leave(Left(registrations: [registration])) }

    /// Has the instance let go of a key-value observation that was ended elsewhere.
    func leave(observation: any EndedElsewhere) { leave(Left(observations: [observation])) }

    /// Hands over the observations of what was let go of elsewhere, with the reference that it held.
    func leave(ended: Unmanaged<AnyObject>) { leave(Left(ended: [ended])) }

    private func leave(_ added: Left) {
        let isTaken = left.withLock { left in
            guard left.isOpen else { return false }
            left.registrations += added.registrations
            left.observations += added.observations
            left.ended += added.ended
            hasLeft.store(true, ordering: .releasing)
            return true
        }
        if isTaken { requestRefresh() } else { for ended in added.ended { ended.release() } }
    }

    /// Lets go of everything because the instance is gone: what is left from now on is let go of where it is left.
    func close() {
        let left = left.withLock { left in
            defer {
                left = Left()
                left.isOpen = false
            }
            return left
        }
        for ended in left.ended { ended.release() }
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
        withExtendedLifetime(instanceOwner) {
            instanceOwner.instance.serveRefreshRequest()
            instanceOwner.instance.serveAsyncWork()
        }
    }
}
