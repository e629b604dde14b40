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
