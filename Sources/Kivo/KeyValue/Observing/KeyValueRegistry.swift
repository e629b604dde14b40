import KivoEngine

/// The rows of a realm instance that are observed by key-value observing. Confined with the instance.
///
/// All observed accessors of a row are notified of a change, whichever accessor made it. Observers are looked up by table and
/// key; the cost of a change does not depend on the number of other observed rows.
///
/// The registry holds the observations, which do not hold their accessor. Any thread may release the accessor: see
/// ``Observations/liveSubject``.
final class KeyValueRegistry: RowChangeTeller {
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

    func add(_ observations: Observations, _ row: RowID) {
        while tables.count <= row.table { tables.append(ObservedTable()) }
        tables[row.table].add(observations, row.key)
        count += 1
    }

    func remove(_ observations: Observations, _ row: RowID) {
        guard row.table < tables.count, tables[row.table].remove(observations, row.key) else { return }
        count -= 1
    }

    /// Removes and releases the observations that other threads have left: those of released objects, and those that were ended
    /// there.
    override func remove(_ left: InstanceHandle.EndedElsewhere) {
        for ended in left.ended {
            unsafeDowncast(ended.takeRetainedValue(), to: Observations.self).endWithSubject(self)
        }
        for observation in left.observations {
            KeyValueRegistration.end(
                unsafeDowncast(observation.takeRetainedValue(), to: KeyValueRegistration.self))
        }
    }

    // MARK: What lower rooms have told

    override func changing(_ object: ObjectBase, _ column: Int, _ change: () -> Void) {
        assigning(object, column, change)
    }

    override func changing(
        _ row: RowID, _ column: Int, _ kind: CollectionChangeKind, _ change: () -> Void
    ) {
        changingProperty(row, column, kind, change)
    }

    override func deleting(
        _ instance: RealmInstance, _ keys: [ObjectKey], _ table: TableID, _ transaction: WriteTransaction,
        cause: (row: RowID, column: Int, kind: CollectionChangeKind)?, withLists: Bool,
        _ change: () -> Void
    ) {
        deletingRows(
            instance, keys, table, transaction, cause: cause, withLists: withLists, change)
    }

    override func willMove(_ instance: RealmInstance, _ changes: ChangeSet, _ direction: Direction)
        -> (any OpenRowChanges)?
    {
        isEmpty ? nil : openMove(instance, changes, direction)
    }

    override func invalidateAll(_ change: () -> Void) { endingAll(change) }
}

extension RealmInstance {
    /// The registry of the instance, created on first use.
    var keyValueRegistry: KeyValueRegistry {
        if let known = rowTeller as? KeyValueRegistry { return known }
        let made = KeyValueRegistry(reader)
        rowTeller = made
        return made
    }
}
