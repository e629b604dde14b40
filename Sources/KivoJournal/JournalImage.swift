import KivoEngine

/// A version as a journal of its own, which has it as a checkpoint and no commits.
enum JournalImage {
    /// Writes the journal to an empty device. The store's own pages are as they were. O(live data); memory is taken for one chunk.
    static func write(
        _ contents: StoreContents, to device: any JournalDevice, chunkSize: Int = 1 << 18
    ) throws {
        let header = try Journal.create(on: device, readOnly: false)
        let pages = JournalPages.make(device, journal: header.id, contents.heap, contents.catalog)
        // Nothing is brought in from there.
        defer { PageFiles.remove(pages.number) }
        let fresh = FreshJournal(JournalWriter(device, header))
        _ = try fill(fresh, contents, pages, lineage: header.id, chunkSize: chunkSize, isCopy: true)
        try device.synchronize()
    }

    /// Writes the pages of a version, and the checkpoint that leads to them, to a journal that nobody has yet.
    ///
    /// - Parameter isCopy: Whether the nodes of the store are to stay what they are in its own file.
    /// - Returns: Where the pages of other files are that were carried over, and how large the journal was.
    static func fill(
        _ fresh: FreshJournal, _ contents: StoreContents, _ pages: JournalPages, lineage: UInt64,
        chunkSize: Int,
        isCopy: Bool
    ) throws -> (carried: [PageReference: Int], base: CheckpointBase) {
        var writer = PageWriter(
            FreshPageDestination(fresh, pages), chunkSize: chunkSize, notesPages: !isCopy)
        let roots = try writer.write(contents.snapshot, contents.catalog)
        let base = CheckpointBase(bytes: fresh.writer.position.end, rows: contents.rowCount)
        // Its tail begins behind itself.
        let record = contents.record(roots, tail: .init(offset: 0, sequence: 0), lineage: lineage, base)
        try fresh.writer.append(record, version: contents.version)
        return (writer.carriedOffsets, base)
    }
}

/// A journal that is written in memory, to be given to a log as bytes.
final class ImageDevice: JournalDevice {
    private let bytes = Lock<[UInt8]>([])

    /// Gives the bytes, without what was allocated ahead.
    func read(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        let bytes = bytes.withLock { $0 }
        let end = (bytes.lastIndex { $0 != 0 } ?? -1) + 1
        try bytes[..<min(bytes.count, (end + 7) & ~7)].withUnsafeBytes(body)
    }

    func size() throws(JournalError) -> Int { bytes.withLock { $0.count } }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(JournalError) -> Int {
        let part = bytes.withLock { $0.dropFirst(offset).prefix(buffer.count) }
        buffer.copyBytes(from: part)
        return part.count
    }

    func write(_ part: UnsafeRawBufferPointer, at offset: Int) throws(JournalError) {
        let given = Array(part)
        bytes.withLock { bytes in
            let end = offset + given.count
            if bytes.count < end { bytes.append(contentsOf: repeatElement(0, count: end - bytes.count)) }
            bytes.replaceSubrange(offset..<end, with: given)
        }
    }

    func synchronize() throws(JournalError) {}
    func truncate(to size: Int) throws(JournalError) { bytes.withLock { $0.removeLast($0.count - size) } }
    func close() {}
}
