import KivoEngine
import KivoLog

/// A checkpoint of a damaged journal, after which the commits are replayed.
struct SalvagedCheckpoint {
    let device: any JournalDevice
    let journal: UInt64
    /// The offset of the checkpoint's record.
    let offset: Int
    let record: CheckpointRecord
    let catalog: Catalog

    /// The number of checkpoints that are considered, from the newest.
    private static let mostCandidates = 4

    private init?(_ candidate: JournalRecord, journal: UInt64, _ device: any JournalDevice) {
        guard var record = try? CheckpointRecord(candidate.payload),
            let catalog = try? Catalog(restoring: record.tables)
        else { return nil }
        if record.tail.sequence == 0 {
            record.tail = .init(offset: candidate.end, sequence: candidate.header.sequence)
        }
        guard record.tail.offset >= FileHeader.size, record.tail.offset <= candidate.end else { return nil }
        (self.device, self.journal, offset) = (device, journal, candidate.start)
        (self.record, self.catalog) = (record, catalog)
    }

    /// Returns the checkpoint with the smallest loss; nil if there is none, or if all commits are intact without it.
    static func best(of device: any JournalDevice) throws -> SalvagedCheckpoint? {
        var scan = try RecordScan(device)
        var candidates: [SalvagedCheckpoint] = []
        while let part = try scan.next() {
            guard case .record(let record) = part, record.kind == .checkpoint,
                let candidate = SalvagedCheckpoint(record, journal: scan.header.id, device)
            else { continue }
            candidates.append(candidate)
            if candidates.count > mostCandidates { candidates.removeFirst() }
        }
        guard let newest = candidates.last else { return nil }
        if newest.isIntact { return newest }
        for older in candidates.dropLast().reversed()
        where try older.isIntact && !isDamaged(device, after: older.record.tail) { return older }
        // The commits before the checkpoint of a compacted file are not in the file, so it cannot do without its checkpoint.
        if newest.record.base == CheckpointBase(), try !isDamaged(device, after: nil) { return nil }
        return newest
    }

    /// Whether a commit may be missing.
    private static func isDamaged(
        _ device: any JournalDevice, after tail: CheckpointRecord.Tail?
    ) throws -> Bool {
        var scan = try RecordScan(device, after: tail)
        while let part = try scan.next() {
            if case .damage(let damage) = part, damage.holdsData { return true }
        }
        return try scan.remains()?.holdsData ?? false
    }

    /// Whether all pages of the checkpoint are intact.
    private var isIntact: Bool {
        var isIntact = true
        var verifier = PageVerifier(catalog, read: page, report: { _, _ in isIntact = false })
        for root in record.roots where isIntact && !catalog.tables[root.table].isDerived {
            verifier.verify(root.withoutIndexes)
        }
        return isIntact
    }

    private func page(_ offset: Int) throws(PageFlaw) -> UnsafeMutableRawBufferPointer {
        try JournalPages.checkedPage(of: device, journal: journal, at: offset)
    }

    /// Applies the schema version and the intact part of the checkpoint as commits; returns the damaged pages. The tables then
    /// have the numbers by which later commits name them.
    func restore(
        into store: inout some CommitReplayer, _ applier: inout CommitApplier
    ) throws -> [SalvageReport.DamagedPage] {
        var damaged: [SalvageReport.DamagedPage] = []
        let heap = Heap()
        let salvage = PageSalvage(catalog, heap, read: page) { loss in
            let table = catalog.tables[loss.table]
            damaged.append(
                SalvageReport.DamagedPage(
                    offset: loss.offset, reason: loss.reason, className: table.name,
                    propertyName: loss.column.map { table.columns[$0].name }, objectCount: loss.rowCount))
        }
        var chain = salvage.chain(record.roots)
        defer { chain.destroy(catalog) }
        let described = record.numbers.byTable.sorted { $0.value < $1.value }.map(\.key)
        var encoder = CommitEncoder(
            chain.headSnapshot, catalog, numbers: record.numbers, describing: described)
        var changes = RowChangeSet(inserting: chain.headSnapshot, catalog)
        changes.tables.removeAll { record.numbers[$0.table] == nil }
        try applier.apply(EncodedCommit(.changes, encoder.encode(changes)), into: &store)
        try applier.apply(
            EncodedCommit(.schemaVersion, SchemaVersionPayload.encode(record.schemaVersion)), into: &store)
        return damaged.sorted { $0.offset < $1.offset }
    }
}

extension TableRoot {
    /// The table's rows, without the indexes that are derived from them.
    fileprivate var withoutIndexes: TableRoot {
        var root = self
        root.indexes = []
        return root
    }
}
