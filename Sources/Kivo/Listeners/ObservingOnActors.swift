extension ObjectBase {
    /// Observes the object on an actor: the block is called there, with an object of the actor's realm.
    ///
    /// What is told of is that of ``observe(keyPaths:_:)-([String]?,_)``. The observation has begun when this returns.
    /// The token keeps it alive, and with it the actor: an actor that keeps a token of itself lives until that is
    /// invalidated.
    ///
    ///     let token = await todo.observe(on: backgroundActor) { actor, change in actor.note(change) }
    ///
    /// From the reference page "React to Changes", "React to Changes on a Different Actor".
    ///
    /// - Parameters:
    ///   - keyPaths: the key paths to watch, by name; nil or empty for all properties. An unknown one traps.
    ///   - actor: the actor to deliver on; also a global one, such as `MainActor.shared`.
    ///   - _isolation: where the caller runs; not to be passed.
    ///   - block: what to call. It is given the actor, isolated, so that it may use what belongs to it.
    /// - Returns: a token that keeps the observation alive. It is invalid if the task has been cancelled, or the object was
    ///   deleted meanwhile: nothing is observed then.
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
            let context = instance.context(of: info)
            guard instance.table(context.table).contains(key) else { return nil }
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
    /// Observes the collection on an actor: the block is called there, with a collection of the actor's realm.
    ///
    /// What is told of is that of ``RealmCollection/observe(keyPaths:_:)-([String]?,_)``. The observation has begun when this
    /// returns; the first call, with `.initial`, comes later. The token keeps it alive, and with it the actor: an actor that
    /// keeps a token of itself lives until that is invalidated.
    ///
    /// From the reference page "React to Changes", "React to Changes on a Different Actor".
    ///
    /// - Parameters:
    ///   - keyPaths: the key paths of elements to watch, by name; nil or empty for no filter. An unknown one traps.
    ///   - actor: the actor to deliver on; also a global one, such as `MainActor.shared`.
    ///   - _isolation: where the caller runs; not to be passed.
    ///   - block: what to call. It is given the actor, isolated, so that it may use what belongs to it.
    /// - Returns: a token that keeps the observation alive. It is invalid if the task has been cancelled, or the collection
    ///   is gone: nothing is observed then.
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
    /// ``RealmCollection/observe(keyPaths:on:_isolation:_:)-([String]?,_,_,_)``. Traps if one passes through something that
    /// is not persisted.
    public func observe<A: Actor>(
        keyPaths: [PartialKeyPath<Element>], on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmCollectionChange<Self>) -> Void
    ) async -> NotificationToken {
        await observe(
            keyPaths: keyPaths.map { KeyPathName.of($0) }, on: actor, _isolation: _isolation, block)
    }
}

extension RealmKeyedCollection {
    /// Observes the map on an actor: the block is called there, with a map of the actor's realm.
    ///
    /// What is told of is that of ``RealmKeyedCollection/observe(keyPaths:_:)``, the rest as for
    /// ``RealmCollection/observe(keyPaths:on:_isolation:_:)-([String]?,_,_,_)``.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil, on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmMapChange<Self>) -> Void
    ) async -> NotificationToken {
        await observe(on: actor, _isolation, in: observableInstance) { map, actor in
            map.observe(keyPaths: keyPaths) { actor.call(block, $0) }
        }
    }

    /// Observes key paths of the objects on an actor; see ``observe(keyPaths:on:_isolation:_:)-([String]?,_,_,_)``. Traps if
    /// one passes through something that is not persisted.
    public func observe<A: Actor, T: ObjectBase>(
        keyPaths: [PartialKeyPath<T>], on actor: A, _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmMapChange<Self>) -> Void
    ) async -> NotificationToken where Value == T? {
        await observe(
            keyPaths: keyPaths.map { KeyPathName.of($0) }, on: actor, _isolation: _isolation, block)
    }
}

extension ThreadConfined {
    /// The instance of a collection that can be observed here and now; traps if it cannot.
    fileprivate var observableInstance: RealmInstance {
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
