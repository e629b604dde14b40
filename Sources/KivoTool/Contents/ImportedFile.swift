import Foundation
import Kivo
import KivoEngine
import KivoJournal

/// A file that is created transaction by transaction. It is closed after each one and releases what it read. Memory therefore
/// holds only the part that one transaction reaches. The file has a temporary name until it is complete.
struct ImportedFile {
    private let path: String
    private let schemaVersion: UInt64
    private var unfinished: String { path + JournalCopy.unfinishedSuffix }

    /// Begins a file that does not exist yet.
    init(_ path: String, schemaVersion: UInt64) throws {
        (self.path, self.schemaVersion) = (path, schemaVersion)
        try StoredFile.reporting(path) {
            // A killed process may have left an unfinished file.
            let device = try open()
            defer { device.close() }
            try device.truncate(to: 0)
        }
    }

    /// Defines its tables, which must be in the file before the first objects.
    func define(_ tables: (inout Catalog) throws -> Void) throws {
        try session { history, log, journal in
            try history.defineTables(tables)
            try log.recordSchemaVersion()
            _ = try journal.rewrite(log.checkpoint(history.snapshot, history.catalog))
        }
    }

    /// Performs a transaction.
    func write(_ body: (WriteTransaction) throws -> Void) throws {
        try session { history, log, _ in
            try history.commit(to: log, body)
            try log.beginCheckpoint(isClosing: true)?.make(history.snapshot, history.catalog)
        }
    }

    /// Compacts and reads the file, and then gives it its name.
    func finish() throws {
        try session { history, log, journal in
            _ = try journal.rewrite(log.checkpoint(history.snapshot, history.catalog))
        }
        _ = try StoredFile.read(unfinished)
        try StoredFile.reporting(path) {
            try TemporaryFiles.remove(unfinished) {
                try FileSystem.move(unfinished, to: path, replacing: false)
            }
        }
    }

    /// Removes the unfinished file.
    func discard() { TemporaryFiles.remove(unfinished) { _ = try? FileSystem.remove(unfinished) } }

    private func open() throws -> FileDevice {
        try TemporaryFiles.add(unfinished, unfinished + FileDevice.replacementSuffix) {
            try FileDevice.open(path: unfinished, followsLinks: false)
        }
    }

    private func session(_ body: (inout CommitHistory, StoreLog, JournalLog) throws -> Void) throws {
        try StoredFile.reporting(path) {
            var policy = CheckpointPolicy()
            policy.smallestTailOfClosing = 1
            let journal = JournalLog(try open(), readOnly: false, policy: policy)
            // A checkpoint follows each commit, and the remains of a killed process are discarded. Therefore commits whose keys
            // are in the order of the lines are never replayed, and need no rehearsal.
            let log = StoreLog(journal, schemaVersion: schemaVersion, rehearses: false)
            defer { log.close() }
            var history = CommitHistory()
            // Discard the history before the log closes: nodes refer to the log's pages.
            defer { history.discard() }
            try log.load(into: &history)
            try body(&history, log, journal)
        }
    }
}
