import Dispatch

/// The one thread, serial queue or actor that a realm instance belongs to.
enum Confinement: Hashable, Sendable {
    /// The main thread, and any thread that serves the main queue. After `dispatchMain()`, and after the first `await` of an
    /// asynchronous `main`, these are other threads.
    case main
    case thread(ThreadIdentity)
    case queue(QueueIdentity)
    /// An actor. Any thread runs its jobs, one after the other.
    case actor(ActorIdentity)
    /// No confinement: a frozen realm can be read on all threads.
    case none

    /// The confinement to the thread that runs this code, or to the main queue.
    static var currentThread: Confinement {
        let thread = ThreadIdentity.current
        return isMain(thread) ? .main : .thread(thread)
    }

    /// Returns the confinement of a realm that is opened here with or without a queue. Traps if the queue is concurrent.
    static func of(_ queue: DispatchQueue?) -> Confinement {
        guard let queue else { return currentThread }
        let identity = QueueIdentity.of(queue)
        return identity == .main ? .main : .queue(identity)
    }

    /// Returns the confinement of a realm of an actor.
    static func of(_ actor: any Actor) -> Confinement {
        ActorIdentity.isMain(actor) ? .main : .actor(ActorIdentity(actor))
    }

    /// Whether this code runs where the realm belongs, as far as that is known: see ``ActorIdentity/isCurrent``.
    var isCurrent: Bool {
        switch self {
        case .thread(let identity): identity == .current
        case .main: Confinement.isMain(.current)
        case .queue(let identity): QueueIdentity.current == identity
        case .actor(let identity): identity.isCurrent
        case .none: true
        }
    }

    /// A description of where the realm belongs.
    var home: String {
        switch self {
        case .main: "the main thread"
        case .thread: "another thread"
        case .queue: "a dispatch queue"
        case .actor(let identity): identity.actor.map { "an actor of type \(type(of: $0))" } ?? "an actor"
        case .none: "another thread"
        }
    }

    /// Whether the realm belongs to an actor that is being or has been deallocated.
    var isGone: Bool { if case .actor(let identity) = self { identity.actor == nil } else { false } }

    /// Returns whether this code runs where the realm belongs. If that is unknown, the actor's executor decides, and ends the
    /// program with the reason if the code runs elsewhere.
    func isCurrent(orTrap reason: @autoclosure () -> String) -> Bool {
        guard case .actor(let identity) = self else { return isCurrent }
        return identity.isCurrent(orTrap: reason())
    }

    /// The number of the thread that runs only code that may use the realm, or 0 if there is none. A queue or actor has none: any
    /// thread may serve it, and run other code afterwards.
    var threadNumber: UInt64 {
        switch self {
        case .thread(let identity): UInt64(identity.number)
        case .main: UInt64(ThreadIdentity.main.number)
        case .queue, .actor, .none: 0
        }
    }

    private static func isMain(_ thread: ThreadIdentity) -> Bool {
        thread == .main || QueueIdentity.isMainCurrent
    }
}

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
