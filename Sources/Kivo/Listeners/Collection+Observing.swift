import Dispatch
import KivoEngine

extension RealmCollectionChange {
    /// Inlined where the type of the collection is known; elsewhere each call would look up the type of the change.
    @inline(__always)
    init(_ collection: CollectionType, _ change: ViewChange?) {
        if let change {
            self = .update(
                collection, deletions: change.deletions, insertions: change.insertions,
                modifications: change.modificationsOld)
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
        guard let queue else { return listen(keyPaths, collection, block) }
        _ = context.elements.map { KeyPathFilter.make(keyPaths, $0) }
        let handover = self.handover
        return instance.register(on: queue) { instance in
            let moved = handover(instance)
            return moved.listen(keyPaths, make(moved), block)
        }
    }

    /// Registers a listener here. If the owner was deleted meanwhile, the listener is only called once, with the empty collection.
    private func listen<Collection>(
        _ keyPaths: [String]?, _ collection: Collection,
        _ block: @escaping (RealmCollectionChange<Collection>) -> Void
    ) -> NotificationToken {
        let filter = context.elements.flatMap { KeyPathFilter.make(keyPaths, $0) }
        let listener = CollectionListener(members: self, values: self, filter) {
            block(RealmCollectionChange(collection, $0?.change))
        }
        return instance.listeners.add(listener)
    }
}

extension Map {
    public func _observe(
        _ keyPaths: [String]?, on queue: DispatchQueue?,
        calling block: @escaping (RealmMapChange<Map>) -> Void
    ) -> NotificationToken {
        let references = managed("observe")
        let (keys, values) = (references.keys, references.values)
        let instance = keys.instance
        instance.checkObservable("Collection '\(keys.name)'")
        if keys.isInvalidated { keys.trapInvalidated() }
        guard let queue else { return listen(keyPaths, block) }
        _ = values.context.elements.map { KeyPathFilter.make(keyPaths, $0) }
        let (keysHandover, valuesHandover) = (keys.handover, values.handover)
        return instance.register(on: queue) { instance in
            Map(keys: keysHandover(instance), values: valuesHandover(instance)).listen(keyPaths, block)
        }
    }

    /// Registers a listener here. If the owner was deleted meanwhile, the listener is only called once, with the empty map.
    private func listen(
        _ keyPaths: [String]?, _ block: @escaping (RealmMapChange<Map>) -> Void
    ) -> NotificationToken {
        let references = managed("observe")
        let (keys, values) = (references.keys, references.values)
        let filter = values.context.elements.flatMap { KeyPathFilter.make(keyPaths, $0) }
        let listener = CollectionListener(members: keys, values: values, filter) {
            block(RealmMapChange(self, keys, $0))
        }
        return keys.instance.listeners.add(listener)
    }
}

extension RealmMapChange {
    /// Removed keys are read from the version that was seen last, so that no part of the map is copied.
    init(
        _ collection: Collection, _ keys: CollectionReference,
        _ update: (change: ViewChange, old: PersistentSequence)?
    ) {
        guard let (change, old) = update else {
            self = .initial(collection)
            return
        }
        let new = keys.sequence
        self = .update(
            collection, deletions: change.deletions.map { Collection.Key(old, at: $0) },
            insertions: change.insertions.map { Collection.Key(new, at: $0) },
            modifications: change.modifications.map { Collection.Key(new, at: $0) })
    }
}

extension _MapKey {
    /// Creates the key at a position of a map's keys.
    fileprivate init(_ keys: PersistentSequence, at position: Int) {
        guard case .string(let key) = keys.cell(at: position) else {
            fatalError("the keys of maps are strings")
        }
        self.init(_mapKey: key)
    }
}
