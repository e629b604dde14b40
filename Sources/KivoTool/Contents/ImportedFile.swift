import Foundation
import Kivo
import KivoEngine
import KivoJournal

/// A file that is made transaction by transaction, so that memory holds what one of them reaches, and not all: between two of them
/// it is closed, and what was read of it is let go of. It has a name of its own until it is complete.
struct ImportedFile {
    private let path: String
    private let schemaVersion: UInt64
    private var unfinished: String { path + JournalCopy.unfinishedSuffix }

    /// Begins a file that does not exist yet.
    init(_ path: String, schemaVersion: UInt64) throws {
        (self.path, self.schemaVersion) = (path, schemaVersion)
        try StoredFile.reporting(path) {
            // What a process left there that was killed.
            let device = try FileDevice.open(path: unfinished, followsLinks: false)
            defer { device.close() }
            try device.truncate(to: 0)
        }
    }

    /// Makes its tables, which are to be in the file before the first objects.
    func define(_ tables: (inout Catalog) throws -> Void) throws {
        try session { history, log, journal in
            try history.defineTables(tables)
            try log.recordSchemaVersion()
            _ = try journal.rewrite(log.checkpoint(history.snapshot, history.catalog))
        }
    }

    /// Carries out a transaction.
    func write(_ body: (WriteTransaction) throws -> Void) throws {
        try session { history, log, _ in
            try history.commit(to: log, body)
            try log.beginCheckpoint(isClosing: true)?.make(history.snapshot, history.catalog)
        }
    }

    /// Gives the file its name, when it is small and can be read.
    func finish() throws {
        try session { history, log, journal in
            _ = try journal.rewrite(log.checkpoint(history.snapshot, history.catalog))
        }
        _ = try StoredFile.read(unfinished)
        try StoredFile.reporting(path) { try FilePlacement.move(unfinished, to: path, replacing: false) }
    }

    /// Takes away what there is of it.
    func discard() { _ = try? FilePlacement.remove(unfinished) }

    private func session(_ body: (inout CommitHistory, StoreLog, JournalLog) throws -> Void) throws {
        try StoredFile.reporting(path) {
            var policy = CheckpointPolicy()
            policy.smallestTailOfClosing = 1
            let journal = JournalLog(
                try FileDevice.open(path: unfinished, followsLinks: false), readOnly: false, policy: policy)
            // A checkpoint follows each commit, and what a killed process left is given up: nobody replays commits whose keys
            // are in the order of the lines.
            let log = StoreLog(journal, schemaVersion: schemaVersion, rehearses: false)
            defer { log.close() }
            var history = CommitHistory()
            // Before the log goes: nodes refer to its pages.
            defer { history.discard() }
            try log.replay(into: &history)
            try body(&history, log, journal)
        }
    }
}
