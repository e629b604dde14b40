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

/// The two locks of who writes a realm file: `flock` on the file of locks, and on the realm file a lock of its last byte that
/// belongs to the open file.
///
/// The second lock cannot be had on network file systems, where each lock of a file conflicts with any other, and on systems
/// without locks of open files. The first has to do there.
struct FileLocks: Sendable {
    /// How long a lock is waited for.
    enum Limit {
        case none
        /// A negative number for as long as it takes.
        case milliseconds(Int64)
    }

    private let calls: FileCalls
    private let realmPath: String
    private let locksRealm: Bool
    /// The process that opened the file. A child that it forks has the same locks.
    private let process: Int32
    /// How long a lock is waited for in silence.
    private static let patience = 5

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

    /// - Throws: `EWOULDBLOCK` if the lock is not waited for and somebody has it; ``JournalError/timedOut(holder:)``.
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
        // A child that was forked would give up the lock of its parent.
        if calls.process() == process { _ = calls.lock(file, LOCK_UN) }
    }

    /// Takes the lock together with others who only read, if nobody writes.
    func tryLockForReading(_ file: Int32) -> Bool {
        calls.process() == process && calls.lock(file, LOCK_SH | LOCK_NB) == 0
    }

    // MARK: The realm file

    /// - Parameter file: The file of locks, whose holder is the one that is waited for as a rule.
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
            guard case .milliseconds(let limit) = limit else {
                throw .io(errno: EWOULDBLOCK, operation: operation)
            }
            let notice = DispatchWorkItem { [realmPath] in
                let holder = FileLocks.holder(of: file).map { "process \($0)" } ?? "another process"
                FileNotice.say(
                    """
                    A write of realm file '\(realmPath)' has been waiting for \(FileLocks.patience) seconds for \(holder), which \
                    is writing it.
                    """)
            }
            DispatchQueue.global().asyncAfter(
                deadline: .now() + .seconds(FileLocks.patience), execute: notice)
            defer { notice.cancel() }
            if limit < 0 {
                _ = try FileCalls.call("locking") { take(true) }
            } else {
                try poll(limit, holderOf: file) { take(false) }
            }
        }
    }

    /// Tries again and again: the system knows no limit for the time that it waits.
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

    /// The process that has locked a file, as far as the system tells.
    static func holder(of file: Int32) -> Int32? {
        #if os(Linux) || os(Android)
        var status = stat()
        guard fstat(file, &status) == 0, let table = FileCalls.contents("/proc/locks") else { return nil }
        for line in table.split(separator: "\n") {
            //  1: FLOCK  ADVISORY  WRITE 4711 fe:00:12345 0 EOF; who waits has an arrow in front.
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
