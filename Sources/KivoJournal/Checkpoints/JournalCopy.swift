import KivoEngine

/// Copies of one version of the data as a separate file, without its history.
package enum JournalCopy {
    /// The suffix of the path at which a copy is written until it is complete.
    package static let unfinishedSuffix = ".unfinished"

    /// Writes a version as a new file, which exists as a whole or not at all. The file contains a checkpoint, whose pages are
    /// written one after the other. Nodes that are not in memory are not loaded.
    ///
    /// - Parameter replacing: Whether an existing file is replaced. Processes that have it open keep its contents.
    /// - Throws: ``JournalError/exists``; any error of the disk. There is then no new file.
    package static func write(
        _ snapshot: Snapshot, _ catalog: Catalog, schemaVersion: UInt64, to path: String, replacing: Bool
    ) throws {
        try fill(path, replacing: replacing) { file in
            let copy = CopyDevice(file)
            try write(snapshot, catalog, schemaVersion: schemaVersion, to: copy, isOtherData: true)
            // Removes the space that was allocated ahead: a copy may never be written to.
            try file.truncate(to: copy.end)
        }
    }

    private static func write(
        _ snapshot: Snapshot, _ catalog: Catalog, schemaVersion: UInt64, to copy: CopyDevice,
        isOtherData: Bool
    ) throws {
        var numbers = TableNumbers()
        for (table, spec) in catalog.tables.enumerated() where !spec.isDerived && spec.isDefined {
            _ = numbers.give(table)
        }
        let contents = StoreContents(snapshot, catalog, numbers, version: 0, schemaVersion: schemaVersion)
        try JournalImage.write(contents, to: copy, isOtherData: isOtherData)
    }

    /// Copies a file to which no process writes, byte by byte, as a new file.
    package static func write(_ source: any JournalDevice, to path: String) throws {
        let size = try source.size()
        try fill(path, replacing: false) { file in
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
            defer { buffer.deallocate() }
            var offset = 0
            while offset < size {
                let count = try source.read(into: buffer, at: offset)
                if count == 0 {
                    throw JournalError.corrupt(
                        offset: offset, reason: "the file became shorter while it was read")
                }
                try file.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: offset)
                offset += count
            }
        }
    }

    /// Returns the number of bytes that a version would occupy as a file, with what it keeps of its history. O(bytes).
    package static func size(_ snapshot: Snapshot, _ catalog: Catalog, schemaVersion: UInt64) throws -> Int {
        let copy = CopyDevice(nil)
        try write(snapshot, catalog, schemaVersion: schemaVersion, to: copy, isOtherData: false)
        return copy.end
    }

    private static func fill(_ path: String, replacing: Bool, _ body: (FileDevice) throws -> Void) throws {
        if !replacing, FileSystem.exists(path) { throw JournalError.exists }
        let unfinished = path + unfinishedSuffix
        // A file that another process is writing is locked.
        let file = try FileDevice.open(path: unfinished, followsLinks: false)
        defer { file.close() }
        do {
            try file.truncate(to: 0)
            try body(file)
            try file.synchronize()
            try FileSystem.move(unfinished, to: path, replacing: replacing)
        } catch {
            _ = try? FileSystem.remove(unfinished)
            throw error
        }
    }
}

/// A device that forwards writes to a file, or only counts the bytes. It ignores ``close()``.
private final class CopyDevice: JournalDevice {
    private let base: FileDevice?
    private let state = Lock((size: 0, end: 0))

    init(_ base: FileDevice?) { self.base = base }

    /// The end of the last nonzero bytes that were written: the end of the last record.
    var end: Int { state.withLock { $0.end } }

    func size() throws(JournalError) -> Int { state.withLock { $0.size } }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(JournalError) -> Int {
        try base?.read(into: buffer, at: offset) ?? 0
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(JournalError) {
        try base?.write(bytes, at: offset)
        let end = offset + bytes.count
        let isZero = bytes.isZero
        state.withLock { state in
            state.size = max(state.size, end)
            if !isZero { state.end = max(state.end, end) }
        }
    }

    /// Does nothing: a copy is valid only once all of it is written, and the file is flushed then.
    func synchronize() throws(JournalError) {}

    func truncate(to size: Int) throws(JournalError) {
        try base?.truncate(to: size)
        state.withLock { $0 = (size, min($0.end, size)) }
    }

    func close() {}
}
