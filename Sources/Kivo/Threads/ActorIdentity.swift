import KivoObserving

/// The identity of an actor, which does not keep the actor alive. An actor that has been deallocated is equal to no other, even
/// if a new actor occupies its address.
///
/// The memory of the actor and of its executor stays allocated as long as this object exists. Code that compares executors by
/// address therefore takes no other executor for the actor's.
///
/// Thread-safe: the weak reference is set once, and loading it is atomic; the unowned ones are never loaded.
final class ActorIdentity: @unchecked Sendable {
    private(set) weak var actor: (any Actor)?
    private let address: ObjectIdentifier
    /// References that keep the memory allocated, but not the objects alive.
    private unowned let actorMemory: any Actor
    private unowned let executorMemory: AnyObject
    private let executor: ExecutorIdentity

    init(_ actor: any Actor) {
        self.actor = actor
        address = ObjectIdentifier(actor)
        actorMemory = actor
        executorMemory = ExecutorIdentity.object(of: actor.unownedExecutor) ?? actor
        executor = ExecutorIdentity(actor.unownedExecutor)
    }

    /// Whether this code is known to run on the actor. False if only a check that ends the program on failure could find out.
    var isCurrent: Bool { executor.runsCurrentJob ?? isSaidToBeCurrent }

    /// Returns whether this code runs on the actor. If that is unknown, the actor's executor decides, and ends the program with
    /// the reason if the code does not run on the actor.
    func isCurrent(orTrap reason: @autoclosure () -> String) -> Bool {
        if let isKnown = executor.runsCurrentJob { return isKnown }
        if isSaidToBeCurrent { return true }
        guard let actor else { return false }
        actor.preconditionIsolated(reason())
        return true
    }

    /// Whether the executor can be asked, and says that code of the actor runs.
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
