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

/// Checks of imported objects that require all others: the owners of embedded objects and the uniqueness of primary keys.
struct ImportedObjects {
    private let transaction: WriteTransaction
    private var catalog: Catalog { transaction.catalog }

    init(_ transaction: WriteTransaction) { self.transaction = transaction }

    /// Throws if another object of the class has the same primary key.
    func checkPrimaryKey(of key: ObjectKey, _ table: TableID) throws(Problem) {
        let spec = catalog.tables[table]
        guard let column = spec.columns.firstIndex(where: { $0.isPrimaryKey }) else { return }
        let rows = transaction.table(table)
        let value = rows.cell(key, column, spec.columns[column].kind)
        if rows.keys(where: column, equals: value, spec).count > 1 {
            throw Problem("two rows have one primary key: object \(key) of class '\(spec.name)'")
        }
    }

    /// Throws if an embedded object has no owner or two. Call this only after all links are set.
    func checkOwner(of key: ObjectKey, _ table: TableID) throws(Problem) {
        let spec = catalog.tables[table]
        let owners = spec.incoming.filter { catalog.isOwning($0, table) }.reduce(0) {
            $0 + transaction.snapshot.backlinks($1.backlinks, of: key).count
        }
        if owners == 0 {
            throw Problem("embedded object \(key) of class '\(spec.name)' belongs to no other")
        }
        if owners > 1 || isWithinItself(key, table) {
            throw Problem(
                "embedded object \(key) of class '\(spec.name)' has two places, or is within itself")
        }
    }

    /// Whether the owners of an object form a cycle, without an owner that is not embedded.
    private func isWithinItself(_ key: ObjectKey, _ table: TableID) -> Bool {
        var current = (table: table, key: key)
        var steps = 0
        while catalog.tables[current.table].isEmbedded {
            guard steps <= embeddedCount, let next = owner(of: current.key, current.table) else {
                return true
            }
            current = next
            steps += 1
        }
        return false
    }

    private var embeddedCount: Int {
        catalog.tables.indices.reduce(0) {
            $0 + (catalog.tables[$1].isEmbedded ? transaction.table($1).count : 0)
        }
    }

    private func owner(of key: ObjectKey, _ table: TableID) -> (table: TableID, key: ObjectKey)? {
        for link in catalog.tables[table].incoming where catalog.isOwning(link, table) {
            if let owner = transaction.snapshot.backlinks(link.backlinks, of: key).first {
                return (link.table, owner)
            }
        }
        return nil
    }
}
