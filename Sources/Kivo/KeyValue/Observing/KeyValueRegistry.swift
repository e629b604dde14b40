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
    override func willMove(_ instance: RealmInstance, _ changes: ChangeSet, _ direction: Direction)
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
