import KivoEngine
import KivoLog

/// The contents of a checkpoint: a version, and the information that a reader of the commits after it needs.
final class StoreContents: Sendable {
    let snapshot: Snapshot
    let catalog: Catalog
    /// The numbers by which commits name tables.
    let numbers: TableNumbers
    /// The version of the log.
    let version: UInt64
    /// The schema version.
    let schemaVersion: UInt64
    /// The log that the data come from; nil if the file that is written is the log.
    let origin: LogOrigin?
    /// The heap in which the nodes are allocated; nil for contents that are only copied.
    let heap: Heap?

    init(
        _ snapshot: Snapshot, _ catalog: Catalog, _ numbers: TableNumbers, version: UInt64,
        schemaVersion: UInt64, origin: LogOrigin? = nil, _ heap: Heap? = nil
    ) {
        (self.snapshot, self.catalog, self.numbers) = (snapshot, catalog, numbers)
        (self.version, self.schemaVersion, self.heap) = (version, schemaVersion, heap)
        self.origin = origin
    }

    /// The number of objects. O(tables).
    var rowCount: Int {
        catalog.tables.indices.reduce(0) {
            $0 + (catalog.tables[$1].isDerived ? 0 : snapshot.table($1).count)
        }
    }

    /// Returns the record for pages that contain all of the contents.
    ///
    /// - Parameters:
    ///   - tail: The start of the commits that follow the version.
    ///   - lineage: The identity of the first journal of these data.
    func record(
        _ roots: [TableRoot], tail: CheckpointRecord.Tail, lineage: UInt64, _ base: CheckpointBase
    ) -> CheckpointRecord {
        CheckpointRecord(
            tail: tail, lineage: lineage, commits: version, schemaVersion: schemaVersion, base: base,
            tables: catalog.storedTables, numbers: numbers, roots: roots, origin: origin)
    }

    /// The checkpoint in the form that logs receive. Valid as long as the version is pinned.
    var logCheckpoint: LogCheckpoint { LogCheckpoint(version: version, .image(self)) }
}

extension StoreContents: CheckpointImage {
    func forEachPart(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        // Elsewhere than in memory: it is as large as all data.
        let image = try SpoolDevice()
        try JournalImage.write(self, to: image)
        try image.forEachPart(body)
    }
}

extension LogCheckpoint {
    /// The version that a store of this process has made the checkpoint of, and the heap in which its nodes are allocated.
    ///
    /// - Throws: ``CommitLogError/foreignCheckpoint`` if the checkpoint comes from elsewhere.
    var storeContents: (StoreContents, Heap) {
        get throws(CommitLogError) {
            guard case .image(let image) = contents, let source = image as? StoreContents,
                let heap = source.heap
            else { throw .foreignCheckpoint }
            return (source, heap)
        }
    }
}
