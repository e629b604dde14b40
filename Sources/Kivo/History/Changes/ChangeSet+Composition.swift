extension ChangeSet {
    /// Returns the change set from the first version of this one to the last version of the next one.
    ///
    /// - Parameter next: A change set that begins with the version with which this one ends.
    /// - Complexity: O(n) in the changes of both. Lists of objects that are inserted in one and modified in the other are copied.
    public func followed(by next: ChangeSet) -> ChangeSet {
        var composed = byClass
        for (name, changes) in next.byClass {
            guard let earlier = composed[name] else {
                composed[name] = changes
                continue
            }
            let merged = ChangeSet.merged(earlier, changes)
            composed[name] = merged.isEmpty ? nil : merged
        }
        var result = self
        result.byClass = composed
        if isEmpty { result.lineage = next.lineage }
        if !isEmpty, !next.isEmpty, lineage != next.lineage { result.lineage = 0 }
        return result
    }

    /// Composes change sets of which each one begins with the version with which the one before it ends. O(n log n) in their changes.
    init(composing parts: [ChangeSet]) {
        var parts = parts
        while parts.count > 1 {
            parts = stride(from: 0, to: parts.count, by: 2).map { index in
                index + 1 < parts.count ? parts[index].followed(by: parts[index + 1]) : parts[index]
            }
        }
        self = parts.first ?? ChangeSet()
    }

    /// The change set that leads back: what was inserted is deleted, and old and new values are exchanged.
    ///
    /// - Complexity: O(n) in the changes.
    public var inverse: ChangeSet {
        var result = self
        result.byClass = byClass.mapValues { $0.map(\.inverse) }
        return result
    }

    /// Returns the changes of the objects of some classes.
    ///
    /// - Parameter classNames: The stored names of the classes.
    public func restricted(toClasses classNames: some Sequence<String>) -> ChangeSet {
        let names = Set(classNames)
        var result = self
        result.byClass = byClass.filter { names.contains($0.key) }
        return result
    }

    /// Returns the changes that a function includes.
    ///
    /// - Complexity: O(n) in the changes.
    public func filter(_ isIncluded: (Change) throws -> Bool) rethrows -> ChangeSet {
        var result = ChangeSet()
        result.lineage = lineage
        for (name, changes) in byClass {
            let included = try changes.filter(isIncluded)
            if !included.isEmpty { result.byClass[name] = included }
        }
        return result
    }

    /// Returns the changes of some properties of the objects of one class. Insertions and deletions stay, with these properties.
    ///
    /// - Parameters:
    ///   - properties: The stored names of properties. An object of which none of them differs is left out.
    ///   - className: The stored name of the class.
    /// - Complexity: O(n) in the changes of the class.
    public func restricted(to properties: some Sequence<String>, ofClass className: String) -> ChangeSet {
        let names = Set(properties)
        let changes = of(className: className).compactMap { change -> Change? in
            let included = change.properties.filter { names.contains($0.name) }
            if change.kind == .modified, included.isEmpty { return nil }
            return Change(change.kind, change.object, included)
        }
        return ChangeSet([className: changes], lineage: lineage)
    }

    /// Merges the changes of a class, which ascend by their objects.
    private static func merged(_ earlier: [Change], _ later: [Change]) -> [Change] {
        var merged: [Change] = []
        merged.reserveCapacity(earlier.count + later.count)
        var (i, j) = (0, 0)
        while i < earlier.count, j < later.count {
            let (a, b) = (earlier[i], later[j])
            if a.object < b.object {
                merged.append(a)
                i += 1
            } else if b.object < a.object {
                merged.append(b)
                j += 1
            } else {
                if let change = a.followed(by: b) { merged.append(change) }
                (i, j) = (i + 1, j + 1)
            }
        }
        return merged + earlier[i...] + later[j...]
    }
}

extension ChangeSet.Change {
    /// The change that leads back.
    fileprivate var inverse: ChangeSet.Change {
        let inverted: Kind =
            switch kind {
            case .inserted: .deleted
            case .deleted: .inserted
            case .modified: .modified
            }
        return ChangeSet.Change(inverted, object, properties.map(\.inverse))
    }

    /// Returns the composition with a later change of the same object; nil if nothing differs.
    fileprivate func followed(by next: ChangeSet.Change) -> ChangeSet.Change? {
        switch (kind, next.kind) {
        case (.inserted, .deleted): return nil
        case (.deleted, .inserted), (.modified, .modified):
            // A value that only one of the two has, because the other was restricted to other properties, is not known to differ.
            let composed = composed(with: next).filter { !$0.isOneSided }
            return composed.isEmpty ? nil : ChangeSet.Change(.modified, next.object, composed)
        case (.inserted, _): return ChangeSet.Change(.inserted, next.object, composed(with: next))
        case (_, .deleted): return ChangeSet.Change(.deleted, object, composed(with: next))
        // No object is inserted that exists, and none is modified that was deleted.
        case (.deleted, .modified), (.modified, .inserted): return next
        }
    }

    private func composed(with next: ChangeSet.Change) -> [ChangeSet.Property] {
        var byName: [String: ChangeSet.Property] = [:]
        for property in properties { byName[property.name] = property }
        for property in next.properties {
            byName[property.name] =
                byName[property.name].map { $0.followed(by: property) } ?? property
        }
        return byName.values.filter { !$0.isEmpty }
    }
}

extension ChangeSet.Property {
    /// Creates the change of a property from two values, of which at most one is nil. Those of a list, set or dictionary become edits
    /// if there are both.
    init(_ name: String, old: ChangeSet.Value?, new: ChangeSet.Value?, isCollection: Bool) {
        (self.name, self.isCollection) = (name, isCollection)
        switch (old, new) {
        case (.list(let old), .list(let new)) where isCollection:
            edit = .list(ChangeSet.ListEdits(from: old, to: new))
        case (.set(let old), .set(let new)) where isCollection:
            edit = .set(ChangeSet.SetEdits(removed: old, inserted: new))
        case (.dictionary(let old), .dictionary(let new)) where isCollection:
            let removal = ChangeSet.DictionaryEdits(old.map { .init(key: $0.key, old: $0.value, new: nil) })
            let insertion = ChangeSet.DictionaryEdits(
                new.map { .init(key: $0.key, old: nil, new: $0.value) })
            edit = .dictionary(removal.followed(by: insertion))
        default: edit = .values(old: old, new: new)
        }
    }

    /// Creates the change of a list, set or dictionary.
    init(_ name: String, _ edit: Edit) { (self.name, self.isCollection, self.edit) = (name, true, edit) }

    /// Whether the values are equal.
    var isEmpty: Bool {
        switch edit {
        case .values(let old, let new): old == new
        case .list(let edits): edits.isEmpty
        case .set(let edits): edits.isEmpty
        case .dictionary(let edits): edits.isEmpty
        }
    }

    /// Whether there is only an old or only a new value.
    fileprivate var isOneSided: Bool {
        if case .values(let old, let new) = edit { old == nil || new == nil } else { false }
    }

    fileprivate var inverse: ChangeSet.Property {
        if case .values(let old, let new) = edit {
            return ChangeSet.Property(name, old: new, new: old, isCollection: isCollection)
        }
        return ChangeSet.Property(name, edit.inverse)
    }

    fileprivate func followed(by next: ChangeSet.Property) -> ChangeSet.Property {
        switch (edit, next.edit) {
        case (.list(let a), .list(let b)): ChangeSet.Property(name, .list(a.followed(by: b)))
        case (.set(let a), .set(let b)): ChangeSet.Property(name, .set(a.followed(by: b)))
        case (.dictionary(let a), .dictionary(let b)):
            ChangeSet.Property(name, .dictionary(a.followed(by: b)))
        case (.values(let old, _), .values(_, let new)):
            ChangeSet.Property(name, old: old, new: new, isCollection: isCollection)
        case (.values(let old, let value?), let edits):
            ChangeSet.Property(name, old: old, new: edits.applied(to: value), isCollection: isCollection)
        case (let edits, .values(let value?, let new)):
            ChangeSet.Property(
                name, old: edits.inverse.applied(to: value), new: new, isCollection: isCollection)
        default: next
        }
    }
}

extension ChangeSet.Property.Edit {
    /// The edits that lead back.
    fileprivate var inverse: ChangeSet.Property.Edit {
        switch self {
        case .values(let old, let new): .values(old: new, new: old)
        case .list(let edits): .list(edits.inverse)
        case .set(let edits): .set(edits.inverse)
        case .dictionary(let edits): .dictionary(edits.inverse)
        }
    }

    /// Returns the new value of a property, from the old one. Returns it unchanged if the edits do not begin with it.
    func applied(to value: ChangeSet.Value) -> ChangeSet.Value {
        switch (self, value) {
        case (.list(let edits), .list(let values)): edits.applied(to: values).map { .list($0) } ?? value
        case (.set(let edits), .set(let values)): .set(edits.applied(to: values))
        case (.dictionary(let edits), .dictionary(let entries)): .dictionary(edits.applied(to: entries))
        case (.values(_, let new?), _): new
        default: value
        }
    }
}
