import Foundation
import KivoEngine
import KivoLog

/// A journal in a temporary file, which nobody else sees and which is gone with this object: a checkpoint on its way to a log, or
/// a copy of one that a log keeps elsewhere.
final class SpoolDevice: JournalDevice {
    private let file: FileDevice
    private let path: String
    private let state = Lock((size: 0, end: 0))
    let name: String

    /// - Throws: ``JournalError`` if there is no place for temporary files.
    init(name: String = "a checkpoint") throws(JournalError) {
        self.name = name
        path =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("kivo-\(UInt64.random(in: 0 ... .max)).checkpoint").path
        file = try FileDevice.open(path: path, followsLinks: false)
        // Where the system allows it, the file has no name as long as it is used.
        _ = try? FileSystem.remove(path)
    }

    deinit {
        file.close()
        _ = try? FileSystem.remove(path)
    }

    /// Calls `body` with the bytes in parts, without the space that was allocated ahead.
    func forEachPart(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { buffer.deallocate() }
        let end = state.withLock { min($0.size, ($0.end + 7) & ~7) }
        var offset = 0
        while offset < end {
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, end - offset)])
            guard try file.read(into: part, at: offset) == part.count else {
                throw JournalError.corrupt(offset: offset, reason: "the temporary file became shorter")
            }
            try body(UnsafeRawBufferPointer(part))
            offset += part.count
        }
    }

    func size() throws(JournalError) -> Int { state.withLock { $0.size } }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(JournalError) -> Int {
        let size = state.withLock { $0.size }
        guard offset < size else { return 0 }
        let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, size - offset)])
        return try file.read(into: part, at: offset)
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(JournalError) {
        try file.write(bytes, at: offset)
        let end = offset + bytes.count
        // The last word of a record is a checksum.
        let last = bytes.lastIndex { $0 != 0 }
        state.withLock { state in
            state.size = max(state.size, end)
            if let last { state.end = max(state.end, offset + last + 1) }
        }
    }

    /// Does nothing: after a crash nobody looks for the file.
    func synchronize() throws(JournalError) {}

    func truncate(to size: Int) throws(JournalError) {
        try file.truncate(to: size)
        state.withLock { $0 = (size, min($0.end, size)) }
    }

    func close() {}
}
