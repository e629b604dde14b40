import KivoEngine
import KivoJournal

/// A builder of a change set from what the engine records of commits: rows, columns and positions, whose values are in the two
/// versions.
///
/// - Complexity: O(changed values); for a list that contains modified embedded objects O(elements of the list).
package struct ChangeSetBuilder {
    private let changes: RowChangeSet
    private let old: VersionValues
    private let new: VersionValues
    private let classes: StoredClasses
    /// The properties that contain modified embedded objects, lists or dictionaries, with the rows of these.
    private var contained: [CollectionID: Set<RowID>] = [:]

    /// Returns the difference of two versions.
    ///
    /// - Parameters:
    ///   - changes: The recorded changes from the old version to the new one, between which no class was migrated.
    ///   - catalog: The tables of the new version.
    ///   - lineage: The number of the data.
    package static func changeSet(
        _ changes: RowChangeSet, from old: Snapshot, to new: Snapshot, _ catalog: Catalog, lineage: UInt64
    ) -> ChangeSet {
        changeSet(changes, from: old, to: new, StoredClasses(catalog), lineage: lineage)
    }

    /// Returns the difference of two versions, with classes that may be known from earlier differences.
    static func changeSet(
        _ changes: RowChangeSet, from old: Snapshot, to new: Snapshot, _ classes: StoredClasses,
        lineage: UInt64
    ) -> ChangeSet {
        if changes.isEmpty { return ChangeSet() }
        var builder = ChangeSetBuilder(changes, old, new, classes)
        builder.findContained()
        return ChangeSet(builder.build(), lineage: lineage)
    }

    private init(_ changes: RowChangeSet, _ old: Snapshot, _ new: Snapshot, _ classes: StoredClasses) {
        self.changes = changes
        self.classes = classes
        self.old = VersionValues(snapshot: old, classes: classes)
        self.new = VersionValues(snapshot: new, classes: classes)
    }

    private var catalog: Catalog { classes.catalog }

    /// Whether the rows of a table are parts of other objects.
    private func isContained(_ table: TableID) -> Bool {
        catalog.tables[table].isEmbedded || catalog.tables[table].container != nil
    }

    // MARK: Embedded objects

    /// Finds the properties that contain modified rows. Rows that were inserted or deleted are in properties that were changed
    /// themselves.
    private mutating func findContained() {
        for table in changes.tables where isContained(table.table) {
            table.forEachModified { note(RowID(table: table.table, key: $0)) }
        }
        for (id, sequence) in changes.sequences where isContained(id.table) && !sequence.isUntouched {
            note(RowID(table: id.table, key: id.key))
        }
    }

    private mutating func note(_ row: RowID) {
        var row = row
        while let (owner, column) = new.snapshot.owner(of: row, catalog) {
            guard isContained(owner.table) else {
                contained[CollectionID(table: owner.table, column: column, key: owner.key), default: []]
                    .insert(row)
                return
            }
            row = owner
        }
    }

    // MARK: Objects

    private func build() -> [String: [ChangeSet.Change]] {
        let sequences = Dictionary(grouping: changes.sequences.keys, by: \.table)
        let owners = Dictionary(grouping: contained.keys, by: \.table)
        let tables = Set(changes.tables.map(\.table)).union(sequences.keys).union(owners.keys)
        var byClass: [String: [ChangeSet.Change]] = [:]
        for table in tables where catalog.tables[table].isClass && !isContained(table) {
            let some = classes[table]
            let changed = objects(some, (sequences[table] ?? []) + (owners[table] ?? []))
            if !changed.isEmpty { byClass[some.name, default: []] += changed }
        }
        return byClass
    }

    private func objects(_ some: StoredClass, _ collections: [CollectionID]) -> [ChangeSet.Change] {
        var objects: [ChangeSet.Change] = []
        let table = changes.table(some.table)
        table?.forEachInserted { key in
            objects.append(whole(.inserted, new.identity(key, some), some, key))
        }
        var deleted: [ChangeSet.Change] = []
        table?.forEachDeleted { key in
            deleted.append(whole(.deleted, old.identity(key, some), some, key))
        }
        objects = combined(deleted, objects, hasPrimaryKey: some.primaryKey != nil)
        // Most rows have no changed collection.
        var edited: [ObjectKey: [Int]] = [:]
        for id in collections where !isInsertedOrDeleted(id.key, table) {
            edited[id.key, default: []].append(id.column)
        }
        table?.forEachModified { key in
            let columns = table!.modifiedColumns(of: key) + (edited.removeValue(forKey: key) ?? [])
            if let change = modification(key, columns, some) { objects.append(change) }
        }
        for key in edited.keys.sorted() {
            if let change = modification(key, edited[key]!, some) { objects.append(change) }
        }
        return objects
    }

    private func isInsertedOrDeleted(_ key: ObjectKey, _ table: TableChange?) -> Bool {
        switch table?.state(of: key) {
        case .inserted, .deleted: true
        case .modified, .untouched, nil: false
        }
    }

    /// Returns the change of an object of which some columns were changed; nil if no value differs.
    private func modification(
        _ key: ObjectKey, _ columns: [Int], _ some: StoredClass
    ) -> ChangeSet.Change? {
        var properties: [ChangeSet.Property] = []
        for property in some.knownProperties
        where columns.contains(property.column) || property.valuesColumn.map(columns.contains) ?? false {
            let property = difference(of: property, key, some)
            if !property.isEmpty { properties.append(property) }
        }
        return properties.isEmpty
            ? nil : ChangeSet.Change(.modified, new.identity(key, some), properties)
    }

    private func whole(
        _ kind: ChangeSet.Change.Kind, _ object: ChangeSet.ObjectID, _ some: StoredClass, _ key: ObjectKey
    ) -> ChangeSet.Change {
        let values = kind == .inserted ? new : old
        let properties = some.knownProperties.map { property in
            let value = values.value(property, some.table, key)
            return ChangeSet.Property(
                property.name, old: kind == .inserted ? nil : value, new: kind == .inserted ? value : nil,
                isCollection: property.kind != .value)
        }
        return ChangeSet.Change(kind, object, properties)
    }

    /// Combines deletions and insertions: an object that has the primary key of a deleted one is that object.
    private func combined(
        _ deleted: [ChangeSet.Change], _ inserted: [ChangeSet.Change], hasPrimaryKey: Bool
    ) -> [ChangeSet.Change] {
        guard hasPrimaryKey, !deleted.isEmpty, !inserted.isEmpty else { return deleted + inserted }
        let name = inserted[0].className
        return ChangeSet([name: deleted], lineage: 0).followed(by: ChangeSet([name: inserted], lineage: 0))
            .of(className: name)
    }

    // MARK: Properties

    /// Returns the difference of a property of an object that exists in both versions.
    private func difference(
        of property: TableProperty, _ key: ObjectKey, _ some: StoredClass
    ) -> ChangeSet.Property {
        let id = CollectionID(table: some.table, column: property.column, key: key)
        switch property.kind {
        case .value:
            return ChangeSet.Property(
                property.name, old: old.value(property, some.table, key),
                new: new.value(property, some.table, key), isCollection: false)
        case .list: return ChangeSet.Property(property.name, .list(listEdits(property, id)))
        case .set: return ChangeSet.Property(property.name, .set(setEdits(property, id)))
        case .map: return ChangeSet.Property(property.name, .dictionary(dictionaryEdits(property, id)))
        }
    }

    private func sequences(
        _ id: CollectionID, _ element: ElementKind
    ) -> (old: PersistentSequence, new: PersistentSequence) {
        (
            old.snapshot.table(id.table).sequence(id.key, id.column, element),
            new.snapshot.table(id.table).sequence(id.key, id.column, element)
        )
    }

    /// Returns the recorded change of a list, with the positions of modified embedded objects marked as replaced.
    private func change(_ id: CollectionID, _ elements: PersistentSequence) -> SequenceChange {
        var change = changes.sequences[id] ?? SequenceChange(oldCount: elements.count)
        guard let rows = contained[id] else { return change }
        var positions: [Int] = []
        var position = 0
        elements.forEach { cell in
            defer { position += 1 }
            let row = cell.target ?? cell.link.map { RowID(table: rows.first!.table, key: $0) }
            if let row, rows.contains(row) { positions.append(position) }
        }
        for position in positions { change.replace(at: position) }
        return change
    }

    private func listEdits(_ property: TableProperty, _ id: CollectionID) -> ChangeSet.ListEdits {
        let sequences = sequences(id, property.spec.element!)
        let change = change(id, sequences.new)
        var (removed, inserted): ([Int: ChangeSet.Value], [Int: ChangeSet.Value]) = ([:], [:])
        ChangeSet.ListEdits.forEachMark(in: change) { old, new in
            if let old { removed[old] = self.old.value(sequences.old.cell(at: old), property.spec) }
            if let new { inserted[new] = self.new.value(sequences.new.cell(at: new), property.spec) }
        }
        return ChangeSet.ListEdits(change, removed: removed, inserted: inserted)
    }

    private func setEdits(_ property: TableProperty, _ id: CollectionID) -> ChangeSet.SetEdits {
        let sequences = sequences(id, property.spec.element!)
        var (removed, inserted): (Set<ChangeSet.Value>, Set<ChangeSet.Value>) = ([], [])
        ChangeSet.ListEdits.forEachMark(in: change(id, sequences.new)) { old, new in
            if let old { removed.insert(self.old.value(sequences.old.cell(at: old), property.spec)) }
            if let new { inserted.insert(self.new.value(sequences.new.cell(at: new), property.spec)) }
        }
        return ChangeSet.SetEdits(removed: removed, inserted: inserted)
    }

    private func dictionaryEdits(
        _ property: TableProperty, _ id: CollectionID
    ) -> ChangeSet.DictionaryEdits {
        let keys = sequences(id, .string)
        var valuesID = id
        valuesID.column = property.valuesColumn!
        let values = sequences(valuesID, property.spec.element!)
        // By bytes: different keys may be equal as strings.
        var entries: [[UInt8]: ChangeSet.DictionaryEdits.Edit] = [:]
        func note(_ position: Int, isOld: Bool) {
            let (keys, sequence) = isOld ? (keys.old, values.old) : (keys.new, values.new)
            guard case .string(let key) = keys.cell(at: position) else { return }
            let value = (isOld ? old : new).value(sequence.cell(at: position), property.spec)
            let known = entries[Array(key.utf8)]
            entries[Array(key.utf8)] = ChangeSet.DictionaryEdits.Edit(
                key: key, old: isOld ? value : known?.old, new: isOld ? known?.new : value)
        }
        ChangeSet.ListEdits.forEachMark(in: change(valuesID, values.new)) { old, new in
            if let old { note(old, isOld: true) }
            if let new { note(new, isOld: false) }
        }
        return ChangeSet.DictionaryEdits(Array(entries.values))
    }
}

extension LogHistory {
    /// Returns the changes that ``takeChanges(beforeLast:_:)`` takes as a change set.
    ///
    /// - Parameter lineage: The number of the data.
    package func takeChangeSet(lineage: UInt64) -> ChangeSet {
        takeChanges { changes, old, new, catalog in
            ChangeSetBuilder.changeSet(changes, from: old, to: new, catalog, lineage: lineage)
        }
    }
}

extension Cell {
    /// The key of a link to an object of the column's class; nil for other values.
    fileprivate var link: ObjectKey? {
        if case .link(let key) = self, key != 0 { key } else { nil }
    }
}
