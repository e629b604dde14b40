import KivoEngine
import KivoLog

/// Reads the intact records of a damaged journal.
package enum JournalSalvage {
    /// Applies the intact data on a device: the newest checkpoint, without the rows whose pages are damaged, and the commits
    /// after it. Commits before damage are applied as they are. Commits after damage are applied except for changes that depend
    /// on missing data. Writes nothing to the device.
    ///
    /// An older checkpoint, or none, is used if nothing is missing with that choice.
    ///
    /// The header may be lost: since version 4 of the format, records contain the identity of the journal.
    ///
    /// - Throws: ``JournalError`` if the device is not a journal, or if no copy of its header and no record with its identity is
    ///   intact; any error of the device.
    package static func read(
        _ device: any JournalDevice, into store: inout some CommitReplayer
    ) throws -> (report: SalvageReport, schemaVersion: UInt64) {
        let losses = SalvageLosses()
        var applier = CommitApplier.salvaging(losses)
        var pages: [SalvageReport.DamagedPage] = []
        let checkpoint = try SalvagedCheckpoint.best(of: device)
        if let checkpoint { pages = try checkpoint.restore(into: &store, &applier) }
        var scan = try SalvageScan(device, after: checkpoint?.record.tail)
        try scan.forEachRecord { record in
            losses.save()
            do {
                guard let kind = try EncodedCommit.Kind(record.kind) else { return false }
                try applier.apply(kind, record.payload, into: &store)
                return true
            } catch is JournalError {
                losses.restore()
                return false
            }
        }
        try store.commit { transaction in dropOrphans(transaction, losses) }
        scan.report.checkpointOffset = checkpoint?.offset
        scan.report.damagedPages = pages
        scan.report.losses = losses.losses
        return (scan.report, applier.schemaVersion ?? 0)
    }

    /// Deletes embedded objects whose parents are missing.
    private static func dropOrphans(_ transaction: WriteTransaction, _ losses: SalvageLosses) {
        let owners = EmbeddedOwners(transaction)
        for (table, spec) in transaction.catalog.tables.enumerated() where spec.isEmbedded && !spec.isDerived
        {
            var keys: [ObjectKey] = []
            transaction.table(table).forEachKey { keys.append($0) }
            let lost = keys.filter { owners.owner(of: $0, table) == nil }
            if lost.isEmpty { continue }
            transaction.delete(lost, from: table)
            losses.note(.objectWithoutParent, spec.name, count: lost.count)
        }
    }
}
