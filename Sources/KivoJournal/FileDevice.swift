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

/// A file, through the system's own calls.
///
/// A lock on the file (`flock`) keeps processes apart: one that writes has it alone, several that only read
/// share it. It goes with the device, also when the process dies. On iOS and its relatives a file that is shared does not stay locked:
/// see ``FileCalls/keepsLocks``. WebAssembly has no such locks: what runs a program there decides who has the file.
public final class FileDevice: JournalDevice {
    /// −1 once it is closed.
    private let descriptor: Atomic<Int32>
    private let path: String
    #if os(Linux)
    /// Where the system said that the file was when it was opened; nil if it did not say the path by which it was opened,
    /// which leads there through links and can lead elsewhere while the file stays.
    private let location: Lock<FileLink?>
    #endif

    /// Whether the file is to take another one's place, and its name leads to that one still.
    private let isBeingMade = Atomic(false)
    /// Whether the file was opened for reading alone.
    private let isReadOnly: Bool
    private let calls: FileCalls
    /// How other processes are kept apart; nil for a file that this device has alone.
    public let sharing: (any JournalSharing)?

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
    public var name: String { path }

    deinit { close() }

    /// Opens a file. One that is not there is created empty, for its owner only, unless it is to be read
    /// only.
    ///
    /// - Parameters:
    ///   - isLocked: Whether processes are kept apart. One that only looks at a file need not be kept from it by the one
    ///     that writes; it has to expect that the file's last record is not finished.
    ///   - followsLinks: Whether the path may be a symbolic link.
    /// - Throws: ``JournalError/notFound``, ``JournalError/permissionDenied``, ``JournalError/alreadyOpen``;
    ///   ``JournalError/notAJournal`` for a folder, a pipe and the like. The file is not changed.
    public static func open(
        path: String, readOnly: Bool = false, isShared: Bool = false, isAlone: Bool = false,
        isLocked: Bool = true, followsLinks: Bool = true
    ) throws(JournalError) -> FileDevice {
        try open(
            path: path, readOnly: readOnly, isShared: isShared, isAlone: isAlone, isLocked: isLocked,
            followsLinks: followsLinks, calls: .system)
    }

    /// The same by other calls than those of the system.
    package static func open(
        path: String, readOnly: Bool = false, isShared: Bool = false, isAlone: Bool = false,
        isLocked: Bool = true, followsLinks: Bool = true, calls: FileCalls
    ) throws(JournalError) -> FileDevice {
        for _ in 0..<100 {
            do throws(JournalError) {
                return try openInPlace(path, readOnly, isShared, isAlone, isLocked, followsLinks, calls)
            } catch .displaced {
                // Whoever had the lock may have put another file in its place, or have deleted it.
            }
        }
        throw .displaced
    }

    /// - Throws: ``JournalError/displaced`` if the path leads elsewhere when the file is locked.
    private static func openInPlace(
        _ path: String, _ readOnly: Bool, _ isShared: Bool, _ isAlone: Bool, _ isLocked: Bool,
        _ followsLinks: Bool, _ calls: FileCalls
    ) throws(JournalError) -> FileDevice {
        // Without O_NONBLOCK, opening a pipe would wait for somebody at its other end.
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
        if isLocked { try regular.lock(isShared: sharesLock, patiently: isShared) }
        if !readOnly { try regular.checkNames() }
        if isShared {
            // What lies beside the path belongs to the file that is there.
            try regular.checkPlace()
            try regular.checkKind()
        }
        let device = isShared ? try regular.shared() : regular
        do {
            // A file without bytes may be new: its name has to last before its contents can.
            if !readOnly, try device.size() == 0 { try device.synchronizePlace() }
            try device.checkPlace()
        } catch {
            device.close()
            throw error
        }
        return device
    }

    /// The same file, shared with other processes. One that is only read and has no file of locks beside it is not: nobody
    /// can write it, or nobody who does can be heard of.
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

    /// Refuses a file that has other names: who opens it by those has another file of locks, and what takes the place of one name
    /// leaves the others behind.
    private func checkNames() throws(JournalError) {
        let status = try status()
        if status.st_nlink < 2 { return }
        // A copy that was put in place by a process which was killed then.
        let unfinished = path + JournalCopy.unfinishedSuffix
        if status.st_nlink == 2, try leads(from: unfinished), unlink(unfinished) == 0 { return }
        throw .refused(
            """
            it has \(status.st_nlink) names (hard links), by which processes would not know of each other: make copies, or \
            symbolic links
            """)
    }

    /// Refuses a file of another kind before anything is made beside it.
    private func checkKind() throws(JournalError) {
        do {
            _ = try FileHeader.id(of: self)
        } catch .notAJournal {
            throw .notAJournal
        } catch {
        }
    }

    /// What tells the file from others; nil if the system does not say.
    public var identity: FileIdentity? {
        guard let status = try? status() else { return nil }
        return FileIdentity(
            device: UInt64(truncatingIfNeeded: status.st_dev), file: UInt64(status.st_ino),
            journal: (try? FileHeader.id(of: self)) ?? 0)
    }

    /// Lets others open a file that this device has alone.
    package func shareLock() throws(JournalError) { try lock(isShared: true) }

    /// What the path leads to now, opened as this one was: who may not write can follow.
    public func reopened() throws(JournalError) -> (any JournalDevice)? {
        let access = (isReadOnly ? O_RDONLY : O_RDWR) | O_CLOEXEC
        let descriptor = try FileCalls.call("opening") { calls.open(path, access) }
        let device = FileDevice(descriptor, path, readOnly: isReadOnly, sharing, calls)
        try device.lock(isShared: true, patiently: true)
        #if !os(WASI)
        // Before anything is read of it: who writes has the lock of the file that is written.
        if !isReadOnly { try (sharing as? FileSharing)?.bind(descriptor) }
        #endif
        return device
    }

    /// The bytes of the file.
    public func size() throws(JournalError) -> Int {
        // A process of 32 bits does not reach all of a large file.
        guard let size = Int(exactly: try status().st_size) else { throw .tooLarge }
        return size
    }

    /// Reads until the buffer is full or the file ends.
    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(JournalError) -> Int {
        try calls.readAll(open, buffer, at: offset)
    }

    /// Writes all bytes, possibly in several pieces.
    public func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(JournalError) {
        try calls.writeAll(open, bytes, at: offset)
    }

    /// Waits until the bytes are on the disk itself, not only in its cache.
    public func synchronize() throws(JournalError) {
        _ = try FileCalls.call("synchronizing") { calls.synchronize(open) }
    }

    /// Makes the file shorter.
    public func truncate(to size: Int) throws(JournalError) {
        _ = try FileCalls.call("truncating") { calls.truncate(open, size) }
    }

    /// Throws ``JournalError/displaced`` if the path leads to another file by now, or to none.
    public func checkPlace() throws(JournalError) {
        if isBeingMade.load(ordering: .relaxed) { return }
        #if os(Linux)
        // Whoever asks for a file's status has its next write note the time anew, and the flush after that write it as well,
        // which takes half as long again. So the file is asked only if its name has changed.
        if let location = location.withLock({ $0 }), FileLink(open) == location { return }
        #endif
        guard try leads(from: path) else { throw .displaced }
    }

    /// An empty file in the same folder, of the same name with an ending. One that a process left behind which was killed is
    /// taken over.
    public func makeReplacement() throws(JournalError) -> (any JournalDevice)? {
        let path = replacementPath
        try checkNames()
        // A symbolic link would lead to a file of somebody else.
        let access = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
        let descriptor = try FileCalls.call("opening") { calls.open(path, access) }
        // It has this one's name: that is what it is called once it counts.
        let device = FileDevice(descriptor, self.path, readOnly: false, sharing, calls)
        device.isBeingMade.store(true, ordering: .relaxed)
        try device.lock(isShared: false)
        #if !os(WASI)
        do {
            // The lock of its writers: it is held when the file is in place.
            _ = try FileCalls.call("locking") { calls.lockWriting(descriptor, LOCK_EX | LOCK_NB) }
        } catch .io(EWOULDBLOCK, _) {
            throw .alreadyOpen
        }
        #endif
        // Whoever had the lock may have put the file in place meanwhile: it is not ours to empty then.
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

    /// Has the file belong to whom another one does, as far as this process may say so, and be readable by the same: who compacts
    /// what belongs to somebody else is not to take it away from them.
    private func takeOwner(of other: stat) throws(JournalError) {
        var mode = other.mode & 0o777
        #if !os(WASI)
        let own = try status()
        if own.st_uid != other.st_uid || own.st_gid != other.st_gid,
            fchown(open, other.st_uid, other.st_gid) != 0, fchown(open, own.st_uid, other.st_gid) != 0
        {
            // It is of another group, which was not to read it.
            mode &= ~0o070
        }
        #endif
        _ = try FileCalls.call("setting permissions") { calls.changeMode(open, mode) }
    }

    /// Gives the file of `device` this one's name.
    public func replace(by device: any JournalDevice) throws(JournalError) {
        try checkPlace()
        defer { (device as? FileDevice)?.isBeingMade.store(false, ordering: .relaxed) }
        let from = replacementPath
        if sharing != nil, let device = device as? FileDevice {
            // Before it has its name: who opens it then is not to find it locked. The system gives the one lock up before it takes
            // the other, so another process that makes such a file may have it now.
            try device.lock(isShared: true)
            guard try device.leads(from: from) else { throw .alreadyOpen }
        }
        _ = try FileCalls.call("renaming") { calls.rename(from, path) }
        #if !os(WASI)
        // This file's writers find that it is displaced, and wait for the other one.
        if let device = device as? FileDevice { try (sharing as? FileSharing)?.bind(device.open) }
        #endif
        try synchronizePlace()
        #if os(Linux)
        guard let device = device as? FileDevice else { return }
        let location = FileLink(device.open).flatMap { $0.isPath(path) ? $0 : nil }
        device.location.withLock { $0 = location }
        #endif
    }

    /// Waits until the file's name is on the disk.
    public func synchronizePlace() throws(JournalError) {
        try FilePlacement.synchronizeFolder(of: path, calls)
    }

    /// Deletes the file. While it is open nobody else makes one of the same name, which would be deleted in its place.
    public func discard(_ device: any JournalDevice) {
        if let device = device as? FileDevice, (try? device.leads(from: replacementPath)) == true {
            _ = unlink(replacementPath)
        }
        device.close()
    }

    /// Whether a path leads to the file that is open.
    private func leads(from path: String) throws(JournalError) -> Bool {
        let own = try status()
        var found = stat()
        return statFile(path, &found) == 0 && found.st_dev == own.st_dev && found.st_ino == own.st_ino
    }

    private var replacementPath: String { path + FileDevice.replacementSuffix }

    /// What the file of locks is called, by which processes share a file, behind the name of that.
    public static let sharingSuffix = ".lock"

    /// What a file that is to take the place of another one is called behind the name of that, until it does.
    public static let replacementSuffix = ".compacting"

    /// Closes the file and gives up its lock.
    public func close() {
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

    /// - Parameter patiently: Whether to wait a moment for who has the file for itself: to look whether it is in use takes that
    ///   long.
    private func lock(isShared: Bool, patiently: Bool = false) throws(JournalError) {
        #if !os(WASI)
        for attempt in 0... {
            do {
                _ = try FileCalls.call("locking") {
                    calls.lock(open, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB)
                }
                if isShared, !calls.keepsLocks { _ = calls.lock(open, LOCK_UN) }
                return
            } catch .io(EWOULDBLOCK, _) {
                if !patiently || attempt == 50 { throw .alreadyOpen }
                usleep(2_000)
            }
        }
        #endif
    }
}

// Under a name that the methods of the device do not hide.
private func statFile(_ path: String, _ status: inout stat) -> Int32 { stat(path, &status) }

#endif
