import Dispatch
import KivoEngine

extension RealmCollectionChange {
    /// Inlined where the type of the collection is known; elsewhere each call would look up the type of the change.
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
    public func _observe(
        _ keyPaths: [String]?, on queue: DispatchQueue?,
        calling block: @escaping (RealmCollectionChange<Results<Element>>) -> Void
    ) -> NotificationToken {
        let instance = state.instance
        instance.checkObservable("A collection")
        let keyPaths =
            keyPaths?.isEmpty == false
            ? keyPaths : (Element.self as? any RealmFetchable.Type)?._observedKeyPaths
        let filter = state.elements.flatMap { KeyPathFilter.make(keyPaths, $0) }
        if let queue {
            let state = state.handedOver
            return instance.register(on: queue) {
                Results(state($0))._observe(keyPaths, on: nil, calling: block)
            }
        }
        let listener = state.makeListener(filter) { block(RealmCollectionChange(self, $0)) }
        return instance.listeners.add(listener)
    }
}

extension QueryState {
    /// Returns a listener of the result.
    func makeListener(_ filter: KeyPathFilter?, _ call: @escaping (ViewChange?) -> Void) -> Listener {
        if isWholeTable, let elements { return TableListener(elements, filter, call) }
        return ResultsListener(self, filter, call)
    }
}

extension List {
    public func _observe(
        _ keyPaths: [String]?, on queue: DispatchQueue?,
        calling block: @escaping (RealmCollectionChange<List<Element>>) -> Void
    ) -> NotificationToken {
        managed("observe").observe(keyPaths, on: queue, self, { List($0) }, block)
    }
}

extension MutableSet {
    public func _observe(
        _ keyPaths: [String]?, on queue: DispatchQueue?,
        calling block: @escaping (RealmCollectionChange<MutableSet<Element>>) -> Void
    ) -> NotificationToken {
        managed("observe").observe(keyPaths, on: queue, self, { MutableSet($0) }, block)
    }
}

extension LinkingObjects {
    public func _observe(
        _ keyPaths: [String]?, on queue: DispatchQueue?,
        calling block: @escaping (RealmCollectionChange<LinkingObjects<Element>>) -> Void
    ) -> NotificationToken {
        let target = managed("observe")
        let instance = target.instance
        instance.checkObservable("A collection")
        let filter = KeyPathFilter.make(keyPaths, target.originContext)
        if let queue {
            let handover = LinkTarget.handover(target)
            return instance.register(on: queue) {
                LinkingObjects(handover($0))._observe(keyPaths, on: nil, calling: block)
            }
        }
        let listener = ResultsListener(QueryState(target), filter) { block(RealmCollectionChange(self, $0)) }
        return instance.listeners.add(listener)
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
        return instance.listeners.add(listener)
    }
}
