import KivoEngine

/// A version of the data as a separate journal, which contains a checkpoint and no commits.
enum JournalImage {
    /// The number of attempts: it is unlikely that the file is compacted even twice during a copy.
    private static let mostAttempts = 8

    /// Writes the journal to an empty device. The store's own pages stay unchanged, and nodes that are not in memory are not
    /// loaded. O(live data).
    ///
    /// - Parameter isOtherData: Whether the journal begins a history of its own, without rows of Kivo itself, which belong to the
    ///   other one.
    static func write(
        _ contents: StoreContents, to device: any JournalDevice, isOtherData: Bool = false
    ) throws {
        for _ in 0..<mostAttempts {
            do {
                let header = try Journal.create(on: device, readOnly: false)
                let fresh = FreshJournal(JournalWriter(device, header))
                _ = try fill(
                    fresh,
                    PageWriter(
                        CopyPageDestination(fresh), isCopy: true, leavesOutInternalTables: isOtherData),
                    contents, lineage: header.id)
                return
            } catch is CopyPageDestination.PagesMoved {
                try device.truncate(to: 0)
            }
        }
        throw JournalError.senseless("the file is compacted again and again while it is copied")
    }

    /// Writes the pages of a version, and the checkpoint that refers to them, to a journal that no other code uses yet.
    ///
    /// - Returns: The new offsets of the pages that were carried over from other files, and the size of the journal.
    static func fill<Destination: PageDestination>(
        _ fresh: FreshJournal, _ pages: PageWriter<Destination>, _ contents: StoreContents, lineage: UInt64
    ) throws -> (carried: [PageReference: Int], base: CheckpointBase) {
        var pages = pages
        let roots = try pages.write(contents.snapshot, contents.catalog)
        let base = CheckpointBase(bytes: fresh.writer.position.end, rows: contents.rowCount)
        // The tail of the checkpoint begins after the checkpoint.
        let record = contents.record(roots, tail: .init(offset: 0, sequence: 0), lineage: lineage, base)
        try fresh.writer.append(record, version: contents.version)
        return (pages.copiedOffsets, base)
    }
}
