#if os(Windows)

import Foundation
import KivoEngine

/// A file, through Foundation.
///
/// On Windows nothing keeps a second process from opening the same file: the program has to.
public final class FileDevice: JournalDevice {
    private let handle: Lock<FileHandle>

    /// What a file of locks is called behind the name of its file. There is none here.
    public static let sharingSuffix = ".lock"

    /// What a file that is to take the place of another one is called behind the name of that. There is none here.
    public static let replacementSuffix = ".compacting"

    private init(_ handle: sending FileHandle) { self.handle = Lock(handle) }

    deinit { close() }

    /// Opens a file. One that is not there is created empty, unless it is to be read only.
    ///
    /// - Throws: ``JournalError/notFound``, ``JournalError/permissionDenied``. The file is not changed.
    public static func open(
        path: String, readOnly: Bool = false, isShared: Bool = false, isAlone: Bool = false,
        isLocked: Bool = true, followsLinks: Bool = true
    ) throws(JournalError) -> FileDevice {
        let url = URL(fileURLWithPath: path)
        return try reporting("opening") {
            if readOnly { return FileDevice(try FileHandle(forReadingFrom: url)) }
            if !FileManager.default.fileExists(atPath: path) {
                try Data().write(to: url, options: .withoutOverwriting)
            }
            return FileDevice(try FileHandle(forUpdating: url))
        }
    }

    /// Does nothing: nobody is kept from the file.
    package func shareLock() throws(JournalError) {}

    /// Nil: a file is not told from one that takes its path later.
    public var identity: FileIdentity? { nil }

    /// The bytes of the file.
    public func size() throws(JournalError) -> Int {
        try using("asking for the size") { Int(try $0.seekToEnd()) }
    }

    /// Reads until the buffer is full or the file ends.
    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(JournalError) -> Int {
        try using("reading") { handle in
            try handle.seek(toOffset: UInt64(offset))
            var done = 0
            while done < buffer.count {
                guard let data = try handle.read(upToCount: buffer.count - done), !data.isEmpty else { break }
                UnsafeMutableRawBufferPointer(rebasing: buffer[done...]).copyBytes(from: data)
                done += data.count
            }
            return done
        }
    }

    /// Writes all bytes.
    public func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(JournalError) {
        try using("writing") { handle in
            try handle.seek(toOffset: UInt64(offset))
            try handle.write(contentsOf: Data(bytes))
        }
    }

    /// Waits until the bytes are on the disk.
    public func synchronize() throws(JournalError) {
        try using("synchronizing") { try $0.synchronize() }
    }

    /// Makes the file shorter.
    public func truncate(to size: Int) throws(JournalError) {
        try using("truncating") { try $0.truncate(atOffset: UInt64(size)) }
    }

    /// Closes the file.
    public func close() {
        handle.withLock { try? $0.close() }
    }

    private func using<Result>(
        _ operation: String, _ body: (FileHandle) throws -> Result
    ) throws(JournalError) -> Result {
        try FileDevice.reporting(operation) { try handle.withLock { try body($0) } }
    }

    private static func reporting<Result>(
        _ operation: String, _ body: () throws -> Result
    ) throws(JournalError) -> Result {
        do {
            return try body()
        } catch {
            throw JournalError(error, operation: operation)
        }
    }
}

extension JournalError {
    init(_ error: any Error, operation: String) {
        switch (error as? CocoaError)?.code {
        case .fileNoSuchFile, .fileReadNoSuchFile: self = .notFound
        case .fileReadNoPermission, .fileWriteNoPermission, .fileWriteVolumeReadOnly: self = .permissionDenied
        case .fileWriteOutOfSpace: self = .noSpace
        default:
            let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
            self = .io(
                errno: Int32(truncatingIfNeeded: (underlying ?? error as NSError).code), operation: operation)
        }
    }
}

#endif
