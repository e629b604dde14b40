#if !os(Windows)

#if canImport(Darwin)
import Darwin
#elseif canImport(Android)
import Android
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#elseif canImport(WASILibc)
import WASILibc
#endif
import KivoEngine
import Synchronization

/// A file that is accessed through the calls of the system.
///
/// A lock on the file (`flock`) separates processes: a writer has the file exclusively, several readers share it. The lock ends
/// with the device, also when the process dies. On iOS and its relatives a shared file does not stay locked: see
/// ``FileCalls/keepsLocks``. WebAssembly has no such locks: the host of the programs decides which of them has the file.
package final class FileDevice: JournalDevice {
    /// The file descriptor; −1 once the file is closed.
    private let descriptor: Atomic<Int32>
    private let path: String
    #if os(Linux)
    /// The location of the file that the system reported on opening; nil if that differs from the path by which the file was
    /// opened. Such a path leads to the file through links, and can lead elsewhere while the file stays.
    private let location: Lock<FileLink?>
    #endif

    /// Whether the file is to replace another one, to which its path still leads.
    private let isBeingMade = Atomic(false)
    /// Whether the file was opened for reading only.
    private let isReadOnly: Bool
    private let calls: FileCalls
    /// The object through which processes share the file; nil if this device has the file exclusively.
    package let sharing: (any JournalSharing)?

    private init(
        _ descriptor: Int32, _ path: String, readOnly: Bool, _ sharing: (any JournalSharing)?,
        _ calls: FileCalls
    ) {
        self.descriptor = Atomic(descriptor)
        self.path = path
        isReadOnly = readOnly
        self.sharing = sharing
        self.calls = calls
        #if os(Linux)
        location = Lock(FileLink(descriptor).flatMap { $0.isPath(path) ? $0 : nil })
        #endif
    }

    /// The path.
    package var name: String { path }

    deinit { close() }

    /// Opens a file. If there is none and `readOnly` is false, creates an empty file that only its owner can access.
    ///
    /// - Parameters:
    ///   - isLocked: Whether to lock the file against other processes. Without a lock, a file can be inspected while another
    ///     process writes it; its last record may then be unfinished.
    ///   - followsLinks: Whether the path may be a symbolic link.
    /// - Throws: ``JournalError/notFound``, ``JournalError/permissionDenied``, ``JournalError/alreadyOpen``;
    ///   ``JournalError/notAJournal`` for a folder, a pipe and the like. The file is not changed.
    package static func open(
        path: String, readOnly: Bool = false, isShared: Bool = false, isAlone: Bool = false,
        isLocked: Bool = true, followsLinks: Bool = true
    ) throws(JournalError) -> FileDevice {
        try open(
            path: path, readOnly: readOnly, isShared: isShared, isAlone: isAlone, isLocked: isLocked,
            followsLinks: followsLinks, calls: .system)
    }

    /// Opens a file through the given calls instead of those of the system.
    package static func open(
        path: String, readOnly: Bool = false, isShared: Bool = false, isAlone: Bool = false,
        isLocked: Bool = true, followsLinks: Bool = true, calls: FileCalls
    ) throws(JournalError) -> FileDevice {
        for _ in 0..<100 {
            do throws(JournalError) {
                return try openAtPath(path, readOnly, isShared, isAlone, isLocked, followsLinks, calls)
            } catch .displaced {
                // The previous holder of the lock may have replaced or deleted the file.
            }
        }
        throw .displaced
    }

    /// - Throws: ``JournalError/displaced`` if the path leads elsewhere by the time the file is locked.
    private static func openAtPath(
        _ path: String, _ readOnly: Bool, _ isShared: Bool, _ isAlone: Bool, _ isLocked: Bool,
        _ followsLinks: Bool, _ calls: FileCalls
    ) throws(JournalError) -> FileDevice {
        // Without O_NONBLOCK, opening a pipe would wait for a process at its other end.
        let access =
            (readOnly ? O_RDONLY : O_RDWR) | O_CLOEXEC | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW)
        let descriptor: Int32
        do {
            descriptor = try FileCalls.call("opening") { calls.open(path, access) }
        } catch .notFound where !readOnly {
            #if !os(WASI)
            if isShared { FileSharing.forget(besides: path, calls) }
            #endif
            descriptor = try FileCalls.call("opening") { calls.open(path, access | O_CREAT) }
        }
        let regular = FileDevice(descriptor, path, readOnly: readOnly, nil, calls)
        guard try regular.status().mode & S_IFMT == S_IFREG else { throw .notAJournal }
        let sharesLock = !isAlone && (readOnly || isShared)
        if isLocked { try regular.lock(isShared: sharesLock, retries: isShared) }
        if !readOnly { try regular.checkHardLinks() }
        if isShared {
            // The files beside the path belong to the file at the path, which must therefore be this one.
            try regular.checkName()
            try regular.checkKind()
        }
        let device = isShared ? try regular.shared() : regular
        do {
            // An empty file may be new: its name must be durable before its contents can be.
            if !readOnly, try device.size() == 0 { try device.synchronizeName() }
            try device.checkName()
        } catch {
            device.close()
            throw error
        }
        return device
    }

    /// Returns a device that takes over the descriptor and shares the file with other processes. A read-only file is not shared
    /// if its file of locks does not exist or cannot be opened: no process can write the file then, or its commits cannot be
    /// noticed.
    private func shared() throws(JournalError) -> FileDevice {
        #if os(WASI)
        return self
        #else
        var sharing: FileSharing?
        do {
            let status = try status()
            sharing = try FileSharing(
                besides: path, open, readOnly: isReadOnly,
                .init(owner: status.st_uid, group: status.st_gid, mode: status.mode & 0o666), calls)
        } catch .notFound where isReadOnly {
        } catch .permissionDenied where isReadOnly {
        }
        return FileDevice(
            descriptor.exchange(-1, ordering: .sequentiallyConsistent), path, readOnly: isReadOnly, sharing,
            calls)
        #endif
    }

    /// Throws if the file has several names (hard links). Each name would have its own file of locks, and replacing the file
    /// under one name would leave the old file under the others.
    private func checkHardLinks() throws(JournalError) {
        let status = try status()
        if status.st_nlink < 2 { return }
        // The second name may be left from a copy whose process was killed right after it had put the copy in place.
        let unfinished = path + JournalCopy.unfinishedSuffix
        if status.st_nlink == 2, try leads(from: unfinished), unlink(unfinished) == 0 { return }
        throw .refused(
            """
            it has \(status.st_nlink) names (hard links), by which processes would not know of each other: make copies, or \
            symbolic links
            """)
    }

    /// Throws if the file is of another kind, before any file is made beside it.
    private func checkKind() throws(JournalError) {
        do {
            _ = try FileHeader.id(of: self)
        } catch .notAJournal {
            throw .notAJournal
        } catch {
        }
    }

    /// The identity that distinguishes the file from later files at its path; nil if the system does not report it.
    package var identity: FileIdentity? {
        guard let status = try? status() else { return nil }
        return FileIdentity(
            device: UInt64(truncatingIfNeeded: status.st_dev), file: UInt64(status.st_ino),
            journal: (try? FileHeader.id(of: self)) ?? 0)
    }

    /// Allows other processes to open a file that this device has exclusively.
    package func shareLock() throws(JournalError) { try lock(isShared: true) }

    /// Calls a closure while no other process has the file open. Returns false, and does not call it, if one has. Where a shared
    /// file does not stay locked (``FileCalls/keepsLocks``), other processes are not noticed.
    package func whileAlone(_ body: () throws(JournalError) -> Void) throws(JournalError) -> Bool {
        #if !os(WASI)
        if sharing != nil, calls.keepsLocks {
            do {
                _ = try FileCalls.call("locking") { calls.lock(open, LOCK_EX | LOCK_NB) }
            } catch .io(EWOULDBLOCK, _) {
                try lockAgain()
                return false
            }
            var failure: JournalError?
            do { try body() } catch { failure = error }
            try lockAgain()
            if let failure { throw failure }
            return true
        }
        #endif
        try body()
        return true
    }

    #if !os(WASI)
    /// Takes the shared lock again, which the system may have released before it refused the exclusive one. A process that has the
    /// file exclusively meanwhile only looks at it, because the caller has the writers' lock.
    private func lockAgain() throws(JournalError) {
        for _ in 0..<100 {
            do {
                return try lock(isShared: true, retries: true)
            } catch .alreadyOpen {}
        }
        throw .alreadyOpen
    }
    #endif

    /// Opens the file to which the path leads now, with this device's access: a process that may only read can follow, too.
    package func reopened() throws(JournalError) -> (any JournalDevice)? {
        let access = (isReadOnly ? O_RDONLY : O_RDWR) | O_CLOEXEC
        let descriptor = try FileCalls.call("opening") { calls.open(path, access) }
        let device = FileDevice(descriptor, path, readOnly: isReadOnly, sharing, calls)
        try device.lock(isShared: true, retries: true)
        #if !os(WASI)
        // The file is bound before anything is read from it: a writer must hold the lock of the file that it writes.
        if !isReadOnly { try (sharing as? FileSharing)?.bind(descriptor) }
        #endif
        return device
    }

    /// Returns the size of the file in bytes.
    package func size() throws(JournalError) -> Int {
        try size(status())
    }

    private func size(_ status: stat) throws(JournalError) -> Int {
        // A 32-bit process cannot address all of a large file.
        guard let size = Int(exactly: status.st_size) else { throw .tooLarge }
        return size
    }

    /// Reads until the buffer is full or the file ends.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(JournalError) -> Int
    {
        try calls.readAll(open, buffer, at: offset)
    }

    /// Asks the file system for the holes of a file that has large ones: zeros behind the end of the records need not be read then. A
    /// file of usual size is read, since there are file systems that reported holes where unflushed data was.
    package func contents(from offset: Int) throws(JournalError) -> Range<Int>? {
        let status = try status()
        let size = try size(status)
        guard offset < size else { return nil }
        let stored = Int64(status.st_blocks) * 512
        guard size - offset > 1 << 26, Int64(size) - stored > 1 << 26 else { return offset..<size }
        let start = calls.seek(open, offset, FileCalls.seekContents)
        guard start >= offset else { return errno == ENXIO ? nil : offset..<size }
        let end = calls.seek(open, start, FileCalls.seekHole)
        // Another process may have made the file shorter.
        return start < size ? start..<(end > start ? min(size, end) : size) : nil
    }

    /// Writes all bytes, possibly in several pieces.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(JournalError) {
        try calls.writeAll(open, bytes, at: offset)
    }

    /// Waits until the bytes are on the disk itself, not only in its cache.
    package func synchronize() throws(JournalError) {
        _ = try FileCalls.call("synchronizing") { calls.synchronize(open) }
    }

    /// Makes the file shorter.
    package func truncate(to size: Int) throws(JournalError) {
        _ = try FileCalls.call("truncating") { calls.truncate(open, size) }
    }

    /// Throws ``JournalError/displaced`` if the path leads to another file by now, or to none.
    package func checkName() throws(JournalError) {
        if isBeingMade.load(ordering: .relaxed) { return }
        #if os(Linux)
        // A request for a file's status makes the next write update the file's time, which the following flush has to write as
        // well. The flush then takes half as long again. So the status is requested only if the file's name has changed.
        if let location = location.withLock({ $0 }), FileLink(open) == location { return }
        #endif
        guard try leads(from: path) else { throw .displaced }
    }

    /// Returns an empty file in the same folder, whose name is this file's with a suffix. Reuses a file that a killed process
    /// left behind.
    package func makeReplacement() throws(JournalError) -> (any JournalDevice)? {
        let path = replacementPath
        try checkHardLinks()
        // A symbolic link could lead to an unrelated file.
        let access = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
        let descriptor = try FileCalls.call("opening") { calls.open(path, access) }
        // The device gets this one's path, which is its own once it has replaced this file.
        let device = FileDevice(descriptor, self.path, readOnly: false, sharing, calls)
        device.isBeingMade.store(true, ordering: .relaxed)
        try device.lock(isShared: false)
        #if !os(WASI)
        do {
            // The writers' lock is taken now, so that it is held once the file is in place.
            _ = try FileCalls.call("locking") { calls.lockWriting(descriptor, LOCK_EX | LOCK_NB) }
        } catch .io(EWOULDBLOCK, _) {
            throw .alreadyOpen
        }
        #endif
        // The previous holder of the lock may have put the file in place meanwhile. It must not be emptied then.
        guard try device.leads(from: path) else { throw .alreadyOpen }
        do {
            try device.truncate(to: 0)
            try device.takeOwner(of: try status())
            return device
        } catch {
            discard(device)
            throw error
        }
    }

    /// Gives the file the owner, group and mode of another file, as far as this process is permitted to. Compacting another
    /// user's file must not take it away from that user.
    private func takeOwner(of other: stat) throws(JournalError) {
        var mode = other.mode & 0o777
        #if !os(WASI)
        let own = try status()
        if own.st_uid != other.st_uid || own.st_gid != other.st_gid,
            fchown(open, other.st_uid, other.st_gid) != 0, fchown(open, own.st_uid, other.st_gid) != 0
        {
            // The file has another group, which was not permitted to read the other file.
            mode &= ~0o070
        }
        #endif
        _ = try FileCalls.call("setting permissions") { calls.changeMode(open, mode) }
    }

    /// Replaces this file at its path with the file of `device`.
    package func replace(by device: any JournalDevice) throws(JournalError) {
        try checkName()
        defer { (device as? FileDevice)?.isBeingMade.store(false, ordering: .relaxed) }
        let from = replacementPath
        if sharing != nil, let device = device as? FileDevice {
            // The lock becomes shared before the file gets its name: a process that opens it then must not find it locked. The
            // system releases one lock before it takes the other, so another process that makes such a file may have it now.
            try device.lock(isShared: true)
            guard try device.leads(from: from) else { throw .alreadyOpen }
        }
        _ = try FileCalls.call("renaming") { calls.rename(from, path) }
        #if !os(WASI)
        // The writers of this file find that it is displaced, and then wait for the new one.
        if let device = device as? FileDevice { try (sharing as? FileSharing)?.bind(device.open) }
        #endif
        try synchronizeName()
        #if os(Linux)
        guard let device = device as? FileDevice else { return }
        let location = FileLink(device.open).flatMap { $0.isPath(path) ? $0 : nil }
        device.location.withLock { $0 = location }
        #endif
    }

    /// Waits until the file's name is on the disk.
    package func synchronizeName() throws(JournalError) {
        try FileSystem.synchronizeFolder(of: path, calls)
    }

    /// Deletes the file. While it is open, no other process makes a file of its name, which would be deleted instead.
    package func discard(_ device: any JournalDevice) {
        if let device = device as? FileDevice, (try? device.leads(from: replacementPath)) == true {
            _ = unlink(replacementPath)
        }
        device.close()
    }

    /// Whether a path leads to the open file.
    private func leads(from path: String) throws(JournalError) -> Bool {
        let own = try status()
        var found = stat()
        return statFile(path, &found) == 0 && found.st_dev == own.st_dev && found.st_ino == own.st_ino
    }

    private var replacementPath: String { path + FileDevice.replacementSuffix }

    /// The suffix of the file of locks through which processes share a file. It is appended to that file's name.
    package static let sharingSuffix = ".lock"

    /// The suffix of a file that is to replace another file. It is appended to that file's name until then.
    package static let replacementSuffix = ".compacting"

    /// Closes the file and releases its lock.
    package func close() {
        let descriptor = descriptor.exchange(-1, ordering: .sequentiallyConsistent)
        guard descriptor >= 0 else { return }
        #if !os(WASI)
        (sharing as? FileSharing)?.unbind(descriptor)
        #endif
        _ = calls.close(descriptor)
    }

    private var open: Int32 { descriptor.load(ordering: .relaxed) }

    private func status() throws(JournalError) -> stat {
        var status = stat()
        _ = try FileCalls.call("asking for the size") { fstat(open, &status) }
        return status
    }

    /// - Parameter retries: Whether to wait a moment, up to 0.1 seconds, for a process that has the file exclusively. A process
    ///   that only checks whether the file is in use has it for about that long.
    private func lock(isShared: Bool, retries: Bool = false) throws(JournalError) {
        #if !os(WASI)
        for attempt in 0... {
            do {
                _ = try FileCalls.call("locking") {
                    calls.lock(open, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB)
                }
                if isShared, !calls.keepsLocks { _ = calls.lock(open, LOCK_UN) }
                return
            } catch .io(EWOULDBLOCK, _) {
                if !retries || attempt == 50 { throw .alreadyOpen }
                usleep(2_000)
            }
        }
        #endif
    }
}

// The methods of the device do not hide this name.
private func statFile(_ path: String, _ status: inout stat) -> Int32 { stat(path, &status) }

#endif
