import KivoEngine

/// How many bytes of a file the newest checkpoint uses for each class.
package struct CheckpointSizes: Sendable {
    /// The bytes of the pages of each class, with its indexes, its large values, and the backlinks of its links.
    package private(set) var bytes: [String: Int] = [:]
    /// The bytes of all pages.
    package var total: Int { bytes.values.reduce(0, +) }
    /// The number of commits before the checkpoint, which distinguishes it from others of the file.
    package private(set) var commits: UInt64 = 0

    /// Computes the sizes from the headers of the pages; they are empty without a checkpoint. Values are not read: O(pages).
    ///
    /// - Parameter known: Sizes that are still valid if they belong to the newest checkpoint.
    /// - Throws: ``JournalError``.
    package init(of device: any JournalDevice, orIfUnchanged known: CheckpointSizes? = nil) throws {
        guard let (record, _) = try Journal.newestCheckpoint(of: device) else { return }
        if let known, known.commits == record.commits {
            self = known
            return
        }
        commits = record.commits
        for root in record.roots {
            guard let name = CheckpointSizes.className(of: root.table, in: record.tables) else { continue }
            for offset in [root.root] + root.indexes where offset != 0 {
                bytes[name, default: 0] += try CheckpointSizes.size(below: offset, device)
            }
        }
    }

    private static func className(of table: TableID, in tables: [StoredTable]) -> String? {
        switch tables[table] {
        case .objects(let name, _, _, _, _): name
        case .backlinks(let origin, _, _): className(of: origin, in: tables)
        case .unused: nil
        }
    }

    /// Returns the bytes of a page and of those to which it leads.
    private static func size(below root: Int, _ device: any JournalDevice) throws -> Int {
        // Holds the references of most pages.
        var buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 10, alignment: 16)
        defer { buffer.deallocate() }
        var (size, offsets) = (0, [root])
        while let offset = offsets.popLast() {
            var count = try device.read(into: buffer, at: offset)
            guard count >= PageLayout.headerSize,
                let length = PageLayout.length(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            else { throw JournalError.corrupt(offset: offset, reason: "there is no page") }
            let end = PageLayout.headerSize + PageLayout.referenceCount(UnsafeRawBufferPointer(buffer)) * 8
            if end > buffer.count {
                buffer.deallocate()
                buffer = .allocate(byteCount: end, alignment: 16)
                count = try device.read(into: buffer, at: offset)
            }
            guard count >= end else {
                throw JournalError.corrupt(offset: offset, reason: "the file ends within a page")
            }
            size += length
            for child in PageLayout.references(UnsafeRawBufferPointer(buffer)) {
                // Pages only refer to pages before them, so this ends in a damaged file also.
                guard child > 0, child < offset else {
                    throw JournalError.corrupt(offset: offset, reason: "a reference leads nowhere")
                }
                offsets.append(child)
            }
        }
        return size
    }
}
