import KivoEngine

/// The rows of a realm instance that somebody observes by key-value observing. Confined with it.
///
/// All observed accessors of a row are told of a change, whichever of them it went through.
final class KeyValueRegistry {
    /// An observed accessor. It may be let go of on another thread, hence the weak reference.
    final class Accessor {
        private weak var subject: AnyObject?
        private unowned(unsafe) let known: Observations
        private let id: ObjectIdentifier

        init(_ observations: Observations) {
            subject = observations.subject
            known = observations
            id = ObjectIdentifier(observations)
        }

        /// Calls `body` with the observations, unless what owns them is being torn down.
        @inline(__always)
        func withLive(_ body: (Observations) -> Void) {
            guard let subject else { return }
            withExtendedLifetime(subject) {
                Unmanaged.passUnretained(known)._withUnsafeGuaranteedRef(body)
            }
        }

        var isGone: Bool { subject == nil }

        func isGone(or observations: Observations) -> Bool {
            id == ObjectIdentifier(observations) || isGone
        }
    }

    /// By table.
    private(set) var tables: [[ObjectKey: [Accessor]]] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// Lets go of what belonged to objects that were let go of on other threads.
    func remove(_ left: InstanceHandle.Left) {
        for observation in left.observations {
            if let home = observation.home {
                home.remove(observation)
            } else {
                observation.root?.detach(from: nil)
            }
        }
        for row in left.rows { remove(row) { $0.isGone } }
    }

    func add(_ observations: Observations, _ row: RowID) {
        while tables.count <= row.table { tables.append([:]) }
        tables[row.table][row.key, default: []].append(Accessor(observations))
        count += 1
    }

    func remove(_ observations: Observations, _ row: RowID) { remove(row) { $0.isGone(or: observations) } }

    private func remove(_ row: RowID, _ isRemoved: (Accessor) -> Bool) {
        guard row.table < tables.count, var accessors = tables[row.table][row.key] else { return }
        let before = accessors.count
        accessors.removeAll(where: isRemoved)
        tables[row.table][row.key] = accessors.isEmpty ? nil : accessors
        count -= before - accessors.count
    }

    /// Opens a change of a column, for every observed accessor of a row.
    func open(
        _ bracket: inout ChangeBracket, _ row: RowID, column: Int, _ kind: CollectionChangeKind = .wholesale
    ) {
        guard row.table < tables.count, let accessors = tables[row.table][row.key] else { return }
        open(&bracket, accessors, column: column, kind)
    }

    /// Opens a change of a column for some accessors.
    func open(
        _ bracket: inout ChangeBracket, _ accessors: [Accessor], column: Int, _ kind: CollectionChangeKind
    ) {
        for accessor in accessors {
            accessor.withLive { bracket.open($0, column: column, kind) }
        }
    }

    /// Opens the end of a row, or of this instance of it.
    func openEnd(_ bracket: inout ChangeBracket, _ row: RowID) {
        open(&bracket, row, column: ObservedKey.invalidated.column)
    }

    // MARK: Changes of this instance, told at once

    /// Carries out an assignment.
    func changing(_ object: ObjectBase, _ column: Int, _ change: () -> Void) {
        if isEmpty { return change() }
        changing(RowID(table: object.kivoContext.table, key: object.kivoRow.key), column, .wholesale, change)
    }

    /// Carries out a change of a property.
    func changing(_ row: RowID, _ column: Int, _ kind: CollectionChangeKind, _ change: () -> Void) {
        if isEmpty { return change() }
        var bracket = ChangeBracket()
        open(&bracket, row, column: column, kind)
        change()
        bracket.close()
    }

    /// Carries out a deletion: links to what dies become nil, lists lose it, and it becomes invalid.
    ///
    /// - Parameters:
    ///   - cause: the change of a property that the deletion follows from, if it does.
    ///   - withLists: whether lists that hold the dying objects are told here (and not by who empties them).
    func deleting(
        _ instance: RealmInstance, _ keys: [ObjectKey], _ table: TableID, _ transaction: WriteTransaction,
        cause: (row: RowID, column: Int, kind: CollectionChangeKind)? = nil, withLists: Bool = true,
        _ change: () -> Void
    ) {
        if isEmpty { return change() }
        if keys.isEmpty {
            if let cause { return changing(cause.row, cause.column, cause.kind, change) }
            return change()
        }
        let dying = transaction.deletionClosure(keys, table).map { RowID(table: $0.table, key: $0.key) }
        let dead = Set(dying)
        var bracket = ChangeBracket()
        for row in dying { openEnd(&bracket, row) }
        if let cause { open(&bracket, cause.row, column: cause.column, cause.kind) }
        if withLists {
            for table in tables.indices {
                for key in tables[table].keys.sorted() where !dead.contains(RowID(table: table, key: key)) {
                    let row = RowID(table: table, key: key)
                    let told = cause.flatMap { $0.row == row ? $0.column : nil }
                    openReferences(&bracket, instance, row, dead, transaction, except: told)
                }
            }
        }
        change()
        bracket.close()
    }

    /// Opens the properties of an observed row that refer to dying objects, but for one column that is open already.
    private func openReferences(
        _ bracket: inout ChangeBracket, _ instance: RealmInstance, _ row: RowID, _ dead: Set<RowID>,
        _ transaction: WriteTransaction, except told: Int?
    ) {
        guard let info = instance.context(table: row.table)?.info else { return }
        let spec = instance.catalog.tables[row.table]
        for property in info.properties
        where property.isStored && property.type.target != nil && property.column != told {
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
            let isList = property.type.collection == .list
            let kind = isList ? CollectionChangeKind.removal(.scattered(indices)) : .wholesale
            open(&bracket, row, column: property.column, kind)
        }
    }

    /// Carries out what makes every accessor invalid.
    func invalidateAll(_ change: () -> Void) {
        if isEmpty { return change() }
        var bracket = ChangeBracket()
        for table in tables.indices {
            for key in tables[table].keys.sorted() {
                openEnd(&bracket, RowID(table: table, key: key))
            }
        }
        change()
        bracket.close()
    }
}
