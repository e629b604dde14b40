import Foundation
import KivoEngine
import KivoLog

/// A checkpoint of a journal, whose pages are read from the journal.
final class JournalCheckpoint: Sendable {
    let record: CheckpointRecord
    private let device: any JournalDevice
    private let header: FileHeader
    /// Retains the pages while nodes may refer to them.
    let keep: @Sendable (JournalPages) -> Void
    private let made = Lock<JournalPages?>(nil)

    init(
        _ record: CheckpointRecord, _ device: any JournalDevice, _ header: FileHeader,
        _ keep: @escaping @Sendable (JournalPages) -> Void
    ) {
        self.record = record
        self.device = device
        self.header = header
        self.keep = keep
    }

    /// Creates a checkpoint from a device that contains it as a separate journal.
    convenience init(
        in device: any JournalDevice, _ keep: @escaping @Sendable (JournalPages) -> Void
    ) throws {
        guard let (record, header) = try Journal.newestCheckpoint(of: device) else {
            throw JournalError.corrupt(offset: 0, reason: "the checkpoint of a log holds no checkpoint")
        }
        self.init(record, device, header, keep)
    }

    /// Creates the pages, for a store that allocates its nodes in a heap. Called once.
    func makePages(_ heap: Heap, _ catalog: Catalog) -> JournalPages {
        let pages = JournalPages.make(device, journal: header.id, heap, catalog)
        pages.beginUse()
        made.withLock { $0 = pages }
        return pages
    }

    /// Whether lists and sets of objects may have elements without a target, because the file has an earlier version.
    var mayMissTargets: Bool { header.version < MissingTargets.firstVersionWithout }

    /// The pages, once a store has been restored from them.
    var pages: JournalPages? { made.withLock { $0 } }

    /// The checkpoint in the form that stores and other logs receive.
    var logCheckpoint: LogCheckpoint { LogCheckpoint(version: record.commits, .image(self)) }
}

extension JournalCheckpoint: CheckpointImage {
    /// Passes the bytes of the whole file.
    func forEachPart(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { bytes.deallocate() }
        var offset = 0
        while true {
            let count = try device.read(into: bytes, at: offset)
            if count == 0 { return }
            try body(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            offset += count
        }
    }
}

/// A read-only device with the bytes of a checkpoint that a log has stored on this machine.
final class CheckpointDevice: JournalDevice {
    private let bytes: CheckpointBytes
    let name: String

    private init(_ bytes: CheckpointBytes, name: String) {
        self.bytes = bytes
        self.name = name
    }

    /// The number of attempts to read a part that is elsewhere.
    private static let attempts = 6

    /// Returns a device with the bytes. A property has no way to throw, so bytes that are not on this machine are copied and
    /// verified first.
    ///
    /// - Throws: ``CommitLogError/unavailable(_:)`` if some bytes cannot be read; ``JournalError`` if they are damaged.
    static func make(_ bytes: CheckpointBytes, name: String) throws -> any JournalDevice {
        if bytes.isLocal { return CheckpointDevice(bytes, name: name) }
        let copy = try SpoolDevice(name: name)
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(1, min(bytes.size, 1 << 18)), alignment: 16)
        defer { buffer.deallocate() }
        var (offset, attempt) = (0, 1)
        while offset < bytes.size {
            do {
                let part = UnsafeMutableRawBufferPointer(
                    rebasing: buffer[..<min(buffer.count, bytes.size - offset)])
                let count = try bytes.read(part, offset)
                guard count > 0, count <= part.count else {
                    throw CommitLogError.corrupt("the checkpoint ends at byte \(offset)")
                }
                try copy.write(UnsafeRawBufferPointer(rebasing: part[..<count]), at: offset)
                offset += count
                attempt = 1
            } catch let error as CommitLogError where error.isLasting {
                throw error
            } catch {
                guard attempt < attempts else {
                    throw CommitLogError.unavailable("byte \(offset) of the checkpoint: \(error)")
                }
                Thread.sleep(forTimeInterval: 0.005 * Double(1 << attempt))
                attempt += 1
            }
        }
        try JournalVerification.verify(copy).check()
        return copy
    }

    func size() throws(JournalError) -> Int { bytes.size }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(JournalError) -> Int {
        var filled = 0
        do {
            while filled < buffer.count, offset + filled < bytes.size {
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
                let count = try bytes.read(rest, offset + filled)
                guard count > 0, count <= rest.count else { break }
                filled += count
            }
        } catch let error as JournalError {
            throw error
        } catch {
            throw .corrupt(offset: offset, reason: "the checkpoint cannot be read: \(error)")
        }
        return filled
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(JournalError) {
        throw .permissionDenied
    }
    func synchronize() throws(JournalError) {}
    func truncate(to size: Int) throws(JournalError) { throw .permissionDenied }
    func close() {}
}

extension CommitLogError {
    /// Whether another attempt to read would find the same.
    fileprivate var isLasting: Bool {
        switch self {
        case .removed, .otherLog, .corrupt: true
        default: false
        }
    }
}
