import KivoEngine

/// Each call that changes the map is one change for key-value observers of the property.
extension Map {
    /// Makes a change in either kind of storage, as one change for key-value observers.
    ///
    /// - Parameter ending: Returns the values that are removed.
    private func change(
        ending: (MapReference) -> [Cell] = { _ in [] }, unmanaged: (inout [StoredKey<Key>: Value]) -> Void,
        managed: (WriteTransaction, MapReference) -> Void
    ) {
        if let references {
            let cells = references.keys.property.endsRows ? ending(references) : []
            return references.change(ending: cells) { managed($0, references) }
        }
        parent.changing(.wholesale) {
            // Not read earlier, because an observer that is notified before the change may have changed the map.
            guard case .unmanaged(var entries) = storage else { return }
            storage = .unmanaged([:])
            unmanaged(&entries)
            storage = .unmanaged(entries)
        }
    }

    /// Returns the cells of values to insert. Adds unmanaged objects to the realm. Traps outside of a write, and on keys that
    /// contain `.` or begin with `$`.
    ///
    /// - Parameter isKeeping: Whether a value may be the embedded object that its key already has.
    private func cells(_ entries: [Entry], isKeeping: Bool) -> [(key: String, value: Cell)] {
        for (key, _) in entries { MapReference.checkKey(key._mapKey) }
        guard let references else { return [] }
        _ = references.keys.requireTransaction()
        return entries.map { key, value in
            let held = { isKeeping ? references.value(key._mapKey) ?? .null : .null }
            return (key._mapKey, references.values.cell(value, keeping: held()))
        }
    }

    /// Sets the values of keys, as one change.
    func put(_ entries: [Entry]) {
        if entries.isEmpty { return }
        var entries = entries
        if let references, Value.self == AnyRealmValue.self {
            for (key, _) in entries { MapReference.checkKey(key._mapKey) }
            _ = references.keys.requireTransaction()
            entries.removeAll { references.refillAny($0.value as! AnyRealmValue, at: $0.key._mapKey) }
            if entries.isEmpty { return }
        }
        let cells = cells(entries, isKeeping: true)
        change { references in
            cells.compactMap { key, value in references.value(key).flatMap { $0 == value ? nil : $0 } }
        } unmanaged: { stored in
            for (key, value) in entries { stored[StoredKey(key)] = value }
        } managed: { transaction, references in
            references.put(cells, transaction)
        }
    }

    /// Sets the value of a key, even to an equal one.
    ///
    /// - Complexity: O(log n) in a managed map, O(1) on average in an unmanaged one.
    /// - Precondition: A managed map is in a write transaction. No key contains `.` or begins with `$`.
    public func updateValue(_ value: Value, forKey key: Key) {
        if let references, references.putDirectly(value, key._mapKey) { return }
        put([(key: key, value: value)])
    }

    /// Removes the entry of a key, if there is one.
    ///
    /// - Complexity: O(log n) in a managed map, O(1) on average in an unmanaged one.
    /// - Precondition: A managed map is in a write transaction.
    public func removeObject(for key: Key) {
        if let references { _ = references.keys.requireTransaction() }
        let text = key._mapKey
        guard references.map({ $0.value(text) != nil }) ?? (self[key] != nil) else { return }
        change { references in
            [references.value(text)].compactMap { $0 }
        } unmanaged: {
            $0[StoredKey(key)] = nil
        } managed: { transaction, references in
            let (position, isEqual) = references.keys.sequence.lowerBound(.string(text))
            if isEqual { references.remove(at: position, transaction) }
        }
    }

    /// Removes all entries.
    ///
    /// - Complexity: O(n).
    /// - Precondition: A managed map is in a write transaction.
    public func removeAll() {
        if let references { _ = references.keys.requireTransaction() }
        if isEmpty { return }
        change {
            $0.values.endingElements
        } unmanaged: {
            $0 = [:]
        } managed: { transaction, references in
            references.removeAll(transaction)
        }
    }

    /// Inserts the entries of a sequence; `combine` chooses between two values of one key.
    ///
    /// - Complexity: O(k (log n + log k)) in a managed map, O(k log k) on average in an unmanaged one; k is the number of given
    ///   entries.
    /// - Precondition: A managed map is in a write transaction. No key contains `.` or begins with `$`.
    public func merge<S: Swift.Sequence>(
        _ sequence: S, uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows where S.Element == (key: Key, value: Value) {
        var merged: [StoredKey<Key>: Value] = [:]
        for (key, value) in sequence {
            if let current = merged[StoredKey(key)] ?? self[key] {
                merged[StoredKey(key)] = try combine(current, value)
            } else {
                merged[StoredKey(key)] = value
            }
        }
        put(merged.sorted { $0.key < $1.key }.map { (key: $0.key.key, value: $0.value) })
    }

    /// Assigns the entries of another map, which may be this one.
    @usableFromInline
    func assign(_ other: Map) {
        if self == other {
            return change { _ in
            } managed: { _, _ in
            }
        }
        let entries = other.entries
        let cells = cells(entries, isKeeping: false)
        change {
            $0.values.endingElements
        } unmanaged: {
            $0 = Self.stored(entries)
        } managed: { transaction, references in
            references.removeAll(transaction)
            references.put(cells, transaction)
        }
    }

    /// Returns entries in the form in which an unmanaged map stores them.
    static func stored(_ entries: [Entry]) -> [StoredKey<Key>: Value] {
        Dictionary(entries.map { (StoredKey($0.key), $0.value) }, uniquingKeysWith: { first, _ in first })
    }
}
