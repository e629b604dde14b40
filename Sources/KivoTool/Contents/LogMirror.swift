import Foundation
import Kivo
import KivoEngine
import KivoEtcd
import KivoJournal
import KivoLog

/// A temporary file with what a log over etcd contains, so that commands that read files read such a log, too.
///
/// Owns the file and those beside it until it is closed. Thread-safe.
final class LogMirror: Sendable {
    /// The address of the log, which was given in place of a file.
    let address: String
    let path: String
    private let log: any CommitLog
    private let journal = Lock<JournalLog?>(nil)
    private let arrivals = DispatchQueue(label: "Kivo: a mirrored log")
    /// Held while files are created, so that an interruption, which ends the program, leaves none of them.
    private static let isCreating = Lock(())

    /// Whether a word is the address of a log and not a path.
    static func isAddress(_ word: String) -> Bool { word.hasPrefix("etcd://") || word.hasPrefix("etcds://") }

    /// Creates a file with the checkpoint and the commits of a log.
    ///
    /// - Throws: ``UsageError`` for a malformed address; ``Problem`` if no member of the cluster answers.
    init(_ address: String) throws {
        let options = try EtcdOptions(address: address, ToolCredentials.password)
        let name = "kivo-\(UInt64.random(in: 0 ... .max)).kivo"
        self.address = address
        path = FileManager.default.temporaryDirectory.appendingPathComponent(name).path
        log = try LogMirror.reporting(address) { try Realm.Configuration.etcd(options).commitLog!.open() }
        TemporaryFiles.whenInterrupted { [path] in
            LogMirror.isCreating.withLock { _ in
                LogMirror.removeFiles(path)
                exit(128 + SIGINT)
            }
        }
        do {
            try LogMirror.reporting(address) { try fill() }
        } catch {
            close()
            throw error
        }
    }

    /// Ends the mirror, and removes its files.
    func close() {
        log.close()
        arrivals.sync {}
        closeFile()
        LogMirror.removeFiles(path)
    }

    /// Removes the file at a path, and those beside it.
    private static func removeFiles(_ path: String) {
        let url = URL(fileURLWithPath: path)
        let folder = url.deletingLastPathComponent()
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in names where name.contains(url.lastPathComponent) {
            try? FileManager.default.removeItem(at: folder.appendingPathComponent(name))
        }
    }

    /// Returns what a closure returns, and throws errors of the log as problems with its address.
    private static func reporting<Result>(_ address: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as CommitLogError {
            throw Problem("'\(address)': \(error)")
        }
    }

    private func fill() throws {
        try log.open(
            restoring: { try begin(with: $0) }, reading: { try add($0) },
            accepting: { if journal.withLock({ $0 == nil }) { try begin(with: nil) } })
        closeFile()
    }

    /// Opens the file to which commits are added.
    private func openFile() throws {
        let opened = try LogMirror.isCreating.withLock { _ in
            let file = UnsynchronizedDevice(try FileDevice.open(path: path, isShared: true))
            let opened = JournalLog(file, readOnly: false)
            try opened.open(restoring: { _ in }, reading: { _ in }, accepting: {})
            return opened
        }
        journal.withLock { $0 = opened }
    }

    private func closeFile() {
        let open = journal.withLock { journal in
            defer { journal = nil }
            return journal
        }
        open?.close()
    }

    /// Puts a new file in place, which contains a checkpoint or nothing.
    private func begin(with checkpoint: LogCheckpoint?) throws {
        let unfinished = path + ".unfinished"
        try LogMirror.write(checkpoint, to: unfinished)
        closeFile()
        try LogMirror.isCreating.withLock { _ in
            try FileSystem.move(unfinished, to: path, replacing: true)
        }
        try openFile()
    }

    /// Creates a file that only its owner can read.
    private static func write(_ checkpoint: LogCheckpoint?, to path: String) throws {
        let file = try isCreating.withLock { _ in try FileDevice.open(path: path) }
        defer { file.close() }
        var size = 0
        try checkpoint?.write { bytes in
            try file.write(bytes, at: size)
            size += bytes.count
        }
    }

    private func add(_ entry: LogEntry) throws {
        if journal.withLock({ $0 == nil }) { try begin(with: nil) }
        _ = try journal.withLock { try $0!.append(AppendRequest(entry.commit, after: entry.version - 1)) }
    }

    /// Adds the commits that arrive from now on. What cannot be added is reported.
    func follow(_ report: @escaping @Sendable (String) -> Void) throws {
        try openFile()
        log.observe { [weak self, arrivals] event in
            guard let self else { return }
            switch event {
            case .head, .compactedAway: arrivals.async { [self] in catchUp(report) }
            case .disconnected(let reason): report("the cluster does not answer: \(reason)")
            case .checkpoint, .connected, .leaseLost: break
            }
        }
    }

    private func catchUp(_ report: (String) -> Void) {
        do {
            do {
                try addNew()
            } catch CommitLogError.removed {
                try begin(with: try log.checkpoint())
                try addNew()
            }
        } catch {
            report("'\(address)': \(error)")
        }
    }

    private func addNew() throws {
        guard let head = try journal.withLock({ try $0?.head() }) else { return }
        try log.commits(after: head) { try add($0) }
    }
}

/// A file that is gone with the process, so that nothing has to be durable.
private final class UnsynchronizedDevice: JournalDevice {
    private let base: FileDevice

    init(_ base: FileDevice) { self.base = base }

    var name: String { base.name }
    var sharing: (any JournalSharing)? { base.sharing }
    func size() throws(JournalError) -> Int { try base.size() }
    func contents(from offset: Int) throws(JournalError) -> Range<Int>? { try base.contents(from: offset) }
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(JournalError) -> Int {
        try base.read(into: buffer, at: offset)
    }
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(JournalError) {
        try base.write(bytes, at: offset)
    }
    func synchronize() throws(JournalError) {}
    func truncate(to size: Int) throws(JournalError) { try base.truncate(to: size) }
    func close() { base.close() }
}
