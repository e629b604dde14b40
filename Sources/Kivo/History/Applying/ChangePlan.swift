import KivoEngine

/// The plan of applying a change set: what is to be written, after all conflicts are resolved. It is made before anything is written,
/// so that a change set that cannot be applied leaves the realm as it was.
struct ChangePlan {
    /// A write to a property.
    enum Write {
        case value(ChangeSet.Value)
        /// Edits of a list that has the elements with which they begin.
        case list(ChangeSet.ListEdits)
        case set(ChangeSet.SetEdits)
        case entries([ChangeSet.DictionaryEdits.Edit])
    }

    /// The change of one object.
    struct Object {
        let id: ChangeSet.ObjectID
        let stored: RowClass
        /// The key of the object; nil if it is to be inserted.
        var key: ObjectKey?
        var writes: [(property: RowProperty, write: Write)] = []
    }

    /// The objects to insert and to modify.
    private(set) var objects: [Object] = []
    private(set) var deletions: [Object] = []
    private(set) var conflicts: [(conflict: ChangeSet.Conflict, resolution: ChangeSet.Resolution)] = []

    private let realm: Realm
    private let policy: ChangeSet.ConflictPolicy
    private let targets: ChangeTargets
    private let values: VersionValues
    /// The classes that the values were read by.
    var classes: StoredClasses { values.classes }

    /// Plans the changes.
    ///
    /// - Throws: ``Realm/Error`` with the code ``Realm/Error/Code/invalidInput`` if the realm does not have a class or a property, or
    ///   if a value does not fit; ``ChangeSet/ConflictError`` if the policy asks for it.
    init(
        _ changes: ChangeSet, _ realm: Realm, _ policy: ChangeSet.ConflictPolicy, _ targets: ChangeTargets
    ) throws {
        (self.realm, self.policy, self.targets) = (realm, policy, targets)
        let instance = realm.instance
        for name in changes.classNames {
            let stored = try targets.stored(name)
            guard !stored.isEmbedded else { throw targets.misfit("class '\(name)' is embedded") }
        }
        values = VersionValues(snapshot: instance.snapshot, classes: StoredClasses(instance.catalog))
        for change in changes.all { try add(change) }
        if case .throw = policy, !conflicts.isEmpty {
            throw ChangeSet.ConflictError(conflicts: conflicts.map(\.conflict))
        }
    }

    /// Notes a conflict. Returns whether the change set prevails.
    private mutating func prevails(_ conflict: ChangeSet.Conflict) -> Bool {
        let resolution: ChangeSet.Resolution =
            switch policy {
            case .throw, .mine: .mine
            case .theirs: .theirs
            case .ask(let ask): ask(conflict)
            }
        conflicts.append((conflict, resolution))
        return resolution == .theirs
    }

    private mutating func add(_ change: ChangeSet.Change) throws {
        let stored = try targets.stored(change.className)
        for property in change.properties { try check(property, stored, of: change.object) }
        guard targets.fitsIdentity(change.object, stored) else {
            throw targets.misfit("class '\(stored.name)' has another primary key")
        }
        let key = try targets.existing(change.object, stored)
        var object = Object(id: change.object, stored: stored, key: key)
        switch (change.kind, key) {
        // An object without a primary key cannot be found in other data.
        case (.deleted, nil) where stored.primaryKey != nil || targets.sharesKeys: return
        case (.deleted, let key?):
            let isChanged = change.properties.contains { property in
                property.old != nil
                    && property.old != values.value(targets.property(property.name, stored)!, key, stored)
            }
            if !isChanged || prevails(ChangeSet.Conflict(.changedObject, change.object)) {
                deletions.append(object)
            }
        case (.modified, nil), (.deleted, nil):
            _ = prevails(ChangeSet.Conflict(.missingObject, change.object))
        case (.inserted, nil):
            object.writes = change.properties.compactMap { property in
                property.new.map { (targets.property(property.name, stored)!, .value($0)) }
            }
            try noteMissingTargets(&object)
            objects.append(object)
        case (.inserted, let key?), (.modified, let key?):
            for property in change.properties {
                let target = targets.property(property.name, stored)!
                let mine = values.value(target, key, stored)
                if let write = write(property, over: mine, change.object) {
                    object.writes.append((target, write))
                }
            }
            try noteMissingTargets(&object)
            if !object.writes.isEmpty { objects.append(object) }
        }
    }

    // MARK: Conflicts of properties

    /// Returns the write to a property of an object that exists; nil if its value stays.
    ///
    /// - Parameter mine: The value that it has.
    private mutating func write(
        _ property: ChangeSet.Property, over mine: ChangeSet.Value, _ object: ChangeSet.ObjectID
    ) -> Write? {
        switch (property.edit, mine) {
        case (.list(let edits), .list(let elements)):
            if edits.begins(with: elements) { return .list(edits) }
            let conflict = ChangeSet.Conflict(.value, object, property.name, mine: mine)
            return prevails(conflict) ? .value(.list(edits.merged(into: elements))) : nil
        case (.set(let edits), .set(let elements)):
            let rest = ChangeSet.SetEdits(
                removed: edits.removed.intersection(elements), inserted: edits.inserted.subtracting(elements))
            return rest.isEmpty ? nil : .set(rest)
        case (.dictionary(let edits), .dictionary(let entries)):
            // By bytes: different keys may be equal as strings.
            let held = Dictionary(uniqueKeysWithValues: entries.map { (Array($0.key.utf8), $0.value) })
            var rest: [ChangeSet.DictionaryEdits.Edit] = []
            for edit in edits.entries {
                let mine = held[Array(edit.key.utf8)]
                if mine == edit.new { continue }
                let conflict = ChangeSet.Conflict(
                    .value, object, property.name, key: edit.key, old: edit.old, mine: mine, theirs: edit.new)
                if mine == edit.old || prevails(conflict) { rest.append(edit) }
            }
            return rest.isEmpty ? nil : .entries(rest)
        case (.values(let old, let new?), _):
            if mine == new { return nil }
            let conflict = ChangeSet.Conflict(
                .value, object, property.name, old: old, mine: mine, theirs: new)
            return mine == old || prevails(conflict) ? .value(new) : nil
        default: return nil
        }
    }

    // MARK: Links

    /// Notes the links of new values that lead to no object. A property keeps its value if the realm prevails; elements of collections
    /// are left out in any case.
    private mutating func noteMissingTargets(_ object: inout Object) throws {
        var writes: [(property: RowProperty, write: Write)] = []
        for (property, write) in object.writes {
            let missing: [ChangeSet.Value] =
                switch write {
                case .value(let value): try targets.missing(in: value)
                case .list(let edits): try edits.inserted.values.flatMap(targets.missing)
                case .set(let edits): try edits.inserted.flatMap(targets.missing)
                case .entries(let edits): try edits.compactMap(\.new).flatMap(targets.missing)
                }
            var isWritten = true
            for target in missing {
                let prevails = prevails(
                    ChangeSet.Conflict(.missingTarget, object.id, property.columnName, theirs: target))
                if !prevails, property.collection == .none { isWritten = false }
            }
            if isWritten { writes.append((property, write)) }
        }
        object.writes = writes
    }

    // MARK: Values that do not fit

    /// Throws unless a property exists and takes the values of a change.
    private func check(
        _ change: ChangeSet.Property, _ stored: RowClass, of object: ChangeSet.ObjectID
    ) throws {
        guard let property = targets.property(change.name, stored),
            change.isCollection == (property.collection != .none)
        else { throw targets.misfit("class '\(stored.name)' has no such property '\(change.name)'") }
        var isFitting = true
        switch (change.edit, property.collection) {
        case (.values(let old, let new), _):
            for value in [old, new] {
                if let value { isFitting = isFitting && targets.fits(value, property, stored) }
            }
            if property.isPrimaryKey, new != nil { isFitting = isFitting && new == object.primaryKey }
        case (.list(let edits), .list):
            isFitting = edits.inserted.values.allSatisfy { targets.fits(element: $0, property, stored) }
        case (.set(let edits), .set):
            isFitting = edits.inserted.allSatisfy { targets.fits(element: $0, property, stored) }
        case (.dictionary(let edits), .map):
            isFitting = edits.entries.allSatisfy { edit in
                RowWriter.isMapKey(edit.key)
                    && edit.new.map { targets.fits(element: $0, property, stored) } ?? true
            }
        default: isFitting = false
        }
        if !isFitting {
            throw targets.misfit("a value does not fit property '\(stored.name).\(change.name)'")
        }
    }
}

extension ChangeSet.ListEdits {
    /// Whether a list has the elements with which the edits begin, as far as they contain them.
    fileprivate func begins(with elements: [ChangeSet.Value]) -> Bool {
        elements.count == oldCount && removed.allSatisfy { elements[$0.key] == $0.value }
    }

    /// Returns the elements of a list that was edited otherwise, with these edits as far as they can be carried out: elements are found
    /// by their values, the nearest ones first, and new elements keep their positions.
    ///
    /// - Complexity: O(n log n) in the elements.
    func merged(into elements: [ChangeSet.Value]) -> [ChangeSet.Value] {
        var kept: [ChangeSet.Value?] = elements
        var positions: [ChangeSet.Value: [Int]] = [:]
        for (position, element) in elements.enumerated() { positions[element, default: []].append(position) }
        func takeNearest(_ value: ChangeSet.Value, to index: Int) -> Int? {
            guard let all = positions[value], !all.isEmpty else { return nil }
            let after = all.partitionPoint { $0 < index }
            let isBefore =
                after == all.count || (after > 0 && index - all[after - 1] < all[after] - index)
            return positions[value]!.remove(at: isBefore ? after - 1 : after)
        }
        for modification in modifications {
            if let position = takeNearest(modification.old, to: modification.oldIndex) {
                kept[position] = modification.new
            }
        }
        for deletion in deletions {
            if let position = takeNearest(deletion.value, to: deletion.index) { kept[position] = nil }
        }
        var rest = kept.compactMap { $0 }[...]
        var merged: [ChangeSet.Value] = []
        for insertion in insertions {
            while merged.count < insertion.index, let element = rest.popFirst() { merged.append(element) }
            merged.append(insertion.value)
        }
        return merged + rest
    }
}
