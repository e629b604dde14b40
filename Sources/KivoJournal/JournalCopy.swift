import KivoEngine

/// A version of the data as a file of its own, without what led to it.
public enum JournalCopy {
    /// What is written until it is complete has the path of the file and this.
    public static let unfinishedSuffix = ".unfinished"

    /// Writes a version as a new file, which is there whole or not at all: a checkpoint, whose pages are written one after the
    /// other. What is not in memory is not brought in.
    ///
    /// - Parameter replacing: Whether a file that is there gives way. Whoever has it open keeps what was there.
    /// - Throws: ``JournalError/exists``, what the disk refuses. There is no new file then.
    public static func write(
        _ snapshot: Snapshot, _ catalog: Catalog, schemaVersion: UInt64, to path: String, replacing: Bool
    ) throws {
        try fill(path, replacing: replacing) { file in
            let copy = CopyDevice(file)
            try write(snapshot, catalog, schemaVersion: schemaVersion, to: copy)
            // Without what is allocated ahead: a copy may never be written to.
            try file.truncate(to: copy.end)
        }
    }

    private static func write(
        _ snapshot: Snapshot, _ catalog: Catalog, schemaVersion: UInt64, to copy: CopyDevice
    ) throws {
        var numbers = TableNumbers()
        for (table, spec) in catalog.tables.enumerated() where !spec.isDerived && spec.isDefined {
            _ = numbers.give(table)
        }
        let contents = StoreContents(snapshot, catalog, numbers, version: 0, schemaVersion: schemaVersion)
        try JournalImage.write(contents, to: copy)
    }

    /// Copies a file that nobody writes to, byte by byte, as a new one.
    public static func write(_ source: any JournalDevice, to path: String) throws {
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

    /// How many bytes a version would take as a file. O(bytes).
    public static func size(_ snapshot: Snapshot, _ catalog: Catalog, schemaVersion: UInt64) throws -> Int {
        let copy = CopyDevice(nil)
        try write(snapshot, catalog, schemaVersion: schemaVersion, to: copy)
        return copy.end
    }

    private static func fill(_ path: String, replacing: Bool, _ body: (FileDevice) throws -> Void) throws {
        if !replacing, FilePlacement.exists(path) { throw JournalError.exists }
        let unfinished = path + unfinishedSuffix
        // One that another process is writing is locked.
        let file = try FileDevice.open(path: unfinished, followsLinks: false)
        defer { file.close() }
        do {
            try file.truncate(to: 0)
            try body(file)
            try file.synchronize()
            try FilePlacement.move(unfinished, to: path, replacing: replacing)
        } catch {
            _ = try? FilePlacement.remove(unfinished)
            throw error
        }
    }
}

/// Passes on what is written to a file, or only counts it, and stays open when it is closed.
private final class CopyDevice: JournalDevice {
    private let base: FileDevice?
    private let state = Lock((size: 0, end: 0))

    init(_ base: FileDevice?) { self.base = base }

    /// Where the last bytes end that are not all zeros: those of the last record.
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

    /// Does nothing: a copy counts when all of it is written.
    func synchronize() throws(JournalError) {}

    func truncate(to size: Int) throws(JournalError) {
        try base?.truncate(to: size)
        state.withLock { $0 = (size, min($0.end, size)) }
    }

    func close() {}
}
