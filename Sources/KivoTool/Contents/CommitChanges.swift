import Kivo
import KivoEngine
import KivoJournal

/// The changes of a commit, as an observer of the whole file would receive them.
struct CommitChanges {
    /// An object that exists before and after the commit.
    struct Modification {
        var key: ObjectKey
        /// The assigned properties, with their old and new values.
        var values: [(name: String, old: StoredValue, new: StoredValue)] = []
        /// The lists, sets and maps whose contents changed.
        var collections: [(name: String, changes: CollectionChange)] = []
    }

    /// The changes of a list, set or map: positions, or keys of maps. Deletions and modifications are positions in the old
    /// contents, insertions positions in the new ones.
    enum CollectionChange {
        case positions(deletions: [Int], insertions: [Int], modifications: [Int])
        case keys(deletions: [String], insertions: [String], modifications: [String])
    }

    /// An object, with its values.
    typealias Row = (key: ObjectKey, values: [(name: String, value: StoredValue)])

    /// The changes of a class's objects.
    struct ClassChange {
        var name: String
        var inserted: [Row] = []
        var modified: [Modification] = []
        var deleted: [Row] = []

        var isEmpty: Bool { inserted.isEmpty && modified.isEmpty && deleted.isEmpty }
    }

    /// The changed classes, in ascending order of their names.
    private(set) var classes: [ClassChange] = []

    init(_ classes: [ClassChange]) { self.classes = classes }

    /// Returns the changes of some classes; of all if none is named.
    func of(classes names: [String]) -> CommitChanges {
        names.isEmpty ? self : CommitChanges(classes.filter { names.contains($0.name) })
    }

    /// Reads the changes of the last commit of a history. The history must keep changes.
    init(_ history: CommitHistory) {
        guard let last = history.last else {
            self.init([])
            return
        }
        self.init(
            last.changes, from: StoredValues(last.before, history.catalog),
            to: StoredValues(history.snapshot, history.catalog))
    }

    /// Reads the changes between two versions.
    ///
    /// - Parameter limit: The number of inserted, modified and deleted objects of each class that are read.
    init(_ changes: RowChangeSet, from old: StoredValues, to new: StoredValues, limit: Int = .max) {
        let sequences = Dictionary(grouping: changes.sequences, by: \.key.table)
        for some in StoredClass.all(new.catalog) {
            var change = ClassChange(name: some.name)
            let table = changes.table(some.table)
            table?.forEachInserted {
                if change.inserted.count < limit { change.inserted.append(CommitChanges.row($0, some, new)) }
            }
            table?.forEachDeleted {
                if change.deleted.count < limit { change.deleted.append(CommitChanges.row($0, some, old)) }
            }
            var modified: [ObjectKey: Modification] = [:]
            table?.forEachModified { key in
                guard modified.count < limit else { return }
                let columns = table!.modifiedColumns(of: key)
                modified[key] = CommitChanges.modification(key, columns, some, old, new)
            }
            for (id, sequence) in sequences[some.table] ?? [] where !sequence.isUntouched {
                guard modified.count < limit, let property = some.properties.owner(ofColumn: id.column),
                    modified[id.key]?.collections.contains(where: { $0.name == property.name }) != true
                else { continue }
                let change = CommitChanges.change(property, id, changes, old, new)
                modified[id.key, default: Modification(key: id.key)].collections.append(
                    (property.name, change))
            }
            change.modified = modified.values.filter { !$0.values.isEmpty || !$0.collections.isEmpty }
                .sorted { $0.key < $1.key }
            for index in change.modified.indices {
                change.modified[index].collections.sort { $0.name < $1.name }
            }
            if !change.isEmpty { classes.append(change) }
        }
    }

    fileprivate static func row(_ key: ObjectKey, _ some: StoredClass, _ values: StoredValues) -> Row {
        (key, some.properties.map { ($0.name, values.value($0, some.table, key)) })
    }

    fileprivate static func modification(
        _ key: ObjectKey, _ columns: [Int], _ some: StoredClass, _ old: StoredValues, _ new: StoredValues
    ) -> Modification {
        var modification = Modification(key: key)
        for property in some.properties where property.collection == nil && columns.contains(property.column)
        {
            modification.values.append(
                (
                    property.name, old.value(property, some.table, key), new.value(property, some.table, key)
                ))
        }
        return modification
    }

    fileprivate static func change(
        _ property: TableProperty, _ id: CollectionID, _ changes: RowChangeSet, _ old: StoredValues,
        _ new: StoredValues
    ) -> CollectionChange {
        func resolved(_ column: Int) -> CollectionChanges {
            changes.sequences[CollectionID(table: id.table, column: column, key: id.key)]?.resolve()
                ?? CollectionChanges()
        }
        let members = resolved(property.column)
        guard let valuesColumn = property.valuesColumn else {
            return .positions(
                deletions: members.deletions, insertions: members.insertions,
                modifications: members.modificationsOld)
        }
        func keys(_ positions: [Int], _ values: StoredValues) -> [String] {
            let sequence = values.snapshot.table(id.table).sequence(id.key, property.column, .string)
            return positions.compactMap {
                if case .string(let key) = sequence.cell(at: $0) { key } else { nil }
            }
        }
        return .keys(
            deletions: keys(members.deletions, old), insertions: keys(members.insertions, new),
            modifications: keys(resolved(valuesColumn).modifications, new))
    }
}

extension CommitChanges.ClassChange {
    /// Reads the change of one object between two versions. It is empty if the object is untouched.
    init(
        _ changes: RowChangeSet, of key: ObjectKey, _ some: StoredClass, from old: StoredValues,
        to new: StoredValues
    ) {
        self.init(name: some.name)
        let table = changes.table(some.table)
        switch table?.state(of: key) ?? .untouched {
        case .inserted: inserted = [CommitChanges.row(key, some, new)]
        case .deleted: deleted = [CommitChanges.row(key, some, old)]
        case .modified, .untouched:
            var modification = CommitChanges.modification(
                key, table?.modifiedColumns(of: key) ?? [], some, old, new)
            for property in some.properties where property.collection != nil {
                let ids = [property.column, property.valuesColumn].compactMap { column in
                    column.map { CollectionID(table: some.table, column: $0, key: key) }
                }
                guard let id = ids.first(where: { changes.sequences[$0]?.isUntouched == false }) else {
                    continue
                }
                modification.collections.append(
                    (property.name, CommitChanges.change(property, id, changes, old, new)))
            }
            if !modification.values.isEmpty || !modification.collections.isEmpty { modified = [modification] }
        }
    }
}
