#if !os(Windows) && !os(WASI)

#if canImport(Darwin)
import Darwin
#elseif canImport(Android)
import Android
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif
import KivoEngine

/// Sharing by a file beside the realm's, of its name with `.lock` behind: it is locked by who writes, and says where the realm
/// file ends. It holds no data, and may be deleted when nobody has the realm open.
///
///      0  identity of the journal, 8 bytes
///      8  end, 8 bytes
///     16  sequence number of the last record, 8 bytes
///     24  checksum of bytes 0 ..< 24, 8 bytes
///
/// It is never flushed: after a loss of power nobody has the file open. Writing it is what wakes other processes
/// (``FileWatch``). On systems without such a watch, a process learns of commits when it refreshes or writes.
final class FileSharing: JournalSharing {
    private let descriptor: Int32
    private let path: String
    private let calls: FileCalls
    /// How often the lock was taken. Held while waiting for it: the other threads would wait as well.
    private let depth = Lock(0)
    /// Also held while a commit is published: nothing is written silently through a watch that was cancelled.
    private let watching = Lock<FileWatch?>(nil)

    /// Opens or makes the file beside a realm file.
    ///
    /// - Parameter permissions: Those of the realm file: who may read it is to hear of commits.
    init(
        besides realm: String, readOnly: Bool, permissions: mode_t, _ calls: FileCalls
    ) throws(JournalError) {
        let path = realm + FileDevice.sharingSuffix
        let access = (readOnly ? O_RDONLY : O_RDWR | O_CREAT) | O_CLOEXEC
        let found = try FileCalls.call("opening the file of locks") { calls.open(path, access) }
        (self.path, descriptor, self.calls) = (path, found, calls)
        if !readOnly { prepare(permissions) }
    }

    /// Gives the file its permissions, and its space: a commit is told also when the disk is full. That it fails is no reason
    /// not to open a realm.
    private func prepare(_ permissions: mode_t) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return }
        let wanted = permissions | 0o600
        if status.st_mode & 0o777 != wanted { _ = calls.changeMode(descriptor, wanted) }
        // The holder of the lock may be publishing where the file ends, which this must not overwrite.
        guard status.st_size < 32, (try? tryLock()) == true else { return }
        defer { unlock() }
        guard fstat(descriptor, &status) == 0, status.st_size < 32 else { return }
        withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { bytes in
            bytes.initializeMemory(as: UInt8.self, repeating: 0)
            try? calls.writeAll(descriptor, UnsafeRawBufferPointer(bytes), at: 0)
        }
    }

    deinit {
        close()
        _ = closeDescriptor(descriptor)
    }

    func lock() throws(JournalError) {
        try depth.withLock { depth throws(JournalError) in
            if depth == 0 { _ = try FileCalls.call("locking") { calls.lock(descriptor, LOCK_EX) } }
            depth += 1
        }
    }

    func tryLock() throws(JournalError) -> Bool {
        do throws(JournalError) {
            let taken: Void? = try depth.withLockIfAvailable { depth throws(JournalError) in
                if depth == 0 {
                    _ = try FileCalls.call("locking") { calls.lock(descriptor, LOCK_EX | LOCK_NB) }
                }
                depth += 1
            }
            return taken != nil
        } catch .io(EWOULDBLOCK, _) {
            return false
        }
    }

    func unlock() {
        depth.withLock { depth in
            depth -= 1
            if depth == 0 { _ = calls.lock(descriptor, LOCK_UN) }
        }
    }

    func published() -> PublishedEnd? {
        // One that is being written is found out by its checksum: it is there in a moment.
        for _ in 0..<64 {
            let (isWhole, end) = readEnd()
            if isWhole { return end }
        }
        return nil
    }

    /// What is in the file, and whether it is not being written.
    private func readEnd() -> (isWhole: Bool, end: PublishedEnd?) {
        withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { bytes in
            guard (try? calls.readAll(descriptor, bytes, at: 0)) == 32 else { return (true, nil) }
            let stored = UnsafeRawBufferPointer(bytes)
            if stored.isZero { return (true, nil) }
            guard stored.number(at: 24) == FileSharing.checksum(stored) else { return (false, nil) }
            guard let end = Int(exactly: stored.number(at: 8)) else { return (true, nil) }
            return (
                true, PublishedEnd(journal: stored.number(at: 0), end: end, sequence: stored.number(at: 16))
            )
        }
    }

    func publish(_ end: PublishedEnd, to audience: PublicationAudience) {
        withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { bytes in
            bytes.store(end.journal, at: 0)
            bytes.store(UInt64(end.end), at: 8)
            bytes.store(end.sequence, at: 16)
            bytes.store(FileSharing.checksum(UnsafeRawBufferPointer(bytes)), at: 24)
            // If this fails, other processes learn of the commit with the next one.
            func write() { try? calls.writeAll(descriptor, UnsafeRawBufferPointer(bytes), at: 0) }
            switch audience {
            case .everybody: write()
            case .others:
                watching.withLock { watch in
                    if let watch { watch.silently(write) } else { write() }
                }
            }
        }
    }

    private static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[..<24]), seed: 0)
    }

    func watch(_ body: @escaping @Sendable () -> Void) {
        watching.withLock { $0 = FileWatch(of: descriptor, body) }
    }

    func close() {
        watching.withLock { watch in
            watch?.cancel()
            watch = nil
        }
    }
}

// Under a name that the method of the class does not hide.
private func closeDescriptor(_ descriptor: Int32) -> Int32 { close(descriptor) }

#endif
