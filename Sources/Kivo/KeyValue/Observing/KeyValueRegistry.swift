import KivoEngine
import KivoObserving

/// The rows of a realm instance that are observed by key-value observing. Confined with the instance.
///
/// All observed accessors of a row are notified of a change, whichever accessor made it. Observers are looked up by table and
/// key; the cost of a change does not depend on the number of other observed rows.
///
/// The registry holds the observations, which do not hold their accessor. Any thread may release the accessor: see
/// `KeyValueObservations.liveSubject`.
final class KeyValueRegistry: RowChangeNotifier {
    /// The rows with properties that were read inside `withObservationTracking`.
    let trackedRows = TrackedRows()
    /// The observed rows, by table.
    @exclusivity(unchecked) private var tables: ContiguousArray<ObservedTable> = []

    #if DEBUG
    /// The number of observed rows, and of references to dying objects, that deletions examined. Tests measure growth by it.
    /// Counted in debug builds only.
    @exclusivity(unchecked) private(set) var work = 0
    #endif

    /// Counts work, in debug builds.
    @inline(__always)
    func countWork(_ amount: Int) {
        #if DEBUG
        work += amount
        #endif
    }

    // MARK: Finding

    override func observes(_ table: TableID, _ key: ObjectKey) -> Bool {
        table < tables.count && tables[table].contains(key)
    }

    /// Returns the observers of a row, or nil if there are none. O(1).
    @inline(__always)
    func observers(_ table: TableID, _ key: ObjectKey) -> RowObservers? {
        count != 0 && table < tables.count ? tables[table].observers(of: key) : nil
    }

    /// The number of observed rows of a table.
    func rowCount(_ table: TableID) -> Int { table < tables.count ? tables[table].count : 0 }

    /// The number of blocks of 256 keys of a table that hold observed rows.
    func blockCount(_ table: TableID) -> Int { table < tables.count ? tables[table].blockCount : 0 }

    /// The observed rows of a block of 256 keys, as the low bits of the keys. O(1).
    func observed(_ table: TableID, in block: KeyBlock) -> Bits256 {
        table < tables.count ? tables[table].observed(in: block) : Bits256()
    }

    /// The blocks of a table that hold observed rows, ascending. O(blocks · log blocks).
    func observedBlocks(_ table: TableID) -> [KeyBlock] { tables[table].observedBlocks }

    /// The observed rows of a table, ascending. O(n).
    func keys(_ table: TableID) -> [ObjectKey] { tables[table].keys }

    /// All observed rows, ascending by table and key. O(n).
    var rows: [RowID] {
        tables.indices.flatMap { table in keys(table).map { RowID(table: table, key: $0) } }
    }

    // MARK: Registering

    func add(_ observations: KeyValueObservations, _ row: RowID) {
        while tables.count <= row.table { tables.append(ObservedTable()) }
        tables[row.table].add(observations, row.key)
        count += 1
    }

    func remove(_ observations: KeyValueObservations, _ row: RowID) {
        guard row.table < tables.count, tables[row.table].remove(observations, row.key) else { return }
        count -= 1
    }

    /// Removes and releases the observations of released objects, and those that were ended, on other threads.
    override func remove(_ released: InstanceHandle.EndedElsewhere) {
        for ended in released.ended {
            unsafeDowncast(ended.takeRetainedValue(), to: KeyValueObservations.self).endWithSubject(self)
        }
        for observation in released.observations {
            KeyValueRegistration.end(
                unsafeDowncast(observation.takeRetainedValue(), to: KeyValueRegistration.self))
        }
    }

    // MARK: Changes of one row

    override func changing(_ object: ObjectBase, _ column: Int, _ change: () -> Void) {
        guard let observers = observers(object.kivoContext.table, object.kivoRow.key) else { return change() }
        // The assigning accessor is nearly always the only one that is observed, and it is alive here.
        if let observations = observers.single, observations === object.kivoAttachment {
            return observations.changing(column, .wholesale, change)
        }
        changing(observers, column, .wholesale, change)
    }

    override func changing(
        _ row: RowID, _ column: Int, _ kind: CollectionChangeKind, _ change: () -> Void
    ) {
        guard let observers = observers(row.table, row.key) else { return change() }
        changing(observers, column, kind, change)
    }

    private func changing(
        _ observers: RowObservers, _ column: Int, _ kind: CollectionChangeKind, _ change: () -> Void
    ) {
        if let observations = observers.single {
            guard let subject = observations.liveSubject else { return change() }
            return withExtendedLifetime(subject) { observations.changing(column, kind, change) }
        }
        var opened = OpenChange()
        open(&opened, observers, column, kind)
        change()
        opened.close()
    }

    // MARK: Changes of several rows

    /// Opens a change of a column, for each of the given accessors.
    func open(
        _ change: inout OpenChange, _ observers: RowObservers, _ column: Int, _ kind: CollectionChangeKind
    ) {
        observers.forEach { observations in
            guard let index = observations.index(ofColumn: column), let subject = observations.liveSubject
            else { return }
            change.hold(subject)
            change.open(observations, index, subject, kind)
        }
    }

    /// Opens the end of a row, by deletion or by invalidation of the instance.
    func openEnd(_ change: inout OpenChange, _ observers: RowObservers) {
        open(&change, observers, ObservedKey.invalidated.column, .wholesale)
    }

    /// Runs a deletion and notifies its observers: links to the deleted objects become nil, lists lose them, and they become
    /// invalid.
    ///
    /// O(deleted objects and their referrers), plus a search in each observed list that holds one of them.
    override func deleting(
        _ instance: RealmInstance, _ keys: [ObjectKey], _ table: TableID, _ transaction: WriteTransaction,
        cause: (row: RowID, column: Int, kind: CollectionChangeKind)?, withLists: Bool,
        _ change: () -> Void
    ) {
        if isEmpty { return change() }
        if keys.isEmpty {
            if let cause { return changing(cause.row, cause.column, cause.kind, change) }
            return change()
        }
        let dying = transaction.deletionClosure(keys, table)
        countWork(dying.count)
        let references = withLists ? references(to: dying, instance, transaction) : []
        var opened = OpenChange()
        for row in dying { if let observers = observers(row.table, row.key) { openEnd(&opened, observers) } }
        if let cause, let observers = observers(cause.row.table, cause.row.key) {
            open(&opened, observers, cause.column, cause.kind)
        }
        for reference in references {
            if let cause, cause.row == reference.row, cause.column == reference.property.column { continue }
            open(&opened, reference, transaction)
        }
        change()
        opened.close()
    }

    /// Opens the changes of a move before it is made. Each observed property that changed in between is notified once, from its
    /// first to its last value. O(changed leaves, or blocks with observed rows, whichever are fewer), and O(changed observed
    /// rows).
    override func willMove(_ instance: RealmInstance, _ changes: RowChangeSet, _ direction: Direction)
        -> (any OpenRowChanges)?
    {
        if isEmpty { return nil }
        var opened = OpenChange()
        let isRollback = direction == .back
        instance.releaseEndedElsewhere()
        for change in changes.tables where rowCount(change.table) > 0 {
            let info = instance.classes.usedContext(of: change.table)?.info
            forEachLeaf(change) { leaf, slots in
                let columns = info.map { changedColumns(of: leaf, $0) } ?? []
                let removed = isRollback ? leaf.inserted : leaf.deleted
                let inserted = isRollback ? leaf.deleted : leaf.inserted
                slots.forEach { slot in
                    let key = leaf.block.key(at: slot)
                    guard let observers = observers(change.table, key) else { return }
                    if removed.contains(slot) {
                        openEnd(&opened, observers)
                    } else if inserted.contains(slot) {
                        observers.forEach { if $0.liveSubject != nil { opened.reroute($0) } }
                    } else {
                        let row = RowID(table: change.table, key: key)
                        openColumns(&opened, row, observers, columns, changes, isRollback)
                    }
                }
            }
        }
        return opened
    }

    override func invalidateAll(_ change: () -> Void) {
        if isEmpty { return change() }
        var opened = OpenChange()
        for row in rows { if let observers = observers(row.table, row.key) { openEnd(&opened, observers) } }
        change()
        opened.close()
    }
}

extension RealmInstance {
    /// The registry of the instance, created on first use.
    var keyValueRegistry: KeyValueRegistry {
        if let known = rowNotifier as? KeyValueRegistry { return known }
        let made = KeyValueRegistry(reader)
        rowNotifier = made
        return made
    }
}

/// The observed properties that differ between two versions: by advancing to another one, and by rolling back a transaction.
extension KeyValueRegistry {
    /// Calls `body` with each changed leaf that has observed rows, and with the slots of the changed observed rows, ascending.
    func forEachLeaf(_ change: TableChange, _ body: (LeafChange, Bits256) -> Void) {
        func visit(_ leaf: LeafChange) {
            let observed = observed(change.table, in: leaf.block)
            if observed.isEmpty { return }
            let slots = leaf.touched & observed
            if !slots.isEmpty { body(leaf, slots) }
        }
        if change.leaves.count > blockCount(change.table) * 4 {
            for block in observedBlocks(change.table) {
                if let leaf = change.leaf(of: block.key(at: 0)) { visit(leaf) }
            }
        } else {
            for leaf in change.leaves { visit(leaf) }
        }
    }

    /// A column that was assigned in some rows of a leaf.
    struct ChangedColumn {
        var property: PropertyInfo
        var isList: Bool
        var slots: Bits256
    }

    /// Returns the assigned columns of a leaf. The keys and the values of a map have one column each, which are notified as one
    /// change.
    func changedColumns(of leaf: LeafChange, _ info: ClassInfo) -> [ChangedColumn] {
        leaf.columns.compactMap { column in
            let property = info.property(column: column.column)
            var slots = column.slots
            if column.column == property.valuesColumn,
                let keys = leaf.columns.first(where: { $0.column == property.column })
            {
                slots = slots.subtracting(keys.slots)
            }
            if slots.isEmpty { return nil }
            return ChangedColumn(property: property, isList: property.type.collection == .list, slots: slots)
        }
    }

    /// Opens the changes of a row's observed columns.
    func openColumns(
        _ opened: inout OpenChange, _ row: RowID, _ observers: RowObservers, _ columns: [ChangedColumn],
        _ changes: RowChangeSet, _ isRollback: Bool
    ) {
        let slot = KeyBlock.offset(of: row.key)
        for index in columns.indices where columns[index].slots.contains(slot) {
            let column = columns[index].property.column
            if columns[index].isList {
                guard observers.observe(column: column),
                    let kind = listChange(row, column, changes, isRollback)
                else { continue }
                open(&opened, observers, column, kind)
            } else {
                open(&opened, observers, column, .wholesale)
            }
        }
    }

    /// Returns the kind of a list's change; returns nil if its operations cancel out.
    private func listChange(
        _ row: RowID, _ column: Int, _ changes: RowChangeSet, _ isRollback: Bool
    ) -> CollectionChangeKind? {
        let id = CollectionID(table: row.table, column: column, key: row.key)
        guard let change = changes.sequences[id] else { return .wholesale }
        switch change.resolve().keyValueChange(isRollback: isRollback) {
        case .none: return nil
        case .insertion(let indices): return .scatteredInsertion(indices)
        case .removal(let indices): return .removal(.scattered(indices))
        case .replacement(let indices): return .replacement(.scattered(indices))
        case .wholesale: return .wholesale
        }
    }
}
