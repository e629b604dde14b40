import KivoEngine
import Synchronization

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

    /// What was let go of elsewhere, on its way to where it belongs. On the way nobody looks into it, nor can anybody be the
    /// last to release it: the references to it are counted by hand.
    struct Left: @unchecked Sendable {
        /// Observers that were cancelled, and hold their listeners still.
        fileprivate(set) var registrations: [Registration] = []
        /// Key-value observations that were ended, with a reference to each.
        fileprivate(set) var observations: [Unmanaged<AnyObject>] = []
        /// The observations of managed objects and collections that were let go of, with a reference to each.
        fileprivate(set) var ended: [Unmanaged<AnyObject>] = []
        /// Keeps the handle and its actor until the turn that takes this: the instance may be gone before.
        fileprivate var keeper: Keeper?

        fileprivate struct Keeper {
            let handle: InstanceHandle
            let actor: (any Actor)?
        }

        /// Releases everything, if the instance is gone, or nobody is there to use it.
        fileprivate func release() {
            for registration in registrations { registration.cancel() }
            for reference in observations + ended { reference.release() }
        }
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

    /// Where the instance belongs, in words.
    var home: String { confinement.home }

    /// The queue that the instance belongs to, if it belongs to one other than the main queue.
    private var queue: ServedQueue? {
        scheduler.withLock { if case .queue(let queue) = $0 { queue } else { nil } }
    }

    /// Whether the instance belongs to an actor or a queue, of whose end nobody is told.
    var mayGoUnnoticed: Bool {
        switch confinement {
        case .actor, .queue: true
        default: false
        }
    }

    /// Whether the instance belongs to an actor that has gone away, or is about to, or to a queue to which nobody else refers.
    var isGone: Bool { confinement.isGone || queue?.isUnreferenced ?? false }

    /// Gives up the write that an actor or a queue which is gone has left open.
    func giveUpWrite() {
        guard isGone else { return }
        guard let queue else { return giveUp() }
        // Behind what was enqueued before nobody referred to the queue: that may end the write, or begin another.
        queue.async { [weak self] in
            if let self, isGone { giveUp() }
        }
    }

    private func giveUp() {
        guard let instanceOwner else { return }
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
        if isNew, isRequested.load(ordering: .acquiring) { schedule() }
    }

    /// Has the instance let go of an observer that was cancelled elsewhere.
    func leave(registration: Registration) { leave(Left(registrations: [registration])) }

    /// Has the instance let go of a key-value observation that was ended elsewhere, with the reference that it is given.
    func leave(observation: Unmanaged<AnyObject>) { leave(Left(observations: [observation])) }

    /// Hands over the observations of what was let go of elsewhere, with the reference that it held.
    func leave(ended: Unmanaged<AnyObject>) { leave(Left(ended: [ended])) }

    /// Keeps what was let go of elsewhere for the next turn. Where nobody will ever give one, because the actor is gone or
    /// the thread has ended, nothing can run any more that it could race with: it is released here.
    private func leave(_ added: Left) {
        let actor: (any Actor)?
        switch scheduler.withLock({ $0 }) {
        case .none: return added.release()
        case .actor(let identity):
            guard let living = identity.actor else { return added.release() }
            actor = living
        case .turns, .queue: actor = nil
        }
        left.withLock { left in
            left.registrations += added.registrations
            left.observations += added.observations
            left.ended += added.ended
            left.keeper = Left.Keeper(handle: self, actor: actor)
            hasLeft.store(true, ordering: .releasing)
        }
        requestRefresh()
    }

    /// Called when the instance is gone. What was left elsewhere waits for its turn still if that is not here.
    func close() { if isCurrent { takeLeft()?.release() } }

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
        schedule()
    }

    private func schedule() { scheduler.withLock { $0 }.schedule(self) }

    /// A turn. Only where the instance belongs.
    func serve() {
        endRequest()
        guard let instanceOwner else {
            takeLeft()?.release()
            return
        }
        withExtendedLifetime(instanceOwner) {
            instanceOwner.instance.serveRefreshRequest()
            instanceOwner.instance.serveAsyncWork()
        }
    }

    /// Called instead of a turn because the thread has ended, or is about to.
    func threadEnded() {
        endRequest()
        takeLeft()?.release()
    }

    /// Has the next request ask for a turn of its own. An exchange, not a store: what happened before a request that was merged
    /// into this one is seen from here on.
    private func endRequest() { _ = isRequested.exchange(false, ordering: .acquiringAndReleasing) }
}
