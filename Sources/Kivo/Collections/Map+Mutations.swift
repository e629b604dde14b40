import KivoEngine

/// Each call that changes something is one change for key-value observers of the property.
extension Map {
    /// Carries out a change on whichever storage there is, as one change for key-value observers.
    private func change(
        unmanaged: (inout [Key: Value]) -> Void,
        managed: (WriteTransaction, (keys: CollectionReference, values: CollectionReference)) -> Void
    ) {
        if let references { return references.keys.change(.wholesale) { managed($0, references) } }
        parent.changing(.wholesale) {
            // Only now: observers may have changed the map before its change.
            guard case .unmanaged(var entries) = storage else { return }
            storage = .unmanaged([:])
            unmanaged(&entries)
            storage = .unmanaged(entries)
        }
    }

    /// The cells of values that are to be put in; unmanaged objects are added to the realm. Traps outside of a write, and
    /// on keys that contain `.` or begin with `$`.
    private func cells(_ entries: [Entry]) -> [(key: String, value: Cell)] {
        for (key, _) in entries where key._mapKey.contains(".") || key._mapKey.hasPrefix("$") {
            trap("'\(key._mapKey)' is no key of a map: keys do not contain '.' or begin with '$'.")
        }
        guard let references else { return [] }
        _ = references.keys.requireTransaction()
        return entries.map { ($0.key._mapKey, $0.value._elementCell(references.values.context)) }
    }

    private static func put(
        _ cells: [(key: String, value: Cell)], _ transaction: WriteTransaction,
        _ references: (keys: CollectionReference, values: CollectionReference)
    ) {
        for (key, value) in cells {
            references.values.checkElement(value)
            let (position, isEqual) = references.keys.sequence.lowerBound(.string(key))
            if isEqual {
                transaction.replaceElement(value, at: position, in: references.values.id)
            } else {
                transaction.insertElement(.string(key), at: position, into: references.keys.id)
                transaction.insertElement(value, at: position, into: references.values.id)
            }
        }
    }

    /// Sets the values of keys, as one change.
    func put(_ entries: [Entry]) {
        if entries.isEmpty { return }
        let cells = cells(entries)
        change { stored in
            for (key, value) in entries { stored[key] = value }
        } managed: { transaction, references in
            Self.put(cells, transaction, references)
        }
    }

    /// Sets the value of a key, also to an equal one. Traps on a key that contains `.` or begins with `$`. O(log n) in a
    /// managed map.
    public func updateValue(_ value: Value, forKey key: Key) { put([(key: key, value: value)]) }

    /// Removes the entry of a key, if there is one. O(log n) in a managed map.
    public func removeObject(for key: Key) {
        if let references { _ = references.keys.requireTransaction() }
        guard self[key] != nil else { return }
        change {
            $0[key] = nil
        } managed: { transaction, references in
            let (position, isEqual) = references.keys.sequence.lowerBound(.string(key._mapKey))
            guard isEqual else { return }
            transaction.removeElement(at: position, from: references.keys.id)
            transaction.removeElement(at: position, from: references.values.id)
        }
    }

    /// Removes all entries. O(n).
    public func removeAll() {
        if let references { _ = references.keys.requireTransaction() }
        if isEmpty { return }
        change {
            $0 = [:]
        } managed: { transaction, references in
            transaction.removeAllElements(from: references.keys.id)
            transaction.removeAllElements(from: references.values.id)
        }
    }

    /// Takes over the entries of a sequence; `combine` decides between two values of one key.
    public func merge<S: Swift.Sequence>(
        _ sequence: S, uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows where S.Element == (key: Key, value: Value) {
        var merged: [Key: Value] = [:]
        for (key, value) in sequence {
            if let current = merged[key] ?? self[key] {
                merged[key] = try combine(current, value)
            } else {
                merged[key] = value
            }
        }
        put(merged.sorted { $0.key < $1.key })
    }

    /// Whole assignment: the entries are replaced by those of another map, which may be this one.
    func assign(_ other: Map) {
        if self == other {
            return change { _ in
            } managed: { _, _ in
            }
        }
        let entries = other.entries
        let cells = cells(entries)
        change {
            $0 = Dictionary(entries.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
        } managed: { transaction, references in
            transaction.removeAllElements(from: references.keys.id)
            transaction.removeAllElements(from: references.values.id)
            Self.put(cells, transaction, references)
        }
    }
}
