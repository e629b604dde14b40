import Foundation
import KivoEngine
import KivoJournal

/// The compaction of files, which leaves out the data that later commits replaced.
package enum FileCompaction {
    /// Returns the bytes of a file, and those of its live data. Changes nothing. O(live data).
    package static func measure(_ url: URL) throws -> (total: Int, used: Int) {
        try open(url, readOnly: true) { log, _, device, contents in
            let used = try JournalCopy.size(
                contents.snapshot, contents.catalog, schemaVersion: log.storedSchemaVersion ?? 0)
            return (try device.size(), used)
        }
    }

    /// Rewrites a file that is not open, and returns its size before and after. The file cannot be opened meanwhile, and exists
    /// in its old or its new form at any time. O(live data).
    package static func run(_ url: URL) throws -> (before: Int, after: Int) {
        try open(url, readOnly: false) { log, journal, device, contents in
            let before = try device.size()
            if !log.keepsHistory(contents.snapshot, contents.catalog) {
                try HistoryRecorder.record(in: &contents, log)
            }
            guard try journal.rewrite(log.checkpoint(contents.snapshot, contents.catalog)) else {
                throw Realm.Error(.fileAccess, "Realm file '\(url.path)' cannot be replaced.", fileURL: url)
            }
            try journal.releaseSpaceAhead()
            return (before, try journal.fileSize)
        }
    }

    private static func open<Result>(
        _ url: URL, readOnly: Bool,
        _ body: (StoreLog, JournalLog, FileDevice, inout CommitHistory) throws -> Result
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
            var contents = CommitHistory()
            defer { contents.discard() }
            try log.load(into: &contents)
            return try body(log, journal, device, &contents)
        } catch {
            throw Realm.Error.wrapping(error, url)
        }
    }
}
