import Dispatch
import KivoEngine

extension RealmCollectionChange {
    /// Inlined where the type of the collection is known: elsewhere the type of the change would be looked up on each call.
    @inline(__always)
    init(_ collection: CollectionType, _ change: ViewChange?) {
        if let change {
            self = .update(
                collection, deletions: change.deletions, insertions: change.insertions,
                modifications: change.modifications)
        } else {
            self = .initial(collection)
        }
    }
}

extension Results {
    /// Observes the results: one `.initial`, then an `.update` whenever elements came, went, moved or were modified.
    ///
    /// Delivered later, never from inside of a commit, and coalesced: an update is the difference between what the
    /// observer saw last and what it sees now. Without key paths an element counts as modified when it, or an object at
    /// most three links away, was; with key paths, when something they name was.
    ///
    /// From the reference page "React to Changes", "Register a Collection Change Listener".
    ///
    /// - Parameters:
    ///   - keyPaths: the key paths of elements to watch, by name; nil or empty for no filter. An unknown one traps.
    ///   - queue: a serial queue to deliver on; nil for the current thread's run loop or queue.
    ///   - block: what to call.
    /// - Returns: a token that keeps the observation alive.
    ///
    /// Traps on frozen results, and inside of a write transaction that has made changes.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<Results<Element>>) -> Void
    ) -> NotificationToken {
        let instance = state.instance
        instance.checkObservable("A collection")
        let keyPaths =
            keyPaths?.isEmpty == false
            ? keyPaths : (Element.self as? any RealmFetchable.Type)?._observedKeyPaths
        let filter = state.elements.flatMap { KeyPathFilter.make(keyPaths, $0) }
        if let queue {
            let state = state.handedOver
            return instance.register(on: queue) { Results(state($0)).observe(keyPaths: keyPaths, block) }
        }
        let listener = state.makeListener(filter) { block(RealmCollectionChange(self, $0)) }
        return instance.listeners.add(listener, instance)
    }

    /// Observes key paths of the elements; see ``observe(keyPaths:on:_:)-([String]?,_,_)``.
    public func observe(
        keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<Results<Element>>) -> Void
    ) -> NotificationToken where Element: ObjectBase {
        observe(keyPaths: keyPaths.map { KeyPathName.of($0) }, on: queue, block)
    }
}

extension QueryState {
    /// A listener of the result.
    func makeListener(_ filter: KeyPathFilter?, _ call: @escaping (ViewChange?) -> Void) -> Listener {
        if isWholeTable, let elements { return TableListener(elements, filter, call) }
        return ResultsListener(self, filter, call)
    }
}

extension List {
    /// Observes the list; see ``Results/observe(keyPaths:on:_:)-([String]?,_,_)``.
    ///
    /// The indices follow the operations that were carried out, not a comparison of contents. When the owner is deleted
    /// all elements are deleted, once. Traps if unmanaged.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<List<Element>>) -> Void
    ) -> NotificationToken {
        managed("observe").observe(keyPaths, on: queue, self, { List($0) }, block)
    }

    /// Observes key paths of the elements; see ``observe(keyPaths:on:_:)-([String]?,_,_)``.
    public func observe(
        keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<List<Element>>) -> Void
    ) -> NotificationToken where Element: ObjectBase {
        observe(keyPaths: keyPaths.map { KeyPathName.of($0) }, on: queue, block)
    }
}

extension MutableSet {
    /// Observes the set; see ``Results/observe(keyPaths:on:_:)-([String]?,_,_)``. Traps if unmanaged.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<MutableSet<Element>>) -> Void
    ) -> NotificationToken {
        managed("observe").observe(keyPaths, on: queue, self, { MutableSet($0) }, block)
    }

    /// Observes key paths of the elements; see ``observe(keyPaths:on:_:)-([String]?,_,_)``.
    public func observe(
        keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<MutableSet<Element>>) -> Void
    ) -> NotificationToken where Element: ObjectBase {
        observe(keyPaths: keyPaths.map { KeyPathName.of($0) }, on: queue, block)
    }
}

extension LinkingObjects {
    /// Observes the objects that link here; see ``Results/observe(keyPaths:on:_:)-([String]?,_,_)``. Traps if unmanaged.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<LinkingObjects<Element>>) -> Void
    ) -> NotificationToken {
        let target = managed("observe")
        let instance = target.instance
        instance.checkObservable("A collection")
        let filter = KeyPathFilter.make(keyPaths, target.originContext)
        if let queue {
            let handover = LinkTarget.handover(target)
            return instance.register(on: queue) {
                LinkingObjects(handover($0)).observe(keyPaths: keyPaths, block)
            }
        }
        let listener = ResultsListener(QueryState(target), filter) { block(RealmCollectionChange(self, $0)) }
        return instance.listeners.add(listener, instance)
    }

    /// Observes key paths of the objects that link here; see ``observe(keyPaths:on:_:)-([String]?,_,_)``.
    public func observe(
        keyPaths: [PartialKeyPath<Element>], on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<LinkingObjects<Element>>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths.map { KeyPathName.of($0) }, on: queue, block)
    }
}

extension CollectionReference {
    fileprivate func observe<Collection>(
        _ keyPaths: [String]?, on queue: DispatchQueue?, _ collection: Collection,
        _ make: @escaping (CollectionReference) -> Collection,
        _ block: @escaping (RealmCollectionChange<Collection>) -> Void
    ) -> NotificationToken {
        instance.checkObservable("Collection '\(name)'")
        if isInvalidated { trapInvalidated() }
        let filter = context.elements.flatMap { KeyPathFilter.make(keyPaths, $0) }
        if let queue {
            let handover = self.handover
            return instance.register(on: queue) { instance in
                let moved = handover(instance)
                return moved.isInvalidated ? nil : moved.observe(keyPaths, on: nil, make(moved), make, block)
            }
        }
        let listener = CollectionListener(members: self, values: self, filter) {
            block(RealmCollectionChange(collection, $0?.change))
        }
        return instance.listeners.add(listener, instance)
    }
}
