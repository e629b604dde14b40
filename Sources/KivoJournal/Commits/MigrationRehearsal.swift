#if DEBUG
import KivoEngine

/// Replays an encoded migration on a copy of the previous version, as the next opening would, and compares the result with the
/// migrated version. O(rows of the file).
enum MigrationRehearsal {
    /// Traps if a migration cannot be decoded, or is decoded as a different one.
    ///
    /// - Parameters:
    ///   - last: The last step, whose version is the migrated one.
    ///   - migrated: The numbers of the tables after the migration.
    ///   - base: The version before the migration.
    ///   - catalog: The tables of that version.
    ///   - numbers: The numbers of the tables before the migration.
    static func check(
        _ payload: [UInt8], _ last: MigrationStep, _ migrated: TableNumbers, from base: Snapshot,
        _ catalog: Catalog, numbers: TableNumbers
    ) {
        guard CommitRehearsal.isOn else { return }
        var copy = Replay(Heap())
        defer { copy.discard() }
        do {
            var decoder = CommitDecoder(restoring: numbers, catalog)
            try fill(&copy, &decoder, base, catalog, numbers)
            _ = try payload.withUnsafeBytes { try decoder.migrate($0, into: &copy) }
        } catch {
            CommitRehearsal.fail("cannot be read: \(error)")
        }
        if let difference = difference(copy, last, migrated) {
            CommitRehearsal.fail("reads as another one: \(difference)")
        }
    }

    /// Copies a version into an empty store, by encoding all of it.
    private static func fill(
        _ copy: inout Replay, _ decoder: inout CommitDecoder, _ base: Snapshot, _ catalog: Catalog,
        _ numbers: TableNumbers
    ) throws {
        try copy.defineTables { $0 = catalog }
        var everything = RowChangeSet(inserting: base, catalog)
        // A table that no commit has named has no rows, even if it has assigned keys.
        everything.tables.removeAll { numbers[$0.table] == nil }
        var encoder = CommitEncoder(base, catalog, numbers: numbers)
        let payload = encoder.encode(everything)
        try payload.withUnsafeBytes { try decoder.replay($0, into: &copy) }
    }

    /// Returns a description of how a replayed migration differs from the original; nil if they are equal.
    private static func difference(
        _ copy: Replay, _ last: MigrationStep, _ numbers: TableNumbers
    ) -> String? {
        var origins: [TableID: TableID] = [:]
        for table in last.catalog.tables.indices {
            let spec = last.catalog.tables[table]
            guard !spec.isDerived, numbers[table] != nil else { continue }
            guard let other = copy.catalog.table(named: spec.name), copy.catalog.tables[other].isDefined
            else { return "table '\(spec.name)' is missing" }
            let replayed = copy.catalog.tables[other]
            guard replayed.columns.map(\.shape) == spec.columns.map(\.shape),
                replayed.isEmbedded == spec.isEmbedded
            else { return "table '\(spec.name)' has other columns" }
            origins[table] = other
        }
        let changes = SnapshotDifference.changes(
            from: copy.chain.headSnapshot, to: last.snapshot, last.catalog, numberedBefore: origins)
        let changed =
            changes.tables.filter { !$0.leaves.isEmpty }.map(\.table) + changes.sequences.keys.map(\.table)
        return changed.min().map { "rows of '\(last.catalog.tables[$0].name)' differ" }
    }
}
#endif
