import Dispatch
import KivoEngine

extension Map {
    /// Observes the map: one `.initial`, then an `.update` whenever keys came or went or values were
    /// modified.
    ///
    /// Delivered later, never from inside of a commit, and coalesced: an update is the difference between
    /// what the observer saw last and what it sees now. It follows the operations that were carried out, not
    /// a comparison of contents: putting an equal value is a modification, and a key that was removed and put
    /// again is deleted and inserted. An object that is deleted leaves its key with nil, as a modification.
    /// Without key paths a value counts as modified when its object, or one at most three links away, was;
    /// with key paths, when something they name was. When the owner is deleted all keys are deleted, once.
    ///
    /// From the reference page "React to Changes", "Register a Collection Change Listener".
    ///
    /// - Parameters:
    ///   - keyPaths: the key paths of objects in the map to watch, by name; nil or empty for no filter. An
    ///     unknown one traps.
    ///   - queue: a serial queue to deliver on; nil for the current thread's run loop or queue.
    ///   - block: what to call.
    /// - Returns: a token that keeps the observation alive.
    ///
    /// Traps if the map is unmanaged, frozen or invalidated, and inside of a write transaction that has made
    /// changes.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmMapChange<Map>) -> Void
    ) -> NotificationToken {
        let references = managed("observe")
        let (keys, values) = (references.keys, references.values)
        let instance = keys.instance
        instance.checkObservable("Collection '\(keys.name)'")
        if keys.isInvalidated { keys.trapInvalidated() }
        let filter = values.context.elements.flatMap { KeyPathFilter.make(keyPaths, $0) }
        if let queue {
            let (keys, values) = (keys.handover, values.handover)
            return instance.register(on: queue) { instance in
                let moved = Map(keys: keys(instance), values: values(instance))
                return moved.isInvalidated ? nil : moved.observe(keyPaths: keyPaths, block)
            }
        }
        let listener = CollectionListener(members: keys, values: values, filter) {
            block(RealmMapChange(self, keys, $0))
        }
        return instance.listeners.add(listener, instance)
    }
}

extension RealmMapChange {
    /// Keys that went are read from the version that was seen last, so that nothing of the map needs to be copied.
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
    /// The key at a position of a map's.
    fileprivate init(_ keys: PersistentSequence, at position: Int) {
        guard case .string(let key) = keys.cell(at: position) else {
            fatalError("the keys of maps are strings")
        }
        self.init(_mapKey: key)
    }
}
