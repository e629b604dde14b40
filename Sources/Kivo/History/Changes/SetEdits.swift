import KivoEngine

extension ChangeSet {
    /// The difference between two versions of a set.
    public struct SetEdits: Sendable, Equatable {
        /// The elements that are only in the old set.
        public let removed: Set<Value>
        /// The elements that are only in the new set.
        public let inserted: Set<Value>

        /// Creates edits. Elements that are among both count as unchanged.
        init(removed: Set<Value>, inserted: Set<Value>) {
            self.removed = removed.subtracting(inserted)
            self.inserted = inserted.subtracting(removed)
        }
    }

    /// The difference between two versions of a dictionary.
    public struct DictionaryEdits: Sendable, Equatable {
        /// The difference of one entry.
        public struct Edit: Sendable, Hashable {
            /// The key of the entry.
            public let key: String
            /// The old value, or nil if the key was inserted.
            public let old: Value?
            /// The new value, or nil if the key was removed.
            public let new: Value?
        }

        /// The entries that differ, ascending by the bytes of their keys.
        public let entries: [Edit]

        /// Creates edits from entries in any order, each key once. Entries with equal values are left out.
        init(_ entries: [Edit]) {
            self.entries = entries.filter { $0.old != $0.new }
                .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        }
    }
}

extension ChangeSet.SetEdits {
    var isEmpty: Bool { removed.isEmpty && inserted.isEmpty }
    var inverse: ChangeSet.SetEdits { ChangeSet.SetEdits(removed: inserted, inserted: removed) }

    /// Returns the composition with edits that begin where these end.
    func followed(by next: ChangeSet.SetEdits) -> ChangeSet.SetEdits {
        ChangeSet.SetEdits(
            removed: removed.union(next.removed.subtracting(inserted)),
            inserted: inserted.subtracting(next.removed).union(next.inserted))
    }

    /// Returns the new elements, from the old ones.
    func applied(to old: Set<ChangeSet.Value>) -> Set<ChangeSet.Value> {
        old.subtracting(removed).union(inserted)
    }
}

extension ChangeSet.DictionaryEdits {
    var isEmpty: Bool { entries.isEmpty }
    var inverse: ChangeSet.DictionaryEdits {
        ChangeSet.DictionaryEdits(entries.map { Edit(key: $0.key, old: $0.new, new: $0.old) })
    }

    /// Returns the composition with edits that begin where these end.
    ///
    /// - Complexity: O(n) in the edits of both.
    func followed(by next: ChangeSet.DictionaryEdits) -> ChangeSet.DictionaryEdits {
        ChangeSet.DictionaryEdits(
            merged(entries, next.entries, key: \.key) { first, last in
                Edit(key: first.key, old: first.old, new: last.new)
            })
    }

    /// Returns the new entries, from the old ones.
    func applied(to old: [ChangeSet.Entry]) -> [ChangeSet.Entry] {
        let kept = old.map { Edit(key: $0.key, old: nil, new: $0.value) }
        return merged(kept, entries, key: \.key) { Edit(key: $0.key, old: nil, new: $1.new) }
            .compactMap { edit in edit.new.map { ChangeSet.Entry(key: edit.key, value: $0) } }
    }
}

/// Merges two arrays that ascend by the bytes of a key.
private func merged<Element>(
    _ a: [Element], _ b: [Element], key: (Element) -> String, _ combine: (Element, Element) -> Element
) -> [Element] {
    var result: [Element] = []
    var j = 0
    for element in a {
        while j < b.count, key(b[j]).utf8.lexicographicallyPrecedes(key(element).utf8) {
            result.append(b[j])
            j += 1
        }
        if j < b.count, Cell.haveSameBytes(key(b[j]), key(element)) {
            result.append(combine(element, b[j]))
            j += 1
        } else {
            result.append(element)
        }
    }
    return result + b[j...]
}
