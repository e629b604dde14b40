/// Tells actors apart, without keeping them alive: an actor that has gone away is equal to no other, also where a new one
/// lies in its place.
///
/// The places of the actor and of its executor in memory stay taken as long as this is there, so that what compares executors
/// by their addresses takes no other for the actor's.
///
/// Thread-safe: the weak reference is set once, and loading it is atomic; the unowned ones are never loaded.
final class ActorIdentity: @unchecked Sendable {
    private(set) weak var actor: (any Actor)?
    private let address: ObjectIdentifier
    /// Keep the memory, not what is in it.
    private unowned let actorsPlace: any Actor
    private unowned let executorsPlace: AnyObject
    private let executor: ExecutorIdentity

    init(_ actor: any Actor) {
        self.actor = actor
        address = ObjectIdentifier(actor)
        actorsPlace = actor
        executorsPlace = ExecutorIdentity.object(of: actor.unownedExecutor)
        executor = ExecutorIdentity(actor.unownedExecutor)
    }

    /// Whether this code is known to run on the actor. False where nobody can tell without ending the program if it does not.
    var isCurrent: Bool { executor.runsCurrentJob ?? isSaidToBeCurrent }

    /// Whether this code runs on the actor. Where that cannot be told, the actor's executor decides, and ends the program with
    /// the reason if it does not.
    func isCurrent(orTrap reason: @autoclosure () -> String) -> Bool {
        if let isKnown = executor.runsCurrentJob { return isKnown }
        if isSaidToBeCurrent { return true }
        guard let actor else { return false }
        actor.preconditionIsolated(reason())
        return true
    }

    /// Whether an executor that can be asked says that code of the actor runs.
    private var isSaidToBeCurrent: Bool {
        if executor.isDefaultActor { return false }
        #if compiler(>=6.3)
        guard #available(macOS 26.4, iOS 26.4, watchOS 26.4, tvOS 26.4, visionOS 26.4, *) else {
            return false
        }
        return actor?.unownedExecutor.asSerialExecutor()?.isIsolatingCurrentContext() ?? false
        #else
        return false
        #endif
    }

    /// Whether the actor runs where the main actor does.
    static func isMain(_ actor: any Actor) -> Bool {
        ExecutorIdentity(actor.unownedExecutor) == ExecutorIdentity(MainActor.sharedUnownedExecutor)
    }
}

extension ActorIdentity: Hashable {
    static func == (a: ActorIdentity, b: ActorIdentity) -> Bool {
        if a === b { return true }
        guard a.address == b.address, let actor = a.actor else { return false }
        return actor === b.actor
    }

    func hash(into hasher: inout Hasher) { hasher.combine(address) }
}
