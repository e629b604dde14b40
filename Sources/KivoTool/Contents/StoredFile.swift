import Foundation
import Kivo
import KivoEngine
import KivoJournal

/// A file and all that it holds. It is opened for reading only, also while another process writes to it, and is not changed.
final class StoredFile {
    let path: String
    let device: FileDevice
    /// Whether somebody has the file open.
    let isInUse: Bool
    private(set) var history = CommitHistory()
    /// The version of the classes; 0 if the file says none.
    private(set) var schemaVersion: UInt64 = 0
    /// Keeps what the history is brought in from.
    private var log: StoreLog?
    private(set) var formatVersion = 0
    /// What a writer would put right.
    private(set) var recovery: JournalRecovery?

    /// Opens a file, and reads nothing yet.
    init(_ path: String) throws {
        self.path = path
        (device, isInUse) = try StoredFile.reporting(path) {
            guard !FilePlacement.isFolder(path) else { throw Problem("'\(path)' is a folder") }
            // Whoever looks at a file keeps nobody from it: the lock is only tried.
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
        // While a commit is written, the file may look as if it lacked what its header says; then it is there a moment later.
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
        // An empty file is a realm that is being made; that is no use here.
        formatVersion = try JournalReader.formatVersion(of: device)
        let journal = JournalLog(UnclosedDevice(device), readOnly: true)
        let log = StoreLog(journal, readOnly: true, schemaVersion: .max)
        self.log = log
        try log.replay(into: &history)
        (schemaVersion, recovery) = (log.storedSchemaVersion ?? 0, journal.recovery)
    }

    var values: StoredValues { StoredValues(history.snapshot, history.catalog) }
    var classes: [StoredClass] { StoredClass.all(history.catalog) }

    /// The bytes of the file.
    var size: Int { (try? device.size()) ?? 0 }

    /// A realm of the file, which knows no classes but the file's.
    func realm() throws -> Realm {
        var configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: path), readOnly: true, schemaVersion: schemaVersion)
        configuration.makeDevice = { path, _ in
            try FileDevice.open(path: path, readOnly: true, isLocked: false)
        }
        return try Realm(configuration: configuration)
    }

    /// Does something with a file, and says of errors of the journal which file they are about.
    @discardableResult
    static func reporting<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as JournalError {
            throw Problem("'\(path)': \(error)")
        } catch let error as SchemaMismatch {
            throw Problem("'\(path)': \(error)")
        }
    }
}

/// A device that stays open when the journal on it is closed.
private final class UnclosedDevice: JournalDevice {
    private let base: FileDevice

    init(_ base: FileDevice) { self.base = base }

    var name: String { base.name }
    func size() throws(JournalError) -> Int { try base.size() }
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
