import Foundation
import KivoEngine
import KivoJournal

/// The compaction of files, which leaves out the data that later commits replaced.
package enum FileCompaction {
    /// Returns the bytes of a file, and those of its live data. Changes nothing. O(live data).
    package static func measure(_ url: URL) throws -> (total: Int, used: Int) {
        try open(url, readOnly: true) { log, _, device, snapshot, catalog in
            let used = try JournalCopy.size(snapshot, catalog, schemaVersion: log.storedSchemaVersion ?? 0)
            return (try device.size(), used)
        }
    }

    /// Rewrites a file that is not open, and returns its size before and after. The file cannot be opened meanwhile, and exists
    /// in its old or its new form at any time. O(live data).
    package static func run(_ url: URL) throws -> (before: Int, after: Int) {
        try open(url, readOnly: false) { log, journal, device, snapshot, catalog in
            let before = try device.size()
            guard try journal.rewrite(log.checkpoint(snapshot, catalog)) else {
                throw Realm.Error(.fileAccess, "Realm file '\(url.path)' cannot be replaced.", fileURL: url)
            }
            return (before, try journal.fileSize)
        }
    }

    private static func open<Result>(
        _ url: URL, readOnly: Bool,
        _ body: (StoreLog, JournalLog, FileDevice, Snapshot, Catalog) throws -> Result
    ) throws -> Result {
        // The file itself if the path is a symbolic link.
        let path = String(decoding: FileSystem.canonicalPath(url.path), as: UTF8.self)
        do {
            guard FileSystem.exists(path) else { throw JournalError.notFound }
            let device = try FileDevice.open(path: path, readOnly: readOnly)
            // Any schema version is accepted, because no classes are compared.
            let journal = JournalLog(device, readOnly: readOnly)
            let log = StoreLog(journal, readOnly: readOnly, schemaVersion: .max)
            defer { log.close() }
            var replay = Replay(Heap())
            defer { replay.discard() }
            try log.load(into: &replay)
            return try body(log, journal, device, replay.chain.headSnapshot, replay.catalog)
        } catch {
            throw Realm.Error.wrapping(error, url)
        }
    }
}
