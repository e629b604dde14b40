extension ProjectionObservable {
    /// Observes the projection on an actor: the block runs there, with a projection of the actor's realm.
    ///
    /// It receives the changes of ``observe(keyPaths:_:)-([String]?,_)``. The observation has begun when this returns. The token
    /// keeps the observation and the actor alive: an actor that stores a token of itself lives until the token is invalidated.
    ///
    /// - Parameters:
    ///   - keyPaths: key paths of the *root*, by name, that the projection shows; nil or empty for all. Traps on a key path that
    ///   no property shows.
    ///   - actor: the actor to deliver on; it can be a global one, for example `MainActor.shared`.
    ///   - _isolation: the isolation of the caller; do not pass it.
    ///   - block: the closure to call. Its first argument is the actor, isolated, so that it can use the actor's state.
    /// - Returns: a token that keeps the observation alive. It is invalid, and nothing is observed, if the task was cancelled or
    ///   the root was deleted meanwhile.
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
