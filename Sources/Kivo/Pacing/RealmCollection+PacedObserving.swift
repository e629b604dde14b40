import Dispatch

extension RealmCollection {
    /// Observes the collection at a pace: one `.initial`, then an `.update` as often as the pacing says, with everything that changed
    /// since the last call.
    ///
    /// The changes are those of ``observe(keyPaths:_:)-([String]?,_)``, except that their collection is frozen: positions lead to it,
    /// also when the live collection has moved on. It can be read until the next call, for example by a table view, and on any
    /// thread. Only if the object that owned the collection was deleted is it the live collection, which is then invalidated.
    ///
    /// A write with ``Realm/write(withoutNotifying:_:)`` first calls the observer with what it holds. If a transaction was begun with
    /// ``Realm/beginWrite()``, call ``NotificationToken/deliverNow()`` before: otherwise an observer that holds changes receives those of
    /// the transaction together with them.
    ///
    /// - Parameters:
    ///   - keyPaths: the key paths of elements to watch, by name; nil or empty for no filter. An unknown one traps.
    ///   - pacing: how often the block is called.
    ///   - block: the closure to call.
    /// - Returns: a token that keeps the observation alive. It can pause the observation, and deliver at once.
    /// - Complexity: O(1) to register. An update costs O(log n) for each element that changed since the last call; changes that are
    ///   held cost nothing meanwhile.
    /// - Precondition: The collection is managed and not frozen, and no write transaction is open that has made changes.
    public func observe(
        keyPaths: [String]? = nil, pacing: Realm.Pacing,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        .paced(pacing, { (change: RealmCollectionChange<Self>) in block(change.frozen) }) {
            _observe(keyPaths, on: nil, calling: $0)
        }
    }

    /// Observes the collection at a pace on a serial queue, or in the caller's context if `queue` is nil; see
    /// ``observe(keyPaths:pacing:_:)-([String]?,_,_)``. Nothing is observed if the collection no longer exists when the queue runs the
    /// registration.
    ///
    /// - Complexity: That of the overload without a queue.
    @_disfavoredOverload
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue?, pacing: Realm.Pacing,
        _ block: @escaping @Sendable (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        guard let queue else { return observe(keyPaths: keyPaths, pacing: pacing, block) }
        return observe(on: queue, in: observableInstance) {
            $0.observe(keyPaths: keyPaths, pacing: pacing, block)
        }
    }

    /// Observes at a pace in the caller's context. This overload is chosen when `nil` is written for the queue.
    ///
    /// - Complexity: That of the overload without a queue.
    public func observe(
        keyPaths: [String]? = nil, on queue: Never?, pacing: Realm.Pacing,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths, pacing: pacing, block)
    }

    /// Observes the collection at a pace on an actor; see ``observe(keyPaths:pacing:_:)-([String]?,_,_)`` and
    /// ``observe(keyPaths:on:_isolation:_:)-([String]?,_,_,_)``.
    ///
    /// - Complexity: That of the overload without an actor.
    public func observe<A: Actor>(
        keyPaths: [String]? = nil, on actor: A, pacing: Realm.Pacing,
        _isolation: isolated (any Actor)? = #isolation,
        _ block: @Sendable @escaping (isolated A, RealmCollectionChange<Self>) -> Void
    ) async -> NotificationToken {
        await observe(on: actor, _isolation, in: observableInstance) { collection, actor in
            collection.observe(keyPaths: keyPaths, pacing: pacing) { actor.call(block, $0) }
        }
    }
}

extension RealmCollection where Element: ObjectBase {
    /// Observes key paths of the elements at a pace; see ``observe(keyPaths:pacing:_:)-([String]?,_,_)``.
    ///
    /// - Complexity: That of the overload with names.
    /// - Precondition: The key paths pass only through persisted properties.
    public func observe(
        keyPaths: [PartialKeyPath<Element>], pacing: Realm.Pacing,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths.map { KeyPathName.of($0) }, pacing: pacing, block)
    }
}

extension RealmKeyedCollection {
    /// Observes the map at a pace: one `.initial`, then an `.update` as often as the pacing says, with everything that changed since
    /// the last call. The changes are those of ``observe(keyPaths:_:)``, with a frozen map.
    ///
    /// For what else holds see ``RealmCollection/observe(keyPaths:pacing:_:)-([String]?,_,_)``.
    ///
    /// - Parameters:
    ///   - keyPaths: the key paths of objects in the map to watch, by name; nil or empty for no filter. An unknown one traps.
    ///   - pacing: how often the block is called.
    ///   - block: the closure to call.
    /// - Returns: a token that keeps the observation alive.
    /// - Complexity: O(1) to register. An update costs O(log n) for each entry that changed since the last call.
    /// - Precondition: The map is managed, not frozen and not invalidated, and no write transaction is open that has made
    ///   changes.
    public func observe(
        keyPaths: [String]? = nil, pacing: Realm.Pacing, _ block: @escaping (RealmMapChange<Self>) -> Void
    ) -> NotificationToken {
        .paced(pacing, { (change: RealmMapChange<Self>) in block(change.frozen) }) {
            _observe(keyPaths, on: nil, calling: $0)
        }
    }

    /// Observes the map at a pace on a serial queue, or in the caller's context if `queue` is nil; see
    /// ``observe(keyPaths:pacing:_:)``. Nothing is observed if the map no longer exists when the queue runs the registration.
    ///
    /// - Complexity: That of the overload without a queue.
    @_disfavoredOverload
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue?, pacing: Realm.Pacing,
        _ block: @escaping @Sendable (RealmMapChange<Self>) -> Void
    ) -> NotificationToken {
        guard let queue else { return observe(keyPaths: keyPaths, pacing: pacing, block) }
        return observe(on: queue, in: observableInstance) {
            $0.observe(keyPaths: keyPaths, pacing: pacing, block)
        }
    }

    /// Observes at a pace in the caller's context. This overload is chosen when `nil` is written for the queue.
    ///
    /// - Complexity: That of the overload without a queue.
    public func observe(
        keyPaths: [String]? = nil, on queue: Never?, pacing: Realm.Pacing,
        _ block: @escaping (RealmMapChange<Self>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths, pacing: pacing, block)
    }
}

extension RealmSectionedResult {
    /// Observes the sections at a pace: one `.initial`, then an `.update` as often as the pacing says, with everything that changed
    /// since the last call. The changes are those of ``observe(keyPaths:_:)-([String]?,_)``, with frozen sections.
    ///
    /// For what else holds see ``RealmCollection/observe(keyPaths:pacing:_:)-([String]?,_,_)``.
    ///
    /// - Parameters:
    ///   - keyPaths: the key paths of elements to watch, by name; nil or empty for no filter. An unknown one traps.
    ///   - pacing: how often the block is called.
    ///   - block: the closure to call.
    /// - Returns: a token that keeps the observation alive.
    /// - Complexity: O(1) to register. An update costs O(log n) for each element that changed since the last call, and a call of the
    ///   block that returns its key, if there is one. If that block is not `@Sendable`, freezing evaluates the sections.
    /// - Precondition: The sections are not frozen, and no write transaction is open that has made changes.
    public func observe(
        keyPaths: [String]? = nil, pacing: Realm.Pacing,
        _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken {
        .paced(pacing, { (change: SectionedResultsChange<Self>) in block(change.frozen) }) {
            _observe(keyPaths, on: nil, calling: $0)
        }
    }

    /// Observes the sections at a pace on a serial queue, or in the caller's context if `queue` is nil; see
    /// ``observe(keyPaths:pacing:_:)``.
    ///
    /// - Complexity: That of the overload without a queue.
    /// - Precondition: The block that returns the keys may run on another queue.
    @_disfavoredOverload
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue?, pacing: Realm.Pacing,
        _ block: @escaping @Sendable (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken {
        guard let queue else { return observe(keyPaths: keyPaths, pacing: pacing, block) }
        guard let instance = realm?.instance else { trap("Sections have a realm.") }
        instance.checkObservable("A collection")
        return observe(on: queue, in: instance) { $0.observe(keyPaths: keyPaths, pacing: pacing, block) }
    }

    /// Observes at a pace in the caller's context. This overload is chosen when `nil` is written for the queue.
    ///
    /// - Complexity: That of the overload without a queue.
    public func observe(
        keyPaths: [String]? = nil, on queue: Never?, pacing: Realm.Pacing,
        _ block: @escaping (SectionedResultsChange<Self>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths, pacing: pacing, block)
    }
}
