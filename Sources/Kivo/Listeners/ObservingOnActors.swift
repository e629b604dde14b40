extension ObjectBase {
    /// Observes the object on an actor: the block runs there, with an object of the actor's realm.
    ///
    /// It receives the changes of ``observe(keyPaths:_:)-([String]?,_)``. The observation has begun when this returns. The token
    /// keeps the observation and the actor alive: an actor that stores a token of itself lives until the token is invalidated.
    ///
    ///     let token = await todo.observe(on: backgroundActor) { actor, change in actor.note(change) }
    ///
    /// From realm-swift's page "React to Changes", "React to Changes on a Different Actor".
    ///
    /// - Parameters:
    ///   - keyPaths: the key paths to watch, by name; nil or empty for all properties. An unknown one traps.
    ///   - actor: the actor to deliver on; it can be a global one, for example `MainActor.shared`.
    ///   - _isolation: the isolation of the caller; do not pass it.
    ///   - block: the closure to call. Its first argument is the actor, isolated, so that it can use the actor's state.
    /// - Returns: a token that keeps the observation alive. It is invalid, and nothing is observed, if the task was cancelled or
    ///   the object was deleted meanwhile. In the latter case the block has received ``ObjectChange/deleted``.
    ///
    /// Traps if the object is unmanaged, frozen or invalidated, or inside of a write transaction that has made changes.
    public final func observe<A: Actor, T: ObjectBase>(
        keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, ObjectChange<T>) -> Void
    ) async -> NotificationToken {
        guard isManaged, let instance = kivoInstance else {
            trap(
                "Only managed objects can be observed: add the object of class '\(Self.className())' to a realm first."
            )
        }
        instance.checkObservable("An object of class '\(kivoContext.info.name)'")
        locateOrTrap()
        _ = KeyPathFilter.make(keyPaths, kivoContext)
        let (info, key) = (kivoContext.info, kivoRow.key)
        return await instance.register(on: actor, _isolation) { instance, actor in
            let context = instance.classes.context(of: info)
            guard instance.table(context.table).contains(key) else {
                actor.call(block, .deleted)
                return nil
            }
            return context.accessor(key).observe(keyPaths: keyPaths) { (change: ObjectChange<T>) in
                actor.call(block, change)
            }
        }
    }

    /// Observes key paths of the object on an actor; see
    /// ``observe(keyPaths:on:_isolation:_:)-([String]?,_,_,_)``.
    ///
    /// Traps on a key path that does not lead to a persisted property.
    public final func observe<A: Actor, T: ObjectBase>(
        keyPaths: [PartialKeyPath<T>], on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, ObjectChange<T>) -> Void
    ) async -> NotificationToken {
        await observe(
            keyPaths: keyPaths.map { KeyPathName.of($0) }, on: actor, _isolation: _isolation, block)
    }
}

extension RealmCollection {
    /// Observes the collection on an actor: the block runs there, with a collection of the actor's realm.
    ///
    /// It receives the changes of ``RealmCollection/observe(keyPaths:_:)-([String]?,_)``. The observation has begun when this
    /// returns; the first call, with `.initial`, follows later. The token keeps the observation and the actor alive: an actor
    /// that stores a token of itself lives until the token is invalidated.
    ///
    /// From realm-swift's page "React to Changes", "React to Changes on a Different Actor".
    ///
    /// - Parameters:
    ///   - keyPaths: the key paths of elements to watch, by name; nil or empty for no filter. An unknown one traps.
    ///   - actor: the actor to deliver on; it can be a global one, for example `MainActor.shared`.
    ///   - _isolation: the isolation of the caller; do not pass it.
    ///   - block: the closure to call. Its first argument is the actor, isolated, so that it can use the actor's state.
    /// - Returns: a token that keeps the observation alive. It is invalid, and nothing is observed, if the task was cancelled or
    ///   the collection no longer exists.
    ///
    /// Traps if the collection is unmanaged, frozen or invalidated, and inside of a write transaction that has made changes.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmCollectionChange<Self>) -> Void
    ) async -> NotificationToken {
        await observe(on: actor, _isolation, in: observableInstance) { collection, actor in
            collection.observe(keyPaths: keyPaths) { actor.call(block, $0) }
        }
    }
}

extension RealmCollection where Element: ObjectBase {
    /// Observes key paths of the elements on an actor; see
    /// ``RealmCollection/observe(keyPaths:on:_isolation:_:)-([String]?,_,_,_)``. Traps if a key path passes through a property
    /// that is not persisted.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Element>], on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmCollectionChange<Self>) -> Void
    ) async -> NotificationToken {
        await observe(
            keyPaths: keyPaths.map { KeyPathName.of($0) }, on: actor, _isolation: _isolation, block)
    }
}

extension RealmKeyedCollection {
    /// Observes the map on an actor: the block runs there, with a map of the actor's realm.
    ///
    /// It receives the changes of ``RealmKeyedCollection/observe(keyPaths:_:)``. Otherwise it behaves like
    /// ``RealmCollection/observe(keyPaths:on:_isolation:_:)-([String]?,_,_,_)``.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmMapChange<Self>) -> Void
    ) async -> NotificationToken {
        await observe(on: actor, _isolation, in: observableInstance) { map, actor in
            map.observe(keyPaths: keyPaths) { actor.call(block, $0) }
        }
    }

    /// Observes key paths of the objects on an actor; see ``observe(keyPaths:on:_isolation:_:)-([String]?,_,_,_)``. Traps if a
    /// key path passes through a property that is not persisted.
    public func observe<A: Actor, T: ObjectBase>(
        keyPaths: [PartialKeyPath<T>], on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmMapChange<Self>) -> Void
    ) async -> NotificationToken where Value == T? {
        await observe(
            keyPaths: keyPaths.map { KeyPathName.of($0) }, on: actor, _isolation: _isolation, block)
    }
}

extension ThreadConfined {
    /// The instance of a collection that can be observed. Traps if the collection cannot be observed in this context.
    var observableInstance: RealmInstance {
        guard let instance = realm?.instance else {
            trap("An unmanaged '\(Self.self)' cannot be observed: add its object to a realm first.")
        }
        instance.checkObservable("A '\(Self.self)'")
        if isInvalidated {
            trap("A '\(Self.self)' cannot be observed: its object was deleted or its realm was invalidated.")
        }
        return instance
    }
}
