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

/// The system calls through which a file is used. Tests replace them with calls that fail.
///
/// Each returns the result of the system call of its name. If that is negative, `errno` has the reason.
package struct FileCalls: Sendable {
    /// Opens a file, which only its user can read if this creates it.
    package var open: @Sendable (_ path: String, _ flags: Int32) -> Int32 = { openFile($0, $1) }
    /// Reads bytes at an offset.
    package var read:
        @Sendable (_ file: Int32, _ bytes: UnsafeMutableRawBufferPointer, _ offset: Int) -> Int = {
            pread($0, $1.baseAddress, $1.count, off_t($2))
        }
    /// Writes bytes at an offset.
    package var write: @Sendable (_ file: Int32, _ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Int = {
        pwrite($0, $1.baseAddress, $1.count, off_t($2))
    }
    /// Finds the next contents of a file, or its next hole, at or after an offset.
    package var seek: @Sendable (_ file: Int32, _ offset: Int, _ kind: Int32) -> Int = {
        Int(lseek($0, off_t($1), $2))
    }
    /// Sets the size of a file.
    package var truncate: @Sendable (_ file: Int32, _ size: Int) -> Int32 = { ftruncate($0, off_t($1)) }
    /// Waits until what was written to a file is on the disk itself.
    package var synchronize: @Sendable (_ file: Int32) -> Int32 = { synchronizeFile($0) }
    /// Waits until the names in a folder are on the disk.
    package var synchronizeFolder: @Sendable (_ folder: Int32) -> Int32 = {
        #if canImport(Darwin)
        synchronizeFile($0)
        #else
        fsync($0)
        #endif
    }
    /// Renames a file.
    package var rename: @Sendable (_ source: String, _ path: String) -> Int32 = { renameFile($0, $1) }
    /// Locks or unlocks a file, by an operation of `flock`.
    package var lock: @Sendable (_ file: Int32, _ operation: Int32) -> Int32 = { lockFile($0, $1) }
    /// Locks the realm file itself for its writer. Takes an operation of `flock`. Does nothing where there are no such locks.
    package var lockWriting: @Sendable (_ file: Int32, _ operation: Int32) -> Int32 = {
        lockFarByte($0, at: 1 << 62, $1)
    }
    /// Locks a byte far beyond the end of a file, for as long as the file is open. Takes an operation of `flock` that does not wait.
    package var lockByte: @Sendable (_ file: Int32, _ offset: Int64, _ operation: Int32) -> Int32 = {
        lockFarByte($0, at: $1, $2)
    }
    /// Closes a file.
    package var close: @Sendable (_ file: Int32) -> Int32 = { closeFile($0) }
    /// Sets the permissions of a file.
    package var changeMode: @Sendable (_ file: Int32, _ mode: mode_t) -> Int32 = { fchmod($0, $1) }

    /// Whether a shared file stays locked while it is open. iOS and its relatives end a program that they suspend while it has a
    /// lock on a file of an app group. There, opening a file only checks that no process has it exclusively, and only writes are
    /// locked.
    package var keepsLocks = FileCalls.systemLetsLocksBe

    #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
    private static let systemLetsLocksBe = false
    #else
    private static let systemLetsLocksBe = true
    #endif

    // SEEK_DATA and SEEK_HOLE, for which not all C libraries have names.
    #if canImport(Darwin)
    static let (seekContents, seekHole): (Int32, Int32) = (4, 3)
    #else
    static let (seekContents, seekHole): (Int32, Int32) = (3, 4)
    #endif

    /// The identifier of this process.
    package var process: @Sendable () -> Int32 = { ownProcess() }

    /// The calls of the system itself.
    package static let system = FileCalls()

    /// Creates the calls of the system itself, to replace some of them.
    package init() {}

    /// The largest number of bytes in one call. Some systems reject more than fit into 32 bits.
    static let mostBytes = 1 << 30

    /// Calls the system until no signal interrupts it. Throws the error if the result is negative.
    static func call<Result: SignedInteger>(
        _ operation: String, _ body: () -> Result
    ) throws(JournalError) -> Result {
        while true {
            let result = body()
            if result >= 0 { return result }
            let error = errno
            if error != EINTR { throw JournalError(errno: error, operation: operation) }
        }
    }

    /// Reads until the buffer is full or the file ends, and returns the number of bytes.
    func readAll(
        _ file: Int32, _ buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(JournalError) -> Int {
        var done = 0
        while done < buffer.count {
            let end = min(buffer.count, done + FileCalls.mostBytes)
            let count = try FileCalls.call("reading") {
                read(file, UnsafeMutableRawBufferPointer(rebasing: buffer[done..<end]), offset + done)
            }
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// Returns the text of a small file of the system; nil if it cannot be read.
    static func contents(_ path: String) -> String? {
        let file = openFile(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { _ = closeFile(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            let count = buffer.withUnsafeMutableBytes { read($0, of: file) }
            if count <= 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer[..<count]
        }
    }

    private static func read(_ buffer: UnsafeMutableRawBufferPointer, of file: Int32) -> Int {
        readFile(file, buffer.baseAddress!, buffer.count)
    }

    /// Writes all bytes, in as many calls as the system needs.
    func writeAll(_ file: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int) throws(JournalError) {
        var done = 0
        while done < bytes.count {
            let end = min(bytes.count, done + FileCalls.mostBytes)
            let count = try FileCalls.call("writing") {
                write(file, UnsafeRawBufferPointer(rebasing: bytes[done..<end]), offset + done)
            }
            // Another call may report the reason, but if it did not, this would never end.
            if count == 0 { throw .noSpace }
            done += count
        }
    }
}

extension JournalError {
    init(errno: Int32, operation: String) {
        switch errno {
        case EEXIST: self = .exists
        case ENOENT, ENOTDIR: self = .notFound
        case EACCES, EPERM, EROFS: self = .permissionDenied
        case ENOSPC: self = .noSpace
        case EDQUOT: self = .quotaExceeded
        case EFBIG: self = .tooLarge
        case EISDIR: self = .notAJournal
        default: self = .io(errno: errno, operation: operation)
        }
    }
}

private func ownProcess() -> Int32 {
    #if os(WASI)
    return 0
    #else
    return getpid()
    #endif
}

private func openFile(_ path: String, _ flags: Int32) -> Int32 { open(path, flags, 0o600) }
private func closeFile(_ file: Int32) -> Int32 { close(file) }
private func readFile(_ file: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(file, bytes, count)
}
private func renameFile(_ source: String, _ path: String) -> Int32 { rename(source, path) }

private func lockFile(_ file: Int32, _ operation: Int32) -> Int32 {
    #if os(WASI)
    return 0
    #else
    return flock(file, operation)
    #endif
}

extension stat {
    /// The kind and the permissions of the file. On 32-bit Android the field is wider than `mode_t`.
    var mode: mode_t { mode_t(truncatingIfNeeded: st_mode) }
}

/// Locks one byte of a file. The lock belongs to the open file, as that of `flock` does, but does not conflict with the one that
/// processes hold while they have the file open. No data is ever at that byte.
private func lockFarByte(_ file: Int32, at offset: Int64, _ operation: Int32) -> Int32 {
    #if os(Linux) || os(Android) || canImport(Darwin)
    #if canImport(Darwin)
    // F_OFD_SETLK and F_OFD_SETLKW
    let (trying, waiting): (Int32, Int32) = (90, 91)
    #else
    let (trying, waiting): (Int32, Int32) = (37, 38)
    #endif
    var lock = flock()
    lock.l_type = Int16(operation & LOCK_UN != 0 ? F_UNLCK : F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = off_t(clamping: offset)
    lock.l_len = 1
    let result = fcntl(file, operation & (LOCK_NB | LOCK_UN) != 0 ? trying : waiting, &lock)
    if result >= 0 { return result }
    switch errno {
    case EACCES: errno = EWOULDBLOCK
    // The system or the file system does not support such locks.
    case EINVAL, ENOSYS, ENOTSUP, ENOLCK: return 0
    default: break
    }
    return result
    #else
    return 0
    #endif
}

private func synchronizeFile(_ file: Int32) -> Int32 {
    #if canImport(Darwin)
    let result = fcntl(file, F_FULLFSYNC)
    if result >= 0 { return result }
    switch errno {
    // The volume does not support this; the usual request is the best there is.
    case ENOTSUP, ENOTTY, EINVAL: return fsync(file)
    default: return result
    }
    #else
    return fdatasync(file)
    #endif
}

#endif
