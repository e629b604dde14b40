import KivoEngine
import KivoLog

/// What a store gives to be a checkpoint: a version, and what a reader of the commits after it has to know.
final class StoreContents: Sendable {
    let snapshot: Snapshot
    let catalog: Catalog
    /// The numbers that commits name tables by.
    let numbers: TableNumbers
    /// The version of the log.
    let version: UInt64
    /// The version of the classes.
    let schemaVersion: UInt64
    /// What the nodes are made in; nil for what is only copied.
    let heap: Heap?

    init(
        _ snapshot: Snapshot, _ catalog: Catalog, _ numbers: TableNumbers, version: UInt64,
        schemaVersion: UInt64, _ heap: Heap? = nil
    ) {
        (self.snapshot, self.catalog, self.numbers) = (snapshot, catalog, numbers)
        (self.version, self.schemaVersion, self.heap) = (version, schemaVersion, heap)
    }

    /// The number of objects. O(tables).
    var rowCount: Int {
        catalog.tables.indices.reduce(0) {
            $0 + (catalog.tables[$1].isDerived ? 0 : snapshot.table($1).count)
        }
    }

    /// The record for pages that lead to all of it.
    ///
    /// - Parameters:
    ///   - tail: Where the commits begin that come after the version.
    ///   - lineage: The identity of the first journal of these data.
    func record(
        _ roots: [TableRoot], tail: CheckpointRecord.Tail, lineage: UInt64, _ base: CheckpointBase
    ) -> CheckpointRecord {
        CheckpointRecord(
            tail: tail, lineage: lineage, commits: version, schemaVersion: schemaVersion, base: base,
            tables: catalog.storedTables, numbers: numbers, roots: roots)
    }

    /// The checkpoint as logs are given it. Valid as long as the version is pinned.
    var given: LogCheckpoint {
        LogCheckpoint(version: version, contents: self) { [self] body in
            let image = ImageDevice()
            try JournalImage.write(self, to: image)
            try image.read(body)
        }
    }
}
