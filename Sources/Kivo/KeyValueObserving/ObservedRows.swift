import KivoEngine

/// A row of a realm.
struct RowID: Hashable {
    var table: TableID
    var key: ObjectKey
}

/// The rows of a realm instance that somebody observes by key-value observing. Confined with it.
///
/// All observed accessors of a row are told of a change, whichever of them it went through.
final class ObservedRows {
    private final class Weak {
        weak var observations: Observations?
        init(_ observations: Observations) { self.observations = observations }
    }

    private var rows: [RowID: [Weak]] = [:]

    var isEmpty: Bool { rows.isEmpty }

    func add(_ observations: Observations, _ row: RowID) {
        rows[row, default: []].append(Weak(observations))
    }

    func remove(_ observations: Observations, _ row: RowID) {
        rows[row]?.removeAll { $0.observations == nil || $0.observations === observations }
        if rows[row]?.isEmpty == true { rows[row] = nil }
    }

    private func observations(_ row: RowID) -> [Observations] {
        guard !rows.isEmpty, let weak = rows[row] else { return [] }
        return weak.compactMap(\.observations)
    }

    private func open(
        _ bracket: inout ChangeBracket, _ row: RowID, _ name: String,
        _ kind: CollectionChangeKind = .wholesale
    ) {
        for observations in observations(row) { bracket.open(observations, name, kind) }
    }

    // MARK: Changes of this instance, told at once

    /// Carries out an assignment.
    func changing(_ object: ObjectBase, _ name: String, _ change: () -> Void) {
        if rows.isEmpty { return change() }
        var bracket = ChangeBracket()
        open(&bracket, RowID(table: object.kivoContext.table, key: object.kivoRow.key), name)
        change()
        bracket.close()
    }

    /// Carries out a change of a collection.
    func changing(
        _ core: RealmCore, _ id: CollectionID, _ name: String, _ kind: CollectionChangeKind,
        _ change: () -> Void
    ) {
        if rows.isEmpty { return change() }
        var bracket = ChangeBracket()
        open(&bracket, RowID(table: id.table, key: id.key), name, kind)
        change()
        bracket.close()
    }

    /// Carries out a deletion: links to what dies become nil, lists lose it, and it becomes invalid.
    ///
    /// - Parameter withLists: whether lists that hold the dying objects are told here (and not by who empties them).
    func deleting(
        _ core: RealmCore, _ keys: [ObjectKey], _ table: TableID, _ transaction: WriteTransaction,
        withLists: Bool = true, _ change: () -> Void
    ) {
        if rows.isEmpty || keys.isEmpty { return change() }
        let dying = transaction.deletionClosure(keys, table).map { RowID(table: $0.table, key: $0.key) }
        let dead = Set(dying)
        var bracket = ChangeBracket()
        for row in dying { open(&bracket, row, "isInvalidated") }
        if withLists {
            for row in rows.keys.sorted(by: { ($0.table, $0.key) < ($1.table, $1.key) })
            where !dead.contains(row) {
                openReferences(&bracket, core, row, dead, transaction)
            }
        }
        change()
        bracket.close()
    }

    /// Opens the properties of an observed row that refer to dying objects.
    private func openReferences(
        _ bracket: inout ChangeBracket, _ core: RealmCore, _ row: RowID, _ dead: Set<RowID>,
        _ transaction: WriteTransaction
    ) {
        guard let info = core.context(table: row.table)?.info else { return }
        let spec = core.catalog.tables[row.table]
        for property in info.properties where property.isStored && property.type.target != nil {
            let column = property.valuesColumn ?? property.column
            let target = spec.columns[column].target!
            var indices: [Int] = []
            var position = 0
            if property.isLink {
                transaction.forEachTarget(of: row.key, row.table, column) { key in
                    if dead.contains(RowID(table: target, key: key)) { indices.append(0) }
                }
            } else {
                transaction.table(row.table).sequence(row.key, column, .link).forEachLink { key in
                    if dead.contains(RowID(table: target, key: key)) { indices.append(position) }
                    position += 1
                }
            }
            if indices.isEmpty { continue }
            open(
                &bracket, row, property.name,
                property.type.collection == .list ? .removal(indices) : .wholesale)
        }
    }

    /// Carries out what makes every accessor invalid.
    func invalidateAll(_ change: () -> Void) {
        var bracket = ChangeBracket()
        for row in rows.keys { open(&bracket, row, "isInvalidated") }
        change()
        bracket.close()
    }

    // MARK: Changes that come at once

    /// Moves to a newer version: every observed property that changed in between is told once, from its first to its
    /// last value.
    func advance(_ core: RealmCore, _ old: Snapshot, _ changes: ChangeSet, _ move: () -> Void) {
        if rows.isEmpty { return move() }
        var bracket = ChangeBracket()
        open(&bracket, core, changes, isRollback: false)
        move()
        bracket.close()
    }

    /// Takes a transaction back.
    func rollBack(_ core: RealmCore, _ changes: ChangeSet, _ cancel: () -> Void) {
        if rows.isEmpty { return cancel() }
        var bracket = ChangeBracket()
        open(&bracket, core, changes, isRollback: true)
        cancel()
        bracket.close()
    }

    private func open(
        _ bracket: inout ChangeBracket, _ core: RealmCore, _ changes: ChangeSet, isRollback: Bool
    ) {
        let changed = rows.keys.filter {
            changes.table($0.table)?.state(of: $0.key) ?? .untouched != .untouched
        }
        .sorted { ($0.table, $0.key) < ($1.table, $1.key) }
        let gone: TableChange.State = isRollback ? .inserted : .deleted
        for row in changed where changes.table(row.table)!.state(of: row.key) == gone {
            open(&bracket, row, "isInvalidated")
        }
        for row in changed where changes.table(row.table)!.state(of: row.key) == .modified {
            guard let info = core.context(table: row.table)?.info else { continue }
            let columns = changes.table(row.table)!.modifiedColumns(of: row.key)
            var told: Set<String> = []
            for column in columns {
                let property = info.property(column: column)
                guard told.insert(property.name).inserted else { continue }
                guard let kind = kind(of: property, row, changes, isRollback) else { continue }
                open(&bracket, row, property.name, kind)
            }
        }
    }

    /// How a change of a property is told; nil if its operations cancel out.
    private func kind(
        of property: PropertyInfo, _ row: RowID, _ changes: ChangeSet, _ isRollback: Bool
    ) -> CollectionChangeKind? {
        guard property.type.collection == .list else { return .wholesale }
        let id = CollectionID(table: row.table, column: property.column, key: row.key)
        guard let change = changes.sequences[id] else { return .wholesale }
        switch change.resolve().keyValueChange(isRollback: isRollback) {
        case .none: return nil
        case .insertion(let indices): return .scatteredInsertion(indices)
        case .removal(let indices): return .removal(indices)
        case .replacement(let indices): return .replacement(indices)
        case .wholesale: return .wholesale
        }
    }
}

extension RealmCore {
    /// Takes the open transaction back, telling key-value observers.
    func notifyingObservedRowsOfRollback(_ transaction: WriteTransaction, _ cancel: () -> Void) {
        if observedRows.isEmpty { return cancel() }
        observedRows.rollBack(self, transaction.changeSet(), cancel)
    }
}
