import KivoEngine

extension Realm {
    /// Observes objects and collections together: the block is called once for everything that changed. A table of several sections, or a
    /// screen of several lists, goes from one state of the data to another in one step.
    ///
    ///     token = realm.observe([open, done, shop]) { changes in
    ///         table.performBatchUpdates {
    ///             if let change = changes[open] { apply(change, section: 0) }
    ///             if let change = changes[done] { apply(change, section: 1) }
    ///         }
    ///         if let change = changes[shop] { show(change) }
    ///     }
    ///
    /// The first call has an `.initial` of every collection and nothing of the objects; without a collection there is none. Each later call
    /// has the changes of what differs from the last call; of what happens to an object before the first call, it has only the
    /// deletion. The changes are those of the observers of a single object or collection, except that collections are frozen, all of them at
    /// the version of the call: positions lead to them, also when the live collections have moved on. Only if the object that owned a
    /// collection was deleted is it the live one, which is then invalidated. Silent writes and pauses are for all of them; a paced observer
    /// is called with what it holds before a silent write.
    ///
    /// - Parameters:
    ///   - values: the objects, collections, maps and sectioned results. If there are none, the block is never called.
    ///   - keeping: whether the changes have the collections of before; see `RealmChanges.previous(of:)`.
    ///   - pacing: how often the block is called.
    ///   - block: the closure to call.
    /// - Returns: a token that keeps the observation alive.
    /// - Complexity: O(1) to register each value. A call costs what the calls of single observers cost, and O(1) for each value that did not
    ///   change. Results that are read between a commit and its call are evaluated.
    /// - Precondition: The values are managed by this realm, exist and are not frozen, and no write transaction is open that has made
    ///   changes. Sections by themselves, projections and projected collections cannot be observed together with others.
    public func observe(
        _ values: [any ThreadConfined], keeping: Keeping? = nil, pacing: Pacing = .everyTurn,
        _ block: @escaping (RealmChanges) -> Void
    ) -> NotificationToken {
        observeJointly(values, keyPaths: nil, keeping, pacing, block)
    }

    func observeJointly(
        _ values: [any ThreadConfined], keyPaths: [String]?, _ keeping: Keeping?, _ pacing: Pacing,
        _ block: @escaping (RealmChanges) -> Void
    ) -> NotificationToken {
        instance.checkObservable("An object or a collection")
        let members = values.map { value in
            guard let member = value as? any JointlyObservable else {
                trap("A value of type '\(type(of: value))' cannot be observed together with others.")
            }
            guard value.realm?.instance === instance else {
                let owner = value.realm == nil ? "none" : "another one"
                trap(
                    "A realm observes its own objects and collections. A value of type '\(type(of: value))' belongs to \(owner)."
                )
            }
            return member
        }
        if members.isEmpty { return NotificationToken() }
        let recorder = ChangeRecorder(members)
        let parts = recorder.makeListeners(keyPaths, instance.listeners)
        func add(_ call: @escaping (RealmChanges) -> Void) -> NotificationToken {
            let listener = JointListener(parts) { [unowned instance] pending in
                if keeping == .previous { recorder.keep(parts, at: pending.from, of: instance) }
            } _: {
                recorder.take(parts).map(call)
            }
            return instance.listeners.add(listener)
        }
        return pacing == .everyTurn ? add(block) : .paced(pacing, block, add)
    }

    /// The data that an observer is given besides the changes.
    public enum Keeping: Sendable {
        /// The collection of before, in which deleted elements and old values can be read.
        case previous
    }
}

extension RealmCollection {
    /// Observes the collection, and gives the block also the collection as it was before the change, frozen: deleted elements and old
    /// values can be read there, at the old positions.
    ///
    ///     token = dogs.observe(keeping: .previous) { change, previous in
    ///         guard case .update(let dogs, let deletions, _, _) = change, let previous else { return }
    ///         for position in deletions { print("\(previous[position].name) is gone, \(dogs.count) are left") }
    ///     }
    ///
    /// The changes are those of ``observe(keyPaths:pacing:_:)-([String]?,_,_)``. The collection of before is the one to which all
    /// changes so far have led; a silent write counts as one of these. It is nil in the first call. The order of results of objects is
    /// taken over from the observation, and not evaluated.
    ///
    /// - Parameters:
    ///   - keyPaths: the key paths of elements to watch, by name; nil or empty for no filter. An unknown one traps.
    ///   - keeping: what the block is given.
    ///   - pacing: how often the block is called.
    ///   - block: the closure to call.
    /// - Returns: a token that keeps the observation alive.
    /// - Complexity: That of the overload without `keeping`, except that results that are read between a commit and its call are evaluated.
    ///   The old version is kept in memory as long as its collection is.
    /// - Precondition: The collection is managed and not frozen, and no write transaction is open that has made changes.
    public func observe(
        keyPaths: [String]? = nil, keeping: Realm.Keeping, pacing: Realm.Pacing = .everyTurn,
        _ block: @escaping (_ change: RealmCollectionChange<Self>, _ previous: Self?) -> Void
    ) -> NotificationToken {
        observedRealm.observeJointly([self], keyPaths: keyPaths, keeping, pacing) { changes in
            if let change = changes[self] { block(change, changes.previous(of: self)) }
        }
    }

    /// Observes the collection, and gives the block also the moved elements, for list views that animate moves.
    ///
    ///     token = dogs.sorted(by: \.age).observe { change, moves in … }
    ///
    /// The changes are those of ``observe(keyPaths:pacing:_:)-([String]?,_,_)``. A move is a deletion and an insertion of the same element:
    /// both positions are among those of the change too. Lists report moves from the recorded operations. In sorted and filtered results,
    /// elements that were removed and inserted elsewhere count as moved. The moves ascend by ``CollectionMove/to``.
    ///
    /// - Parameters:
    ///   - keyPaths: the key paths of elements to watch, by name; nil or empty for no filter. An unknown one traps.
    ///   - pacing: how often the block is called.
    ///   - block: the closure to call.
    /// - Returns: a token that keeps the observation alive.
    /// - Complexity: That of the overload without moves, except that results that are read between a commit and its call are evaluated.
    /// - Precondition: The collection is managed and not frozen, and no write transaction is open that has made changes.
    public func observe(
        keyPaths: [String]? = nil, pacing: Realm.Pacing = .everyTurn,
        withMoves block: @escaping (_ change: RealmCollectionChange<Self>, _ moves: [CollectionMove]) -> Void
    ) -> NotificationToken {
        observedRealm.observeJointly([self], keyPaths: keyPaths, nil, pacing) { changes in
            if let change = changes[self] { block(change, changes.moves(of: self)) }
        }
    }

    private var observedRealm: Realm {
        guard let realm else {
            trap("An unmanaged collection cannot be observed: add its object to a realm first.")
        }
        return realm
    }
}

extension RealmKeyedCollection {
    /// Observes the map, and gives the block also the map as it was before the change, frozen: as the method of the same name for other
    /// collections.
    ///
    /// - Parameters:
    ///   - keyPaths: the key paths of objects in the map to watch, by name; nil or empty for no filter. An unknown one traps.
    ///   - keeping: what the block is given.
    ///   - pacing: how often the block is called.
    ///   - block: the closure to call.
    /// - Returns: a token that keeps the observation alive.
    /// - Complexity: That of the overload without `keeping`.
    /// - Precondition: The map is managed, not frozen and not invalidated, and no write transaction is open that has made changes.
    public func observe(
        keyPaths: [String]? = nil, keeping: Realm.Keeping, pacing: Realm.Pacing = .everyTurn,
        _ block: @escaping (_ change: RealmMapChange<Self>, _ previous: Self?) -> Void
    ) -> NotificationToken {
        guard let realm else { trap("An unmanaged map cannot be observed: add its object to a realm first.") }
        return realm.observeJointly([self], keyPaths: keyPaths, keeping, pacing) { changes in
            if let change = changes[self] { block(change, changes.previous(of: self)) }
        }
    }
}
