import KivoEngine

/// Reads what is intact in a damaged journal.
public enum JournalSalvage {
    /// Carries out what is intact on a device: the newest checkpoint, without the rows whose pages are damaged, and the commits
    /// after it, those before damage as they are, those after it as far as they do not build on what is missing. Writes
    /// nothing.
    ///
    /// An older checkpoint is taken, or none, if nothing is missing with that.
    ///
    /// The header may be gone: records name the journal since version 4 of the format.
    ///
    /// - Throws: ``JournalError`` if the device is no journal, or neither a copy of its header is intact nor a record that names
    ///   it; what the device throws.
    public static func read(
        _ device: any JournalDevice, into store: inout some CommitReplayer
    ) throws -> (report: SalvageReport, schemaVersion: UInt64) {
        let losses = SalvageLosses()
        var decoder = CommitDecoder(losses)
        var schemaVersion: UInt64 = 0
        var pages: [SalvageReport.DamagedPage] = []
        let checkpoint = try SalvagedCheckpoint.best(of: device)
        if let checkpoint {
            pages = try checkpoint.restore(into: &store, &decoder)
            schemaVersion = checkpoint.record.schemaVersion
        }
        var scan = try SalvageScan(device, after: checkpoint?.record.tail)
        try scan.forEachRecord { kind, payload in
            losses.save()
            do {
                switch kind {
                case RecordKind.commit.rawValue: try decoder.replay(payload, into: &store)
                case RecordKind.schemaVersion.rawValue:
                    schemaVersion = try SchemaVersionPayload.decode(payload)
                case RecordKind.migration.rawValue: schemaVersion = try decoder.migrate(payload, into: &store)
                default: return false
                }
                return true
            } catch is JournalError {
                losses.restore()
                return false
            }
        }
        try store.commit { transaction in dropObjectsWithoutPlace(transaction, losses) }
        scan.report.checkpointOffset = checkpoint?.offset
        scan.report.damagedPages = pages
        scan.report.losses = losses.losses
        return (scan.report, schemaVersion)
    }

    /// Deletes embedded objects whose owners are missing.
    private static func dropObjectsWithoutPlace(_ transaction: WriteTransaction, _ losses: SalvageLosses) {
        let owners = EmbeddedOwners(transaction)
        for (table, spec) in transaction.catalog.tables.enumerated() where spec.isEmbedded && !spec.isDerived
        {
            var keys: [ObjectKey] = []
            transaction.table(table).forEachKey { keys.append($0) }
            let lost = keys.filter { owners.owner(of: $0, table) == nil }
            if lost.isEmpty { continue }
            transaction.delete(lost, from: table)
            losses.note(.objectWithoutPlace, spec.name, count: lost.count)
        }
    }
}
