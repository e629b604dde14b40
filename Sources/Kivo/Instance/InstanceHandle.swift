import KivoEngine
import Synchronization

/// A reference to a realm instance that other threads may hold: they can request a refresh, but not access the instance.
///
/// Thread-safe: the weak reference is set once before the handle is shared and is only loaded where the instance belongs; the
/// flags are atomic.
final class InstanceHandle: Writer, TurnClient, @unchecked Sendable {
    /// The owner of the instance. Only for code that runs where the instance belongs, or that knows that no other code runs there
    /// any more.
    private(set) weak var instanceOwner: InstanceOwner?
    let turns: Turns
    private let confinement: Confinement
    private let threadNumber: UInt64
    private let endedElsewhere = Lock(EndedElsewhere())
    /// Whether `endedElsewhere` holds anything. Read at every refresh and write; set under the lock.
    private let hasEndedElsewhere = Atomic<Bool>(false)

    /// Observers and observations that were released on other threads, on their way to where the instance belongs. They are not
    /// accessed on the way, and no other thread can release the last reference: references to them are counted by hand.
    struct EndedElsewhere: @unchecked Sendable {
        /// Observers that were cancelled, and still hold their listeners.
        fileprivate(set) var registrations: [Registration] = []
        /// Key-value observations that were ended, with a reference to each.
        fileprivate(set) var observations: [Unmanaged<AnyObject>] = []
        /// The observations of managed objects and collections that were released, with a reference to each.
        fileprivate(set) var ended: [Unmanaged<AnyObject>] = []
        /// Retains the handle and its actor until the turn that takes these: the instance may be released before.
        fileprivate var keeper: Keeper?

        fileprivate struct Keeper {
            let handle: InstanceHandle
            let actor: (any Actor)?
        }

        /// Releases everything because the instance is gone or gets no more turns.
        fileprivate func release() {
            for registration in registrations { registration.cancel() }
            for reference in observations + ended { reference.release() }
        }
    }

    init(_ scheduler: Scheduler, _ confinement: Confinement) {
        turns = Turns(scheduler)
        self.confinement = confinement
        threadNumber = confinement.threadNumber
        super.init(isFollower: false)
        turns.attach(self)
    }

    /// Whether this code runs where the instance belongs.
    @inline(__always)
    var isCurrent: Bool { threadNumber == ThreadIdentity.currentNumber || confinement.isCurrent }

    // MARK: Writer

    /// A description of where the instance belongs.
    override var home: String { confinement.home }

    override var isInstance: Bool { true }

    override func requestTurn() { turns.request() }

    /// The queue that the instance belongs to, if it belongs to one other than the main queue.
    private var queue: ServedQueue? {
        if case .queue(let queue) = turns.scheduler { queue } else { nil }
    }

    /// Whether the instance belongs to an actor or a queue, whose end causes no notification.
    override var mayGoUnnoticed: Bool {
        switch confinement {
        case .actor, .queue: true
        default: false
        }
    }

    /// Whether the instance belongs to an actor that is being or has been deallocated, or to a queue to which nothing else
    /// refers.
    override var isGone: Bool { confinement.isGone || queue?.isUnreferenced ?? false }

    /// Rolls back the write that an actor or a queue left open when it was deallocated.
    override func giveUpWrite() {
        guard isGone else { return }
        guard let queue else { return giveUp() }
        // Enqueued behind the blocks that were enqueued before the last reference to the queue was released: these may end the
        // write, or begin another.
        queue.async { [weak self] in
            if let self, isGone { giveUp() }
        }
    }

    private func giveUp() {
        guard let instanceOwner else { return }
        withExtendedLifetime(instanceOwner) { instanceOwner.instance.giveUpWrite() }
    }

    // MARK: Ended elsewhere

    /// Schedules the release of an observer that was cancelled on another thread.
    func leave(registration: Registration) { leave(EndedElsewhere(registrations: [registration])) }

    /// Schedules the release of a key-value observation that was ended on another thread. Takes over the reference.
    func leave(observation: Unmanaged<AnyObject>) { leave(EndedElsewhere(observations: [observation])) }

    /// Schedules the release of the observations of an object or collection that was released on another thread. Takes over the
    /// reference that it held.
    func leave(ended: Unmanaged<AnyObject>) { leave(EndedElsewhere(ended: [ended])) }

    /// Stores what was released on another thread for the next turn. If the actor is gone or the thread has ended, there is no
    /// next turn, and no code that could race: the references are released here.
    private func leave(_ added: EndedElsewhere) {
        let actor: (any Actor)?
        switch turns.scheduler {
        case .none: return added.release()
        case .actor(let identity):
            guard let living = identity.actor else { return added.release() }
            actor = living
        case .turns, .queue: actor = nil
        }
        endedElsewhere.withLock { endedElsewhere in
            endedElsewhere.registrations += added.registrations
            endedElsewhere.observations += added.observations
            endedElsewhere.ended += added.ended
            endedElsewhere.keeper = EndedElsewhere.Keeper(handle: self, actor: actor)
            hasEndedElsewhere.store(true, ordering: .releasing)
        }
        turns.request()
    }

    /// Called when the instance is deallocated. If this code runs elsewhere, `endedElsewhere` still waits for its turn.
    func close() { if isCurrent { takeEndedElsewhere()?.release() } }

    /// Returns what was released on other threads since the last call, or nil if there is nothing.
    ///
    /// - Precondition: This code runs where the instance belongs.
    func takeEndedElsewhere() -> EndedElsewhere? {
        guard hasEndedElsewhere.load(ordering: .acquiring) else { return nil }
        return endedElsewhere.withLock { endedElsewhere in
            defer { endedElsewhere = EndedElsewhere() }
            hasEndedElsewhere.store(false, ordering: .releasing)
            return endedElsewhere
        }
    }

    // MARK: The instance

    func attach(_ instanceOwner: InstanceOwner) { self.instanceOwner = instanceOwner }

    func serveTurn() {
        guard let instanceOwner else {
            takeEndedElsewhere()?.release()
            return
        }
        withExtendedLifetime(instanceOwner) {
            instanceOwner.instance.serveTurn()
            instanceOwner.instance.serveAsyncWork()
        }
    }

    func turnsEnded() { takeEndedElsewhere()?.release() }
}
