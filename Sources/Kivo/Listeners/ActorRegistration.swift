extension RealmInstance {
    /// Registers an observer on an actor, in an instance of this realm that belongs to the actor, and returns once it is
    /// registered.
    ///
    /// - Parameters:
    ///   - isolation: where the caller runs, which this function does not leave but to register.
    ///   - register: runs on the actor, in an instance that shows the newest version; returns the observation's token, or
    ///     nil if there is nothing to observe.
    /// - Returns: the observation's token; one that is invalid if there was nothing to observe, or if the task was cancelled.
    func register<A: Actor>(
        on actor: A, _ isolation: isolated (any Actor)?,
        _ register: @escaping (RealmInstance, A) -> NotificationToken?
    ) async -> NotificationToken {
        let work = ActorHandover(store: store, configuration: configuration, register: register)
        return await work.run(on: actor)
    }
}

/// Carries a registration to its actor. The closure captures the user's block, which from then on runs on the actor only, and
/// what its subject is found by, which no other thread looks into any more.
private struct ActorHandover<A: Actor>: @unchecked Sendable {
    let store: Store
    let configuration: Realm.Configuration
    let register: (RealmInstance, A) -> NotificationToken?

    func run(on actor: isolated A) -> NotificationToken {
        if Task.isCancelled { return NotificationToken() }
        let instanceOwner = store.instance(of: actor, configuration)
        defer { withExtendedLifetime(instanceOwner) {} }
        let instance = instanceOwner.instance
        _ = instance.refresh()
        return register(instance, actor) ?? NotificationToken()
    }
}

extension Store {
    /// The instance of an actor, on which the caller must be; one is made if there is none.
    func instance(of actor: any Actor, _ configuration: Realm.Configuration) -> InstanceOwner {
        let confinement = Confinement.of(actor)
        return instance(confinement) ?? InstanceOwner(RealmInstance(self, configuration, confinement))
    }
}

extension ThreadConfined {
    /// Registers an observer of the same value on an actor.
    ///
    /// - Parameter observe: begins the observation; runs on the actor.
    func observe<A: Actor>(
        on actor: A, _ isolation: isolated (any Actor)?, in instance: RealmInstance,
        _ observe: @escaping (Self, A) -> NotificationToken
    ) async -> NotificationToken {
        let handover = _handover
        return await instance.register(on: actor, isolation) { instance, actor in
            handover(Realm(instance)).map { observe($0, actor) }
        }
    }
}

extension Actor {
    /// Calls an observer's block with a change. Only for code that runs on the actor.
    nonisolated func call<Change>(_ block: @Sendable (isolated Self, Change) -> Void, _ change: Change) {
        // Nobody else has the change: it is the actor's from here on.
        let given = Given(change: change)
        assumeIsolated { block($0, given.change) }
    }
}

/// Carries a change across a boundary that is none: whoever makes it and whoever gets it run on one actor.
private struct Given<Change>: @unchecked Sendable {
    let change: Change
}
