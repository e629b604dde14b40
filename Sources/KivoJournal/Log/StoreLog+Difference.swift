import KivoEngine
import KivoLog

extension StoreLog {
    /// Brings a store to the newest version of a log that has already removed commits which the store has not read. This happens
    /// to a process that was suspended while others made checkpoints, or compacted the file more than once. The changes in
    /// between are found by comparing the versions, and applied as one commit.
    ///
    /// - Throws: ``JournalError`` if the log was migrated to other classes; the store is then unchanged.
    func readCheckpoint(of log: any CommitLog, into store: inout some CommitReplayer) throws {
        guard let checkpoint = try log.checkpoint(), checkpoint.version > version else {
            throw JournalError.senseless("commits are missing that are in no checkpoint")
        }
        var newest = Replay(Heap())
        var applier = CommitApplier.opening()
        defer {
            newest.discard()
            applier.pages.map { PageFiles.remove($0.number) }
        }
        let image = try image(of: checkpoint)
        var origin = try image.record.origin.checked(log.id)
        try applier.restore(image, into: &newest)
        try log.commits(after: checkpoint.version) { entry in
            try origin.note(entry, after: applier.version, id: log.id)
            try applier.apply(entry.commit, into: &newest)
        }
        if let mismatch = applier.mismatch { throw mismatch }
        let known = state.withLock { $0.log }
        var reached = applier.state
        guard
            let payload = try StoreLog.difference(
                to: newest, numbers: reached.numbers, from: store, numbers: known.numbers)
        else { throw noteMigration(to: reached.schemaVersion ?? 0) }
        reached.numbers = known.numbers
        if !payload.isEmpty {
            // One commit that leads from the known version to the one that was reached.
            var before = known
            before.version = reached.version - 1
            var follower = CommitApplier.following(before, store.catalog)
            try payload.withUnsafeBytes { try follower.apply(.changes, $0, into: &store) }
            reached.numbers = follower.state.numbers
        }
        origin.id = log.id
        let (state, newOrigin) = (reached, origin)
        self.state.withLock { ($0.log, $0.origin) = (state, newOrigin) }
    }

    /// Returns the commit that changes the contents of a store to those of another one; no bytes if the contents are equal, nil
    /// if the tables differ.
    private static func difference(
        to newest: Replay, numbers: TableNumbers, from store: some CommitReplayer, numbers known: TableNumbers
    ) throws -> [UInt8]? {
        let own = Dictionary(uniqueKeysWithValues: known.byTable.map { ($1, $0) })
        var origins: [TableID: TableID] = [:]
        var added: [(number: Int, table: TableID)] = []
        for (table, number) in numbers.byTable {
            if let before = own[number] {
                origins[table] = before
            } else {
                added.append((number, table))
            }
        }
        added.sort { $0.number < $1.number }
        // A table that was redefined has a different number, and one that was dropped has none.
        let areSame =
            origins.count == own.count
            && added.map(\.number) == Array(known.next..<max(known.next, numbers.next))
            && origins.allSatisfy { table, before in
                newest.catalog.tables[table].columns.map(\.shape)
                    == store.catalog.tables[before].columns.map(\.shape)
            }
        guard areSame else { return nil }
        return store.read { snapshot in
            var changes = SnapshotDifference.changes(
                from: snapshot, to: newest.chain.headSnapshot, newest.catalog, numberedBefore: origins)
            // A table that no commit has named has no rows, even if it has assigned keys.
            changes.tables.removeAll { numbers[$0.table] == nil }
            if changes.tables.isEmpty, changes.sequences.isEmpty, added.isEmpty { return [] }
            var encoder = CommitEncoder(
                newest.chain.headSnapshot, newest.catalog, numbers: numbers,
                describing: added.map(\.table))
            return encoder.encode(changes)
        }
    }
}

extension ColumnSpec {
    /// The type of the column's values and its name. Columns with equal shapes encode equal values alike.
    var shape: [String] {
        [name, "\(kind)", element.map { "\($0)" } ?? "", "\(order)", "\(isOptional)", "\(typeCode)"]
    }
}
