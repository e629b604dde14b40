#if os(Windows)

import KivoEngine
import Synchronization
import WinSDK

/// A file that is accessed through the calls of the system.
///
/// A lock on a byte far beyond its end (`LockFileEx`) separates processes: a writer has the file exclusively, several readers
/// share it. The lock ends with the device, also when the process dies. No data is ever at that byte. While the file is open, no
/// process can delete or replace it.
package final class FileDevice: JournalDevice {
    /// The system's handle, as a number; 0 once the file is closed.
    private let handle: Atomic<UInt>
    private let path: String

    /// The suffix of a file of locks, which is appended to the name of its realm file. There is no such file on Windows.
    package static let sharingSuffix = ".lock"

    /// The suffix of a file that is to replace another file. It is appended to that file's name. There is no such file on
    /// Windows.
    package static let replacementSuffix = ".compacting"

    private init(_ handle: UInt, _ path: String) {
        self.handle = Atomic(handle)
        self.path = path
    }

    /// The path.
    package var name: String { path }

    deinit { close() }

    /// Opens a file. If there is none and `readOnly` is false, creates an empty one.
    ///
    /// - Parameters:
    ///   - isShared: Whether to wait a moment for a process that has the file. Processes do not share files on Windows.
    ///   - isAlone: No effect: a writer always has the file exclusively.
    ///   - isLocked: Whether to lock the file against other processes. Without a lock, a file can be inspected while another
    ///     process writes it; its last record may then be unfinished.
    ///   - followsLinks: Whether the path may be a symbolic link.
    /// - Throws: ``JournalError/notFound``, ``JournalError/permissionDenied``, ``JournalError/alreadyOpen``;
    ///   ``JournalError/notAJournal`` for a folder, a pipe and the like. The file is not changed.
    package static func open(
        path: String, readOnly: Bool = false, isShared: Bool = false, isAlone: Bool = false,
        isLocked: Bool = true, followsLinks: Bool = true
    ) throws(JournalError) -> FileDevice {
        let found = FileNames.withName(path) { name in
            CreateFileW(
                name, WindowsCall.reading | (readOnly ? 0 : WindowsCall.writing),
                WindowsCall.sharingReads | WindowsCall.sharingWrites, nil,
                readOnly ? WindowsCall.openingWhatIsThere : WindowsCall.openingOrMaking,
                WindowsCall.normalFile | (followsLinks ? 0 : WindowsCall.linkItself), nil)
        }
        guard let found, found != INVALID_HANDLE_VALUE else {
            let error = JournalError(windows: GetLastError(), operation: "opening")
            throw error == .permissionDenied && FileSystem.isFolder(path) ? .notAJournal : error
        }
        let device = FileDevice(UInt(bitPattern: found), path)
        try device.checkKind()
        if isLocked { try device.lock(isShared: readOnly, retries: isShared) }
        return device
    }

    /// Throws ``JournalError/notAJournal`` unless this is a file on a disk.
    private func checkKind() throws(JournalError) {
        var information = BY_HANDLE_FILE_INFORMATION()
        guard GetFileType(file) == WindowsCall.disk,
            try WindowsCall.call("opening", GetFileInformationByHandle(file, &information)),
            information.dwFileAttributes & (WindowsCall.folder | WindowsCall.link) == 0
        else { throw .notAJournal }
    }

    /// Does nothing: a writer always keeps the file exclusively.
    package func shareLock() throws(JournalError) {}

    /// Always nil: while a file is open, no other one takes its path.
    package var identity: FileIdentity? { nil }

    /// Returns the size of the file in bytes.
    package func size() throws(JournalError) -> Int {
        var size = LARGE_INTEGER()
        try WindowsCall.call("asking for the size", GetFileSizeEx(file, &size))
        return Int(size.QuadPart)
    }

    /// Reads until the buffer is full or the file ends.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(JournalError) -> Int
    {
        var done = 0
        while done < buffer.count {
            let wanted = min(buffer.count - done, WindowsCall.mostBytes)
            var overlapped = OVERLAPPED(at: offset + done)
            var count: DWORD = 0
            let isRead = ReadFile(file, buffer.baseAddress! + done, DWORD(wanted), &count, &overlapped)
            if !isRead {
                let error = GetLastError()
                if error == WindowsCall.endOfFile { break }
                throw JournalError(windows: error, operation: "reading")
            }
            if count == 0 { break }
            done += Int(count)
        }
        return done
    }

    /// Writes all bytes, possibly in several pieces.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(JournalError) {
        var done = 0
        while done < bytes.count {
            let offered = min(bytes.count - done, WindowsCall.mostBytes)
            var overlapped = OVERLAPPED(at: offset + done)
            var count: DWORD = 0
            try WindowsCall.call(
                "writing", WriteFile(file, bytes.baseAddress! + done, DWORD(offered), &count, &overlapped))
            if count == 0 { throw .noSpace }
            done += Int(count)
        }
    }

    /// Waits until the bytes are on the disk.
    package func synchronize() throws(JournalError) {
        try WindowsCall.call("synchronizing", FlushFileBuffers(file))
    }

    /// Makes the file shorter.
    package func truncate(to size: Int) throws(JournalError) {
        // The alternative takes the size from the position of the handle, which each read moves.
        var end = FILE_END_OF_FILE_INFO()
        end.EndOfFile.QuadPart = LONGLONG(size)
        let byteCount = DWORD(MemoryLayout<FILE_END_OF_FILE_INFO>.size)
        try WindowsCall.call(
            "truncating", SetFileInformationByHandle(file, FileEndOfFileInfo, &end, byteCount))
    }

    /// Closes the file and releases its lock.
    package func close() {
        let number = handle.exchange(0, ordering: .sequentiallyConsistent)
        if let file = HANDLE(bitPattern: number) { CloseHandle(file) }
    }

    private var file: HANDLE? { HANDLE(bitPattern: handle.load(ordering: .relaxed)) }

    /// - Parameter retries: Whether to wait a moment, up to 0.1 seconds, for a process that has the file. A process that only
    ///   checks whether the file is in use has it for about that long.
    private func lock(isShared: Bool, retries: Bool) throws(JournalError) {
        for attempt in 0... {
            var overlapped = OVERLAPPED(at: 1 << 62)
            let flags = WindowsCall.failingAtOnce | (isShared ? 0 : WindowsCall.exclusively)
            if LockFileEx(file, flags, 0, 1, 0, &overlapped) { return }
            let error = JournalError(windows: GetLastError(), operation: "locking")
            if error != .alreadyOpen || !retries || attempt == 50 { throw error }
            Sleep(2)
        }
    }
}

extension OVERLAPPED {
    fileprivate init(at offset: Int) {
        self.init()
        Offset = DWORD(truncatingIfNeeded: offset)
        OffsetHigh = DWORD(truncatingIfNeeded: offset >> 32)
    }
}

#endif
