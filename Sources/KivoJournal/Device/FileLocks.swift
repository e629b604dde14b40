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
import Dispatch
import KivoEngine

/// The two locks of a writer of a realm file. One is `flock` on the file of locks; the other is on a byte of the realm file, far
/// beyond its end, and belongs to the open file.
///
/// The second lock is not available on network file systems, where each lock of a file conflicts with any other. Nor is it on
/// systems without locks of open files. There the first lock must suffice.
struct FileLocks: Sendable {
    /// The time to wait for a lock.
    enum Limit: Sendable {
        /// The lock is not waited for.
        case immediate
        case milliseconds(Int64)
        case unlimited
    }

    private let calls: FileCalls
    private let realmPath: String
    private let locksRealm: Bool
    /// The process that opened the file. A child that it forks shares its locks.
    private let process: Int32
    /// The time to wait for a lock before the wait is logged, in seconds.
    private static let noticeDelay = 5

    init(of realm: Int32, _ realmPath: String, _ calls: FileCalls) {
        (self.calls, self.realmPath) = (calls, realmPath)
        process = calls.process()
        let network = FileSystemKind.network(of: realm)
        locksRealm = network == nil
        if let network {
            FileNotice.sayOnce(
                "network \(realmPath)",
                """
                Realm file '\(realmPath)' is on a network file system (\(network)): it can be shared by processes of one machine \
                only, and others that open it damage it.
                """)
        }
    }

    // MARK: The file of locks

    /// - Throws: `EWOULDBLOCK` if the lock is taken and `limit` is `immediate`; ``JournalError/timedOut(holder:)``.
    func lock(_ file: Int32, _ limit: Limit) throws(JournalError) {
        guard calls.process() == process else {
            throw .refused(
                """
                it was opened before this process was forked from another one, which shares its locks: open it in the child
                """)
        }
        try wait(limit, holderOf: file) { calls.lock(file, LOCK_EX | (($0) ? 0 : LOCK_NB)) }
    }

    func unlock(_ file: Int32) {
        // A forked child would release the lock of its parent.
        if calls.process() == process { _ = calls.lock(file, LOCK_UN) }
    }

    /// Takes the lock, shared with other readers. Returns false if a process is writing.
    func tryLockForReading(_ file: Int32) -> Bool {
        calls.process() == process && calls.lock(file, LOCK_SH | LOCK_NB) == 0
    }

    // MARK: The realm file

    /// - Parameter file: The file of locks, whose holder is usually the process that is waited for.
    func lockWriting(_ realm: Int32, _ file: Int32, _ limit: Limit) throws(JournalError) {
        guard locksRealm else { return }
        try wait(limit, holderOf: file) { calls.lockWriting(realm, LOCK_EX | ($0 ? 0 : LOCK_NB)) }
    }

    func unlockWriting(_ realm: Int32) {
        if locksRealm, calls.process() == process { _ = calls.lockWriting(realm, LOCK_UN) }
    }

    // MARK: Waiting

    private func wait(
        _ limit: Limit, holderOf file: Int32, _ take: (_ waits: Bool) -> Int32
    ) throws(JournalError) {
        do {
            _ = try FileCalls.call("locking") { take(false) }
            return
        } catch .io(EWOULDBLOCK, let operation) {
            if case .immediate = limit { throw .io(errno: EWOULDBLOCK, operation: operation) }
            let notice = DispatchWorkItem { [realmPath] in
                let holder = FileLocks.holder(of: file).map { "process \($0)" } ?? "another process"
                FileNotice.say(
                    """
                    A write of realm file '\(realmPath)' has been waiting for \(FileLocks.noticeDelay) seconds for \(holder), which \
                    is writing it.
                    """)
            }
            DispatchQueue.global().asyncAfter(
                deadline: .now() + .seconds(FileLocks.noticeDelay), execute: notice)
            defer { notice.cancel() }
            if case .milliseconds(let limit) = limit {
                try poll(limit, holderOf: file) { take(false) }
            } else {
                _ = try FileCalls.call("locking") { take(true) }
            }
        }
    }

    /// Polls for the lock, because the system cannot limit the time that it waits.
    private func poll(
        _ limit: Int64, holderOf file: Int32, _ take: () -> Int32
    ) throws(JournalError) {
        let end = DispatchTime.now() + .milliseconds(Int(clamping: min(limit, 1 << 40)))
        var pause: UInt32 = 100
        while true {
            do {
                _ = try FileCalls.call("locking", take)
                return
            } catch .io(EWOULDBLOCK, _) {
                if DispatchTime.now() >= end { throw .timedOut(holder: FileLocks.holder(of: file)) }
                usleep(pause)
                pause = min(pause * 2, 5_000)
            }
        }
    }

    /// Returns the process that has locked a file; nil if the system does not report it.
    static func holder(of file: Int32) -> Int32? {
        #if os(Linux) || os(Android)
        var status = stat()
        guard fstat(file, &status) == 0, let table = FileCalls.contents("/proc/locks") else { return nil }
        for line in table.split(separator: "\n") {
            //  1: FLOCK  ADVISORY  WRITE 4711 fe:00:12345 0 EOF; a waiting process has an arrow in front.
            let words = line.split(separator: " ")
            guard words.count >= 8, words[1] == "FLOCK", words[3] == "WRITE",
                words[5].split(separator: ":").last == "\(status.st_ino)"
            else { continue }
            if let process = Int32(words[4]), process > 0 { return process }
        }
        #endif
        return nil
    }
}

#endif
