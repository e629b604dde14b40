import Dispatch

extension ObjectBase {
    /// Observes the object at a pace: the block runs as often as the pacing says, with all changes since the last call.
    ///
    /// The changes are those of ``observe(keyPaths:_:)-([String]?,_)``, with the live object. ``PropertyChange/oldValue`` is the value
    /// at the last call, also of changes by this realm instance, and ``PropertyChange/newValue`` the one that the object has.
    ///
    /// - Parameters:
    ///   - keyPaths: the key paths to watch, by name; nil or empty for all properties. An unknown one traps.
    ///   - pacing: how often the block is called.
    ///   - block: the closure to call. `T` is the object's class or one of its superclasses.
    /// - Returns: a token that keeps the observation alive.
    /// - Precondition: The object is managed, not frozen and not invalidated, and no write transaction is open that has made
    ///   changes.
    public final func observe<T: ObjectBase>(
        keyPaths: [String]? = nil, pacing: Realm.Pacing, _ block: @escaping (ObjectChange<T>) -> Void
    ) -> NotificationToken {
        .paced(pacing, block) { _observe(keyPaths, on: nil, calling: $0) }
    }

    /// Observes key paths of the object at a pace; see ``observe(keyPaths:pacing:_:)-([String]?,_,_)``.
    ///
    /// - Precondition: Each key path leads to a persisted property.
    public final func observe<T: ObjectBase>(
        keyPaths: [PartialKeyPath<T>], pacing: Realm.Pacing, _ block: @escaping (ObjectChange<T>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths.map { KeyPathName.of($0) }, pacing: pacing, block)
    }

    /// Observes the object at a pace on a serial queue, or in the caller's context if `queue` is nil; see
    /// ``observe(keyPaths:pacing:_:)-([String]?,_,_)``. If the object was deleted when the queue runs the registration, the block
    /// receives ``ObjectChange/deleted`` then.
    @_disfavoredOverload
    public final func observe<T: ObjectBase>(
        keyPaths: [String]? = nil, on queue: DispatchQueue?, pacing: Realm.Pacing,
        _ block: @escaping @Sendable (ObjectChange<T>) -> Void
    ) -> NotificationToken {
        guard let queue else { return observe(keyPaths: keyPaths, pacing: pacing, block) }
        return observe(on: queue, kivoCheckObservable(), block) {
            $0.observe(keyPaths: keyPaths, pacing: pacing, block)
        }
    }

    /// Observes at a pace in the caller's context. This overload is chosen when `nil` is written for the queue.
    public final func observe<T: ObjectBase>(
        keyPaths: [String]? = nil, on queue: Never?, pacing: Realm.Pacing,
        _ block: @escaping (ObjectChange<T>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths, pacing: pacing, block)
    }
}

extension ProjectionObservable {
    /// Observes the projection at a pace: the block runs as often as the pacing says, with all changes since the last call. The changes
    /// are those of ``observe(keyPaths:_:)-([String]?,_)``, with the values at the last call as old ones.
    ///
    /// - Parameters:
    ///   - keyPaths: key paths of the *root*, by name, that the projection shows. Nil or empty for all.
    ///   - pacing: how often the block is called.
    ///   - block: the closure to call.
    /// - Returns: a token that keeps the observation alive.
    /// - Precondition: The root is managed, not frozen and not invalidated, and no write transaction is open that has made
    ///   changes.
    public func observe(
        keyPaths: [String]? = nil, pacing: Realm.Pacing, _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        .paced(pacing, block) { _observe(keyPaths, on: nil, calling: $0) }
    }
}
