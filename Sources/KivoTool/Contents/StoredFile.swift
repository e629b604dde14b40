import Foundation
import Kivo
import KivoEngine
import KivoJournal

/// A file and its whole contents. It is opened read-only and never changed, even while another process writes to it.
final class StoredFile {
    let path: String
    let device: FileDevice
    /// Whether another process has the file open.
    let isInUse: Bool
    private(set) var history = CommitHistory()
    /// The schema version; 0 if the file contains none.
    private(set) var schemaVersion: UInt64 = 0
    /// The log that retains the pages from which the history is loaded.
    private var log: StoreLog?
    private(set) var formatVersion = 0
    /// The damage that a writer would repair.
    private(set) var recovery: JournalRecovery?

    /// Opens a file without reading its contents.
    init(_ path: String) throws {
        self.path = path
        (device, isInUse) = try StoredFile.reporting(path) {
            guard !FileSystem.isFolder(path) else { throw Problem("'\(path)' is a folder") }
            // A reader must not lock others out: it only tests the lock.
            var isInUse = false
            do {
                try FileDevice.open(path: path, readOnly: true, isAlone: true).close()
            } catch JournalError.alreadyOpen {
                isInUse = true
            }
            return (try FileDevice.open(path: path, readOnly: true, isLocked: false), isInUse)
        }
    }

    deinit {
        history.discard()
        device.close()
    }

    /// Opens a file and reads all of it.
    static func read(_ path: String) throws -> StoredFile {
        // While a commit is written, the file may seem to lack bytes that its header announces. They appear a moment later.
        var tries = 0
        while true {
            let file = try StoredFile(path)
            do {
                try reporting(path) { try file.readAll() }
                return file
            } catch {
                tries += 1
                if !file.isInUse || tries == 5 { throw error }
                Thread.sleep(forTimeInterval: 0.05)
            }
        }
    }

    private func readAll() throws {
        // An empty file is a realm that is being created, which cannot be read yet.
        formatVersion = try JournalReader.formatVersion(of: device)
        let journal = JournalLog(UnclosedDevice(device), readOnly: true)
        let log = StoreLog(journal, readOnly: true, schemaVersion: .max)
        self.log = log
        try log.load(into: &history)
        (schemaVersion, recovery) = (log.storedSchemaVersion ?? 0, journal.recovery)
    }

    var values: StoredValues { StoredValues(history.snapshot, history.catalog) }
    var classes: [StoredClass] { StoredClass.all(history.catalog) }

    /// The size of the file in bytes.
    var size: Int { (try? device.size()) ?? 0 }

    /// The number of the data, which compaction keeps.
    var lineage: UInt64 { log?.lineage ?? 0 }

    /// The number of the newest commit.
    var version: UInt64 { log?.version ?? 0 }

    /// Returns the commits after a number, each with its changes. The file must be retained as long as they are read.
    ///
    /// - Throws: ``LogHistory/Failure`` if the file does not have the commit with the number; ``JournalError``.
    func history(after number: UInt64) throws -> LogHistory { try LogHistory(of: log!, after: number) }

    /// Returns a realm of the file that has only the file's classes.
    func realm(readOnly: Bool = true) throws -> Realm {
        var configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: path), readOnly: readOnly, schemaVersion: schemaVersion)
        if readOnly {
            configuration.makeDevice = { path, _ in
                try FileDevice.open(path: path, readOnly: true, isLocked: false)
            }
        }
        return try Realm(configuration: configuration)
    }

    /// Adds tables in memory. The file does not change.
    func define(_ tables: (inout Catalog) throws -> Void) throws { try history.defineTables(tables) }

    /// Performs a transaction in memory. The contents change, and the file does not.
    func rehearse(_ body: (WriteTransaction) throws -> Void) throws { try history.commit(body) }

    /// Performs an operation on a file, and adds the file's path to errors of the journal.
    @discardableResult
    static func reporting<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as JournalError {
            if case .notAJournal = error, path.hasSuffix(".realm") {
                throw Problem("'\(path)': \(error); 'kivo realm' reads the files of Realm")
            }
            throw Problem("'\(path)': \(error)", isDamage: error.isDamage)
        } catch let error as SchemaMismatch {
            throw Problem("'\(path)': \(error)", isDamage: true)
        }
    }
}

/// A device that stays open when its journal closes.
private final class UnclosedDevice: JournalDevice {
    private let base: FileDevice

    init(_ base: FileDevice) { self.base = base }

    var name: String { base.name }
    func size() throws(JournalError) -> Int { try base.size() }
    func contents(from offset: Int) throws(JournalError) -> Range<Int>? { try base.contents(from: offset) }
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(JournalError) -> Int {
        try base.read(into: buffer, at: offset)
    }
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(JournalError) {
        throw .permissionDenied
    }
    func synchronize() throws(JournalError) {}
    func truncate(to size: Int) throws(JournalError) { throw .permissionDenied }
    func close() {}
}
