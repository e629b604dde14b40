import Dispatch

/// What is given turns where it belongs: a realm instance, as other threads know it.
protocol TurnTaker: AnyObject, Sendable {
    /// A turn.
    func serve()
    /// Called instead, on any thread, if the thread that was to give the turn has ended.
    func threadEnded()
}

/// How others ask a realm instance to look for new versions.
///
/// Thread-safe; requests that have not been carried out yet are merged by the instance.
enum Scheduler: Sendable {
    /// The main queue, or the run loop of another thread.
    case turns(TurnQueue)
    case queue(ServedQueue)
    case actor(ActorIdentity)
    /// The instance refreshes by hand: that of a thread on which nobody listens, or a frozen one.
    case none

    /// The scheduler of an instance that nobody observes yet. A run loop is only asked for when somebody does: it costs
    /// descriptors, and most threads never run it.
    init(_ confinement: Confinement, _ queue: DispatchQueue?) {
        switch confinement {
        case .main: self = .turns(.main)
        case .queue: self = queue.map { .queue(.of($0)) } ?? .none
        case .actor(let identity): self = .actor(identity)
        case .thread, .none: self = .none
        }
    }

    /// Has an instance served where it belongs, later.
    func schedule(_ taker: any TurnTaker) {
        switch self {
        case .turns(let turns): turns.request(taker)
        case .queue(let queue): queue.async { [weak taker] in taker?.serve() }
        case .actor(let identity):
            guard let actor = identity.actor else { return }
            // Neither is kept alive by a turn that has not come.
            Task.detached { [weak actor, weak taker] in
                if let actor, let taker { await Scheduler.serve(taker, on: actor) }
            }
        case .none: break
        }
    }

    private static func serve(_ taker: any TurnTaker, on actor: isolated any Actor) { taker.serve() }
}
