import Dispatch

/// The one thread, serial queue or actor that a realm instance belongs to.
enum Confinement: Hashable, Sendable {
    /// The main thread, and whichever thread serves the main queue: after `dispatchMain()`, and behind the first `await`
    /// of an asynchronous `main`, those are others.
    case main
    case thread(ThreadIdentity)
    case queue(QueueIdentity)
    /// Any thread runs jobs of an actor, one after the other.
    case actor(ActorIdentity)
    /// A frozen realm belongs to nobody and can be read everywhere.
    case none

    /// The thread that runs this code, or the main queue.
    static var currentThread: Confinement {
        let thread = ThreadIdentity.current
        return isMain(thread) ? .main : .thread(thread)
    }

    /// The confinement of a realm that is opened here with or without a queue. Traps if the queue is concurrent.
    static func of(_ queue: DispatchQueue?) -> Confinement {
        guard let queue else { return currentThread }
        let identity = QueueIdentity.of(queue)
        return identity == .main ? .main : .queue(identity)
    }

    /// The confinement of a realm of an actor.
    static func of(_ actor: any Actor) -> Confinement {
        ActorIdentity.isMain(actor) ? .main : .actor(ActorIdentity(actor))
    }

    /// Whether this code runs where the realm belongs, as far as it can be told: see ``ActorIdentity/isCurrent``.
    var isCurrent: Bool {
        switch self {
        case .thread(let identity): identity == .current
        case .main: Confinement.isMain(.current)
        case .queue(let identity): QueueIdentity.current == identity
        case .actor(let identity): identity.isCurrent
        case .none: true
        }
    }

    /// Where the realm belongs, in words.
    var home: String {
        switch self {
        case .main: "the main thread"
        case .thread: "another thread"
        case .queue: "a dispatch queue"
        case .actor(let identity): identity.actor.map { "an actor of type \(type(of: $0))" } ?? "an actor"
        case .none: "another thread"
        }
    }

    /// Whether it is that of an actor which has gone away, or is about to.
    var isGone: Bool { if case .actor(let identity) = self { identity.actor == nil } else { false } }

    /// Whether this code runs where the realm belongs. Where that cannot be told, the program ends with a reason if it does
    /// not.
    func isCurrent(orTrap reason: @autoclosure () -> String) -> Bool {
        guard case .actor(let identity) = self else { return isCurrent }
        return identity.isCurrent(orTrap: reason())
    }

    /// The number of the thread that runs only code that may use the realm, or 0 if there is none: any thread may serve a
    /// queue or actor, and something else afterwards.
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
