import Dispatch
import KivoEngine

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
        let filter = values.context.elements.flatMap { KeyPathFilter.make(keyPaths, $0) }
        if let queue {
            let (keys, values) = (keys.handover, values.handover)
            return instance.register(on: queue) { instance in
                let moved = Map(keys: keys(instance), values: values(instance))
                return moved.isInvalidated ? nil : moved._observe(keyPaths, on: nil, calling: block)
            }
        }
        let listener = CollectionListener(members: keys, values: values, filter) {
            block(RealmMapChange(self, keys, $0))
        }
        return instance.listeners.add(listener)
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
