extension ProjectionObservable {
    /// Observes the projection on an actor: the block is called there, with a projection of the actor's realm.
    ///
    /// What is told of is that of ``observe(keyPaths:_:)-([String]?,_)``. The observation has begun when this returns.
    /// The token keeps it alive, and with it the actor: an actor that keeps a token of itself lives until that is
    /// invalidated.
    ///
    /// - Parameters:
    ///   - keyPaths: key paths of the *root*, by name, that the projection shows; nil or empty for all. One that no property
    ///     shows traps.
    ///   - actor: the actor to deliver on; also a global one, such as `MainActor.shared`.
    ///   - _isolation: where the caller runs; not to be passed.
    ///   - block: what to call. It is given the actor, isolated, so that it may use what belongs to it.
    /// - Returns: a token that keeps the observation alive. It is invalid if the task has been cancelled, or the root was
    ///   deleted meanwhile: nothing is observed then.
    ///
    /// Traps if the root is unmanaged, frozen or invalidated, or inside of a write transaction that has made changes.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, ObjectChange<Self>) -> Void
    ) async -> NotificationToken {
        let instance = rootObject.kivoCheckObservable()
        _ = ProjectionInfo.of(type(of: self)).watched(keyPaths)
        return await observe(on: actor, _isolation, in: instance) { projection, actor in
            projection.observe(keyPaths: keyPaths) { (change: ObjectChange<Self>) in actor.call(block, change)
            }
        }
    }

    /// Observes the root's properties that key paths of the projection show, on an actor; see
    /// ``observe(keyPaths:on:_isolation:_:)-([String]?,_,_,_)``. Traps on a key path that shows no persisted property.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Self>], on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, ObjectChange<Self>) -> Void
    ) async -> NotificationToken {
        await observe(
            keyPaths: keyPaths.flatMap { Self._rootKeyPaths($0) }, on: actor, _isolation: _isolation, block)
    }
}

extension RealmCollection where Element: ProjectionObservable {
    /// Observes the roots' properties that key paths of the projections show, on an actor; see
    /// ``RealmCollection/observe(keyPaths:on:_isolation:_:)-([String]?,_,_,_)``. Traps on a key path that shows no persisted
    /// property.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Element>], on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmCollectionChange<Self>) -> Void
    ) async -> NotificationToken {
        await observe(
            keyPaths: keyPaths.flatMap { Element._rootKeyPaths($0) }, on: actor, _isolation: _isolation, block
        )
    }
}
