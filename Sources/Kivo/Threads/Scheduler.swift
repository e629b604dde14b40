import Dispatch

/// A turn that is scheduled on a run loop, a queue or an actor.
protocol ScheduledTurn: AnyObject, Sendable {
    /// Carries out the turn there.
    func run()
    /// Called instead of ``run()``, on any thread, if the thread that was to run it has ended.
    func threadEnded()
}

/// The means by which other threads ask a realm instance to look for new versions.
///
/// Thread-safe; the instance merges requests that have not been carried out yet.
enum Scheduler: Sendable {
    /// The main queue, or the run loop of another thread.
    case turns(TurnQueue)
    case queue(ServedQueue)
    case actor(ActorIdentity)
    /// No turns: the instance refreshes by hand. It belongs to a thread on which nothing is observed, or it is frozen.
    case none

    /// Creates the scheduler of an instance that is not observed yet. The run loop is looked up only at the first observation: it
    /// costs descriptors, and most threads never run it.
    init(_ confinement: Confinement, _ queue: DispatchQueue?) {
        switch confinement {
        case .main: self = .turns(.main)
        case .queue: self = queue.map { .queue(.of($0)) } ?? .none
        case .actor(let identity): self = .actor(identity)
        case .thread, .none: self = .none
        }
    }

    /// Schedules a turn of an instance where it belongs.
    func schedule(_ turn: any ScheduledTurn) {
        switch self {
        case .turns(let turns): turns.schedule(turn)
        case .queue(let queue): queue.async { [weak turn] in turn?.run() }
        case .actor(let identity):
            guard let actor = identity.actor else { return }
            // A pending turn keeps neither of them alive.
            Task.detached { [weak actor, weak turn] in
                if let actor, let turn { await Scheduler.run(turn, on: actor) }
            }
        case .none: break
        }
    }

    private static func run(_ turn: any ScheduledTurn, on actor: isolated any Actor) { turn.run() }
}
