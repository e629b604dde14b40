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
///
/// The file of locks can be removed while processes have it open, and two processes can then have two of them. So a writer holds
/// two locks: that of this file, for which it waits, and one that belongs to the realm file itself (``FileLocks``). The second
/// keeps the writers of one realm file apart whatever its name and its file of locks are. Each time it takes the lock, a process
/// compares the file with what its path leads to, and goes over to that.
final class FileSharing: JournalSharing {
    /// The file of locks. Another file takes over the number if the path leads to that: see ``takeOver(isHeld:)``.
    let descriptor: Int32
    let path: String
    let calls: FileCalls
    let isReadOnly: Bool
    /// The realm file whose writers are kept apart; −1 if there is none.
    private let realm: Atomic<Int32>
    /// The one before, which it is again if the other one is given up.
    private let formerRealm = Atomic<Int32>(-1)
    private let realmPath: String
    private let permissions: RealmPermissions
    /// How often the lock was taken. Held while waiting for it: the other threads would wait as well.
    private let depth = Lock(0)
    private let isHeld = Atomic(false)
    /// How long a lock is waited for, in seconds; negative for as long as it takes.
    private let timeout = Atomic<Int64>(-1)
    private let locks: FileLocks
    /// Also held while a commit is published: nothing is written silently through a watch that was cancelled.
    private let watching = Lock<FileWatch?>(nil)

    /// The owner and the mode of a realm file: whoever may read it is to be notified of commits.
    struct RealmPermissions: Sendable {
        let owner: uid_t
        let group: gid_t
        let mode: mode_t
    }

    /// Opens or makes the file beside a realm file.
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

    /// Opens the file of locks. A symbolic link is refused: it would lead to a file of somebody else, which would be written.
    private static func open(
        _ path: String, readOnly: Bool, _ calls: FileCalls
    ) throws(JournalError) -> Int32 {
        let access = (readOnly ? O_RDONLY : O_RDWR | O_CREAT) | O_CLOEXEC | O_NOFOLLOW
        return try FileCalls.call("opening the file of locks") { calls.open(path, access) }
    }

    /// Gives the file its permissions, and its space: a commit is told also when the disk is full. That it fails is no reason
    /// not to open a realm.
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
        timeout.store(seconds.map { Int64(max(0, $0) * 1000) } ?? -1, ordering: .relaxed)
    }

    func lock() throws(JournalError) {
        try depth.withLock { depth throws(JournalError) in
            if depth == 0 { try take(waiting: true) }
            depth += 1
        }
    }

    func tryLock() throws(JournalError) -> Bool {
        do throws(JournalError) {
            let taken: Void? = try depth.withLockIfAvailable { depth throws(JournalError) in
                if depth == 0 { try take(waiting: false) }
                depth += 1
            }
            return taken != nil
        } catch .io(EWOULDBLOCK, _) {
            return false
        }
    }

    private func take(waiting: Bool) throws(JournalError) {
        let limit: FileLocks.Limit =
            waiting ? .milliseconds(timeout.load(ordering: .relaxed)) : .none
        try locks.lock(descriptor, limit)
        do {
            try followPath(limit)
            let realm = realm.load(ordering: .relaxed)
            if realm >= 0 { try locks.lockWriting(realm, descriptor, limit) }
        } catch {
            locks.unlock(descriptor)
            throw error
        }
        isHeld.store(true, ordering: .relaxed)
    }

    func unlock() {
        depth.withLock { depth in
            depth -= 1
            if depth > 0 { return }
            isHeld.store(false, ordering: .relaxed)
            let realm = realm.load(ordering: .relaxed)
            if realm >= 0 { locks.unlockWriting(realm) }
            locks.unlock(descriptor)
        }
    }

    func whileNobodyWrites(_ body: () throws -> Void) rethrows -> Bool {
        guard locks.tryLockForReading(descriptor) else { return false }
        defer { locks.unlock(descriptor) }
        try body()
        return true
    }

    /// Keeps the writers of another realm file apart: the one that took the place of the one before.
    func bind(_ file: Int32) throws(JournalError) {
        let isHeld = isHeld.load(ordering: .relaxed)
        let old = realm.load(ordering: .relaxed)
        // The same file, opened once more, would wait for itself.
        if isHeld, old >= 0, old != file, FileSharing.areSame(old, file) { locks.unlockWriting(old) }
        if isHeld { try locks.lockWriting(file, descriptor, .milliseconds(-1)) }
        realm.store(file, ordering: .relaxed)
        formerRealm.store(old, ordering: .relaxed)
        if isHeld, old >= 0, old != file { locks.unlockWriting(old) }
        // Who made the file has locked it until now.
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

    // MARK: Place

    /// Goes over to the file that the path leads to, while this one is locked: somebody may have removed it.
    private func followPath(_ limit: FileLocks.Limit) throws(JournalError) {
        // Somebody may remove one after the other; who writes the realm file is kept apart by its own lock all the same.
        for _ in 0..<16 {
            if isInPlace || !isRealmInPlace { return }
            try takeOver(limit)
        }
    }

    /// Whether the path leads to this file.
    private var isInPlace: Bool {
        var (own, found) = (stat(), stat())
        guard statFile(path, &found) == 0, fstat(descriptor, &own) == 0 else { return false }
        return own.st_ino == found.st_ino && own.st_dev == found.st_dev
    }

    /// Whether no path leads to this file.
    private var isRemoved: Bool {
        var own = stat()
        return fstat(descriptor, &own) == 0 && own.st_nlink == 0
    }

    /// Whether the path of the realm leads to it still: nothing is made beside a path that is free, or is somebody else's.
    private var isRealmInPlace: Bool {
        var (own, found) = (stat(), stat())
        let realm = realm.load(ordering: .relaxed)
        guard realm >= 0, statFile(realmPath, &found) == 0, fstat(realm, &own) == 0 else { return false }
        return own.st_ino == found.st_ino && own.st_dev == found.st_dev
    }

    /// Has the descriptor lead to the file at the path, which is made if there is none. What the file before says is said by a
    /// new one, too: it was published by the processes that have that one open.
    ///
    /// - Parameter limit: How long the lock of that file is waited for; nil if it is not taken.
    private func takeOver(_ limit: FileLocks.Limit?) throws(JournalError) {
        let file = try FileSharing.open(path, readOnly: isReadOnly, calls)
        defer { _ = closeDescriptor(file) }
        if let limit { try locks.lock(file, limit) }
        if !isReadOnly {
            prepare(file)
            var status = stat()
            if fstat(file, &status) == 0, status.st_size < 32 { fill(file, copying: descriptor) }
        }
        duplicate(file, as: descriptor)
        watching.withLock { $0?.move() }
    }

    /// Goes over to the file at the path if this one was removed: it is not written any more.
    private func notice() {
        guard isRemoved, isRealmInPlace else { return }
        if isReadOnly {
            try? takeOver(nil)
        } else if (try? tryLock()) == true {
            unlock()
        } else if !isHeld.load(ordering: .relaxed) {
            try? takeOver(nil)
        }
    }

    // MARK: Publishing

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
        // Without its lock: who has that waits for the realm file's, which this process holds, and publishes nothing.
        if isRemoved, isRealmInPlace { try? takeOver(nil) }
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

    /// Has the file of locks beside a realm file that does not exist say nothing any more: it is of one that was deleted. So a
    /// file that is found empty is known for one that was cut off, if its file of locks says where it ended.
    static func forget(besides realm: String, _ calls: FileCalls) {
        let path = realm + FileDevice.sharingSuffix
        let file = calls.open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { return }
        defer { _ = closeDescriptor(file) }
        guard calls.lock(file, LOCK_EX | LOCK_NB) == 0, !FilePlacement.exists(realm) else { return }
        withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { bytes in
            guard (try? calls.readAll(file, bytes, at: 0)) == 32, !UnsafeRawBufferPointer(bytes).isZero
            else { return }
            bytes.initializeMemory(as: UInt8.self, repeating: 0)
            // Before the realm file is there, also after a loss of power.
            try? calls.writeAll(file, UnsafeRawBufferPointer(bytes), at: 0)
            _ = calls.synchronize(file)
        }
    }
}

// Under names that the methods of the class do not hide.
private func closeDescriptor(_ descriptor: Int32) -> Int32 { close(descriptor) }
private func statFile(_ path: String, _ status: inout stat) -> Int32 { stat(path, &status) }

/// Has a descriptor lead to what another one does, at once for all threads.
private func duplicate(_ file: Int32, as descriptor: Int32) {
    _ = dup2(file, descriptor)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
}

#endif
