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
import Synchronization

/// The sharing of a realm file through a file beside it, whose name has the suffix `.lock`. Writers lock that file, and publish
/// in it where the realm file ends. It holds no data, and may be deleted when no process has the realm open.
///
///      0  identity of the journal, 8 bytes
///      8  end, 8 bytes
///     16  sequence number of the last record, 8 bytes
///     24  checksum of bytes 0 ..< 24, 8 bytes
///
/// The file is never flushed: after a loss of power no process has it open. Writing to it wakes other processes (``FileWatch``).
/// On systems without such a watch, a process notices commits when it refreshes or writes.
///
/// The file of locks can be removed while processes have it open, and two processes can then have different ones. So a writer
/// holds two locks: that of this file, for which it waits, and one on the realm file itself (``FileLocks``). The second lock
/// separates the writers of one realm file, whatever its name and its file of locks. Each time a process takes the lock, it
/// compares its file with the one at the path, and switches to that.
final class FileSharing: JournalSharing {
    /// The descriptor of the file of locks. It is redirected if the path leads to another file: see ``takeOver(_:)``.
    let descriptor: Int32
    let path: String
    let calls: FileCalls
    let isReadOnly: Bool
    /// The descriptor of the realm file that the lock covers; −1 if there is none.
    private let realm: Atomic<Int32>
    /// The previous value of ``realm``, which is restored if the newer file is closed.
    private let formerRealm = Atomic<Int32>(-1)
    private let realmPath: String
    private let permissions: RealmPermissions
    /// Held while ``depth`` changes, and while this process waits for the file's lock: its other threads would wait as well.
    private let turn = Lock(())
    /// How often this process has taken the lock, and not released it.
    private let depth = Atomic(0)
    private var isHeld: Bool { depth.load(ordering: .relaxed) > 0 }
    /// The numbers that this process has reserved. Held while the descriptor is redirected.
    private let reserved = Lock<Set<UInt64>>([])
    /// The time to wait for a lock.
    private let timeout = Lock(FileLocks.Limit.unlimited)
    private let locks: FileLocks
    /// The watch of the file. Also held while a commit is published, so that no write is silent through a cancelled watch.
    private let watching = Lock<FileWatch?>(nil)

    /// The owner, group and mode of a realm file. A process that may read the realm file must be notified of commits.
    struct RealmPermissions: Sendable {
        let owner: uid_t
        let group: gid_t
        let mode: mode_t
    }

    /// Opens or creates the file of locks beside a realm file.
    ///
    /// - Parameter realm: The descriptor of the realm file.
    init(
        besides path: String, _ realm: Int32, readOnly: Bool, _ permissions: RealmPermissions,
        _ calls: FileCalls
    ) throws(JournalError) {
        realmPath = path
        self.path = path + FileDevice.sharingSuffix
        self.realm = Atomic(realm)
        (isReadOnly, self.calls, self.permissions) = (readOnly, calls, permissions)
        locks = FileLocks(of: realm, realmPath, calls)
        descriptor = try FileSharing.open(self.path, readOnly: readOnly, calls)
        if !readOnly { prepare(descriptor) }
    }

    /// Opens the file of locks. Throws for a symbolic link: it could lead to an unrelated file, which would be overwritten.
    private static func open(
        _ path: String, readOnly: Bool, _ calls: FileCalls
    ) throws(JournalError) -> Int32 {
        let access = (readOnly ? O_RDONLY : O_RDWR | O_CREAT) | O_CLOEXEC | O_NOFOLLOW
        return try FileCalls.call("opening the file of locks") { calls.open(path, access) }
    }

    /// Gives the file its permissions and its space, so that a commit can be published even if the disk is full. Ignores
    /// failures, which are no reason not to open a realm.
    private func prepare(_ file: Int32) {
        var status = stat()
        guard fstat(file, &status) == 0 else { return }
        if status.st_gid != permissions.group || status.st_uid != permissions.owner,
            fchown(file, permissions.owner, permissions.group) != 0
        {
            _ = fchown(file, status.st_uid, permissions.group)
        }
        let wanted = permissions.mode & 0o666 | 0o600
        if status.mode & 0o777 != wanted { _ = calls.changeMode(file, wanted) }
        // The holder of the lock may be publishing where the file ends, which this must not overwrite.
        guard status.st_size < 32, file == descriptor, (try? tryLock()) == true else { return }
        defer { unlock() }
        guard fstat(file, &status) == 0, status.st_size < 32 else { return }
        fill(file, copying: nil)
    }

    /// Writes the bytes of another file of locks, or zeros.
    private func fill(_ file: Int32, copying source: Int32?) {
        withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { bytes in
            bytes.initializeMemory(as: UInt8.self, repeating: 0)
            if let source { _ = try? calls.readAll(source, bytes, at: 0) }
            try? calls.writeAll(file, UnsafeRawBufferPointer(bytes), at: 0)
        }
    }

    deinit {
        close()
        _ = closeDescriptor(descriptor)
    }

    // MARK: Locking

    func setTimeout(_ seconds: Double?) {
        let limit = seconds.map { FileLocks.Limit.milliseconds(Int64(max(0, $0) * 1000)) } ?? .unlimited
        timeout.withLock { $0 = limit }
    }

    func lock() throws(JournalError) {
        try turn.withLock { _ throws(JournalError) in
            if !isHeld { try take(waiting: true) }
            depth.add(1, ordering: .relaxed)
        }
    }

    func tryLock() throws(JournalError) -> Bool {
        do throws(JournalError) {
            let taken: Void? = try turn.withLockIfAvailable { _ throws(JournalError) in
                if !isHeld { try take(waiting: false) }
                depth.add(1, ordering: .relaxed)
            }
            return taken != nil
        } catch .io(EWOULDBLOCK, _) {
            return false
        }
    }

    private func take(waiting: Bool) throws(JournalError) {
        let limit = waiting ? timeout.withLock { $0 } : .immediate
        try locks.lock(descriptor, limit)
        do {
            try followPath(limit)
            let realm = realm.load(ordering: .relaxed)
            if realm >= 0 { try locks.lockWriting(realm, descriptor, limit) }
        } catch {
            locks.unlock(descriptor)
            throw error
        }
    }

    func unlock() {
        turn.withLock { _ in
            depth.subtract(1, ordering: .relaxed)
            if isHeld { return }
            let realm = realm.load(ordering: .relaxed)
            if realm >= 0 { locks.unlockWriting(realm) }
            locks.unlock(descriptor)
        }
    }

    func tryReserve(_ number: UInt64) -> Bool {
        // A system that ends programs with locks must not find any while the program is suspended. A file that is open for reading
        // cannot be locked.
        if !calls.keepsLocks || isReadOnly { return true }
        return reserved.withLock { reserved in
            guard tryLock(byteOf: number, of: descriptor) else { return false }
            reserved.insert(number)
            return true
        }
    }

    func release(_ number: UInt64) {
        reserved.withLock { reserved in
            if reserved.remove(number) == nil { return }
            _ = calls.lockByte(descriptor, FileSharing.byte(of: number), LOCK_UN)
        }
    }

    private func tryLock(byteOf number: UInt64, of file: Int32) -> Bool {
        if calls.lockByte(file, FileSharing.byte(of: number), LOCK_EX | LOCK_NB) >= 0 { return true }
        return errno != EWOULDBLOCK && errno != EAGAIN
    }

    /// The byte that is locked for a number, of which 48 bits count.
    private static func byte(of number: UInt64) -> Int64 { 1 << 61 + Int64(number & (1 << 48 - 1)) }

    func whileNobodyWrites(_ body: () throws -> Void) rethrows -> Bool {
        guard locks.tryLockForReading(descriptor) else { return false }
        defer { locks.unlock(descriptor) }
        try body()
        return true
    }

    /// Makes the lock cover the writers of `file`, which has replaced the previous realm file.
    func bind(_ file: Int32) throws(JournalError) {
        let isHeld = isHeld
        let old = realm.load(ordering: .relaxed)
        // A lock through a second descriptor of the same file would wait for the first one.
        if isHeld, old >= 0, old != file, FileSharing.areSame(old, file) { locks.unlockWriting(old) }
        if isHeld { try locks.lockWriting(file, descriptor, .unlimited) }
        realm.store(file, ordering: .relaxed)
        formerRealm.store(old, ordering: .relaxed)
        if isHeld, old >= 0, old != file { locks.unlockWriting(old) }
        // The maker of the file has held its writers' lock until now.
        if !isHeld { locks.unlockWriting(file) }
    }

    private static func areSame(_ file: Int32, _ other: Int32) -> Bool {
        var (one, two) = (stat(), stat())
        return fstat(file, &one) == 0 && fstat(other, &two) == 0 && one.st_ino == two.st_ino
            && one.st_dev == two.st_dev
    }

    /// Forgets a realm file that is about to be closed.
    func unbind(_ file: Int32) {
        let former = formerRealm.load(ordering: .relaxed)
        if former == file { formerRealm.store(-1, ordering: .relaxed) }
        _ = realm.compareExchange(
            expected: file, desired: former == file ? -1 : former, ordering: .relaxed)
    }

    // MARK: The path

    /// Switches to the file at the path, while this one is locked, because this one may have been removed.
    private func followPath(_ limit: FileLocks.Limit) throws(JournalError) {
        // Other processes may replace the file at the path again and again, so the attempts are limited. Writers are safe in any
        // case, because each also holds the lock of the realm file.
        for _ in 0..<16 {
            if isAtPath || !isRealmAtPath { return }
            try takeOver(limit)
        }
    }

    /// Whether the path leads to this file.
    private var isAtPath: Bool {
        var (own, found) = (stat(), stat())
        guard statFile(path, &found) == 0, fstat(descriptor, &own) == 0 else { return false }
        return own.st_ino == found.st_ino && own.st_dev == found.st_dev
    }

    /// Whether no path leads to this file.
    private var isRemoved: Bool {
        var own = stat()
        return fstat(descriptor, &own) == 0 && own.st_nlink == 0
    }

    /// Whether the path of the realm still leads to its file. No file is made beside a path that is free or has another file.
    private var isRealmAtPath: Bool {
        var (own, found) = (stat(), stat())
        let realm = realm.load(ordering: .relaxed)
        guard realm >= 0, statFile(realmPath, &found) == 0, fstat(realm, &own) == 0 else { return false }
        return own.st_ino == found.st_ino && own.st_dev == found.st_dev
    }

    /// Redirects the descriptor to the file at the path, which is created if there is none. A new file gets the contents of the
    /// one before, because the processes that have that one open published them.
    ///
    /// - Parameter limit: The time to wait for the lock of that file; nil if it is not taken.
    private func takeOver(_ limit: FileLocks.Limit?) throws(JournalError) {
        let file = try FileSharing.open(path, readOnly: isReadOnly, calls)
        defer { _ = closeDescriptor(file) }
        if let limit { try locks.lock(file, limit) }
        if !isReadOnly {
            prepare(file)
            var status = stat()
            if fstat(file, &status) == 0, status.st_size < 32 { fill(file, copying: descriptor) }
        }
        reserved.withLock { reserved in
            // The locks belong to the open file, whatever its descriptors.
            for number in reserved { _ = tryLock(byteOf: number, of: file) }
            duplicate(file, as: descriptor)
        }
        watching.withLock { $0?.move() }
    }

    /// Switches to the file at the path if this one was removed, because no process publishes in this one any more.
    private func notice() {
        guard isRemoved, isRealmAtPath else { return }
        if isReadOnly {
            try? takeOver(nil)
        } else if (try? tryLock()) == true {
            unlock()
        } else if !isHeld {
            try? takeOver(nil)
        }
    }

    // MARK: Publishing

    func published() -> PublishedEnd? {
        // A wrong checksum means that the bytes are being written: they are complete in a moment.
        for _ in 0..<64 {
            let (isWhole, end) = readEnd()
            if isWhole { return end }
        }
        return nil
    }

    /// Returns the published end, or nil. `isWhole` is false while it is being written.
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
        // The lock of the new file is not needed: its holder waits for the realm file's, which this process holds, and publishes
        // nothing.
        if isRemoved, isRealmAtPath { try? takeOver(nil) }
        withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { bytes in
            bytes.store(end.journal, at: 0)
            bytes.store(UInt64(end.end), at: 8)
            bytes.store(end.sequence, at: 16)
            bytes.store(FileSharing.checksum(UnsafeRawBufferPointer(bytes)), at: 24)
            // If this fails, other processes notice the commit with the next one.
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
        watching.withLock { watch in
            watch = FileWatch(of: descriptor, path) { [weak self] in
                self?.notice()
                body()
            }
        }
    }

    func close() {
        watching.withLock { watch in
            watch?.cancel()
            watch = nil
        }
    }

    // MARK: Files that were deleted

    /// Clears the file of locks beside a realm file that does not exist: it belongs to a deleted file. So an empty realm file was
    /// cut off if its file of locks says where it ended.
    static func forget(besides realm: String, _ calls: FileCalls) {
        let path = realm + FileDevice.sharingSuffix
        let file = calls.open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { return }
        defer { _ = closeDescriptor(file) }
        guard calls.lock(file, LOCK_EX | LOCK_NB) == 0, !FileSystem.exists(realm) else { return }
        withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { bytes in
            guard (try? calls.readAll(file, bytes, at: 0)) == 32, !UnsafeRawBufferPointer(bytes).isZero
            else { return }
            bytes.initializeMemory(as: UInt8.self, repeating: 0)
            // Flushed, so that this precedes the creation of the realm file even after a loss of power.
            try? calls.writeAll(file, UnsafeRawBufferPointer(bytes), at: 0)
            _ = calls.synchronize(file)
        }
    }
}

// The methods of the class do not hide these names.
private func closeDescriptor(_ descriptor: Int32) -> Int32 { close(descriptor) }
private func statFile(_ path: String, _ status: inout stat) -> Int32 { stat(path, &status) }

/// Redirects a descriptor to the file of another one, at once for all threads.
private func duplicate(_ file: Int32, as descriptor: Int32) {
    _ = dup2(file, descriptor)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
}

#endif
