import KivoEngine

extension List {
    /// Registers an observer of the list's `isInvalidated`, the one key that a list itself has; its elements are observed
    /// through the property that holds the list. Any other key traps.
    public func addObserver(
        _ observer: any KeyValueObserver, forKeyPath keyPath: String,
        options: NSKeyValueObservingOptions = [],
        context: UnsafeMutableRawPointer? = nil
    ) {
        guard keyPath == "isInvalidated" || keyPath == "invalidated" else {
            trap(
                "A list can be observed for 'isInvalidated' only: observe '\(keyPath)' through the list's owner."
            )
        }
        let observation = Observation("isInvalidated", options, observer: observer, context: context) {
            [weak observer] subject, record in
            observer?.observeValue(
                forKeyPath: keyPath, of: subject, change: record.dictionary, context: context)
        }
        let observations: Observations
        if let known = parent.listObservations {
            observations = known
        } else {
            let row = reference.map { RowID(table: $0.id.table, key: $0.id.key) }
            observations = Observations(self, reference?.core, row) { subject, _ in
                (subject as? List)?.isInvalidated
            }
            parent.listObservations = observations
        }
        observations.add(observation)
    }

    /// Removes a registration of an observer of `isInvalidated`. Traps if there is none.
    public func removeObserver(_ observer: any KeyValueObserver, forKeyPath keyPath: String) {
        guard let observations = parent.listObservations,
            let observation = observations.entries.last(where: { $0.observer === observer })
        else { trap("Cannot remove an observer of '\(keyPath)' from a list: it is not registered.") }
        observations.remove(observation)
    }
}
