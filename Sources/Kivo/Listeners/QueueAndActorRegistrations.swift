import Dispatch

extension RealmInstance {
    /// Registers an observer on an actor, in an instance of this realm that belongs to the actor, and returns after the
    /// registration.
    ///
    /// - Parameters:
    ///   - isolation: the isolation of the caller. This function leaves it only to register.
    ///   - register: runs on the actor, in an instance at the newest version. Returns the observation's token, or nil if there is
    ///   nothing to observe.
    /// - Returns: the observation's token; an invalid one if there was nothing to observe or if the task was cancelled.
    func register<A: Actor>(
        on actor: A, _ isolation: isolated (any Actor)?,
        _ register: @escaping (RealmInstance, A) -> NotificationToken?
    ) async -> NotificationToken {
        let work = ActorHandover(store: store, configuration: configuration, register: register)
        return await work.run(on: actor)
    }
}

/// A registration on its way to an actor. Its closure captures the user's block, which afterwards runs only on the actor, and the
/// values by which the actor finds the observed subject. No other thread accesses these values any more.
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
    /// Returns the instance of an actor; creates one if there is none. The caller must be on the actor.
    func instance(of actor: any Actor, _ configuration: Realm.Configuration) -> InstanceOwner {
        let confinement = Confinement.of(actor)
        return instance(confinement) ?? InstanceOwner(RealmInstance(self, configuration, confinement))
    }
}

extension ThreadConfined {
    /// Registers an observer of this value's counterpart on a queue. Nothing is observed if the value no longer exists there.
    ///
    /// - Parameter observe: begins the observation; runs on the queue.
    func observe(
        on queue: DispatchQueue, in instance: RealmInstance,
        _ observe: @escaping (Self) -> NotificationToken
    ) -> NotificationToken {
        let handover = _handover
        return instance.register(on: queue) { handover(Realm($0)).map(observe) }
    }

    /// Registers an observer of this value's counterpart on an actor.
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
        // Only this call has the change, so that it can be transferred to the actor.
        let box = ChangeBox(change: change)
        assumeIsolated { block($0, box.change) }
    }
}

/// A box that carries a change into a closure of the same actor. The value never crosses an isolation boundary.
private struct ChangeBox<Change>: @unchecked Sendable {
    let change: Change
}

extension RealmInstance {
    /// Schedules the registration of an observer on a queue, in an instance of this realm that belongs to the queue.
    ///
    /// - Parameter register: runs on the queue; returns the observation's token, or nil if there is nothing to observe.
    func register(on queue: DispatchQueue, _ register: @escaping (RealmInstance) -> NotificationToken?)
        -> NotificationToken
    {
        let token = NotificationToken(pending: ())
        let work = Handover(
            store: store, configuration: configuration, queue: queue, confinement: .of(queue),
            register: register)
        queue.async { [weak token] in
            guard let token, token.isPending else { return }
            work.run(token)
        }
        return token
    }

    /// A registration on its way to a queue. Its closure captures the user's block, which from then on runs only on the queue,
    /// one call at a time. No other part of it is accessed elsewhere.
    private struct Handover: @unchecked Sendable {
        let store: Store
        let configuration: Realm.Configuration
        let queue: DispatchQueue
        let confinement: Confinement
        let register: (RealmInstance) -> NotificationToken?

        func run(_ token: NotificationToken) {
            let instanceOwner =
                store.instance(confinement)
                ?? InstanceOwner(RealmInstance(store, configuration, confinement, queue))
            defer { withExtendedLifetime(instanceOwner) {} }
            let instance = instanceOwner.instance
            _ = instance.refresh()
            guard let inner = register(instance), let registration = inner.registration else { return }
            if token.begin(instanceOwner, registration) { inner.handOver() } else { inner.invalidate() }
        }
    }
}
