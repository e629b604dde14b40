extension ChangeSet {
    /// Returns the change set with other identities of objects, also where values link to them.
    func renaming(_ identities: [ObjectID: ObjectID]) -> ChangeSet {
        if identities.isEmpty { return self }
        let renamed = byClass.mapValues { changes in
            changes.map { change in
                Change(
                    change.kind, identities[change.object] ?? change.object,
                    change.properties.map { $0.renaming(identities) })
            }
        }
        return ChangeSet(renamed, lineage: lineage)
    }
}

extension ChangeSet.Property {
    fileprivate func renaming(_ identities: [ChangeSet.ObjectID: ChangeSet.ObjectID]) -> ChangeSet.Property {
        func renamed(_ value: ChangeSet.Value) -> ChangeSet.Value { value.renaming(identities) }
        switch edit {
        case .values(let old, let new):
            return ChangeSet.Property(
                name, old: old.map(renamed), new: new.map(renamed), isCollection: isCollection)
        case .list(let edits):
            return ChangeSet.Property(
                name,
                .list(
                    ChangeSet.ListEdits(
                        edits.change, removed: edits.removed.mapValues(renamed),
                        inserted: edits.inserted.mapValues(renamed))))
        case .set(let edits):
            return ChangeSet.Property(
                name,
                .set(
                    ChangeSet.SetEdits(
                        removed: Set(edits.removed.map(renamed)), inserted: Set(edits.inserted.map(renamed))))
            )
        case .dictionary(let edits):
            return ChangeSet.Property(
                name,
                .dictionary(
                    ChangeSet.DictionaryEdits(
                        edits.entries.map {
                            .init(key: $0.key, old: $0.old.map(renamed), new: $0.new.map(renamed))
                        })))
        }
    }
}

extension ChangeSet.Value {
    fileprivate func renaming(_ identities: [ChangeSet.ObjectID: ChangeSet.ObjectID]) -> ChangeSet.Value {
        switch self {
        case .object(let object): .object(identities[object] ?? object)
        case .embedded(let properties): .embedded(properties.mapValues { $0.renaming(identities) })
        case .list(let values): .list(values.map { $0.renaming(identities) })
        case .set(let values): .set(Set(values.map { $0.renaming(identities) }))
        case .dictionary(let entries):
            .dictionary(
                entries.map { ChangeSet.Entry(key: $0.key, value: $0.value.renaming(identities)) })
        default: self
        }
    }
}
