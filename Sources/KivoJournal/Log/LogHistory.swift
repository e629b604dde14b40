import KivoEngine
import KivoLog

/// A reader of the past of a log: of the commits after some version, each with what it changed and the versions before and after it.
///
/// It replays the log into memory of its own, from the newest checkpoint before the version on, and loads only the nodes that the
/// commits touch. Other stores may append meanwhile.
///
/// Not thread-safe.
package final class LogHistory {
    /// A commit that was read.
    package struct Commit {
        /// The version of the log that the commit leads to.
        package let number: UInt64
        /// The time of the commit, its label and its author; nil if it was written in an earlier format.
        package let stamp: CommitStamp?
        /// The changes; empty if only the schema version was set.
        package let changes: RowChangeSet
        /// The version before the commit, and the one after it. Valid during the call that passes the commit.
        package let before: Snapshot, after: Snapshot
        /// The tables of the version after the commit.
        package let catalog: Catalog
    }

    /// The reasons why the past cannot be read.
    package enum Failure: Error, Equatable {
        /// The log begins with a later version.
        case removed(oldest: UInt64)
        /// The log ends with an earlier version.
        case missing(newest: UInt64)
        /// The classes were changed by the commit that leads to a version, so that the values before and after it cannot be compared.
        case migrated(UInt64)
    }

    /// Ends the reading of a log in between.
    private struct Enough: Error {}

    /// What commits are read from.
    private enum Source {
        /// The records of a file.
        case file(JournalReader)
        case log(any CommitLog, CommitApplier)
    }

    private var contents: CommitHistory
    private var source: Source
    /// The version up to which commits were read.
    package private(set) var number: UInt64 = 0
    /// The version in memory with which the history begins, pinned.
    private var first: UInt64?

    /// Reads a log up to a version, whose later commits can then be read.
    ///
    /// - Throws: ``Failure`` if the log does not have the version; an error of the log.
    package init(of storeLog: StoreLog, after version: UInt64) throws {
        guard let log = storeLog.log else { throw Failure.removed(oldest: version) }
        if let journal = log as? JournalLog {
            let reader = JournalReader(try journal.openForReading(), fromCheckpointUpTo: version)
            if version == 0 { try LogHistory.checkBeginning(reader) }
            source = .file(reader)
        } else {
            source = .log(log, .reading())
        }
        // From here on, a failure frees what was read.
        contents = CommitHistory()
        if case .log = source { try restoreCheckpoint(of: log, storeLog, before: version) }
        if number < version { try read(upTo: version, .max, isBeginning: true) { _ in } }
        guard number == version else { throw Failure.missing(newest: number) }
        contents.forgetLast()
        contents.keepsChanges = true
        first = contents.version
        _ = contents.pin(contents.version)
    }

    deinit {
        contents.forgetLast()
        if let first { contents.unpin(first) }
        contents.discard()
    }

    /// Throws if a file begins with what remained of earlier commits, although all are asked for.
    private static func checkBeginning(_ reader: JournalReader) throws {
        var (reader, contents) = (reader, CommitHistory())
        defer { contents.discard() }
        do {
            try reader.readOn(into: &contents) { _, record in
                if case .beginning = record.kind { throw Failure.removed(oldest: record.number) }
                throw Enough()
            }
        } catch is Enough {}
    }

    private func restoreCheckpoint(
        of log: any CommitLog, _ storeLog: StoreLog, before version: UInt64
    ) throws {
        guard let checkpoint = try log.checkpoint() else { return }
        guard checkpoint.version <= version else { throw Failure.removed(oldest: checkpoint.version) }
        var applier = CommitApplier.reading()
        try applier.restore(try storeLog.image(of: checkpoint), into: &contents)
        number = applier.version
        source = .log(log, applier)
    }

    /// Reads commits, and calls `body` with each.
    ///
    /// - Parameters:
    ///   - end: The version to stop at. It is reached unless the log ends before it, or a file was replaced by a compacted one.
    ///   - limit: The number of commits to stop after.
    ///   - stops: A closure that is called after `body`, and returns whether to stop. ``takeChanges(beforeLast:_:)`` can leave such a
    ///     commit out.
    /// - Throws: ``Failure`` if the log was migrated; an error of the log or of `body`. No commits can be read then.
    package func readOn(
        upTo end: UInt64, limit: Int = .max, _ body: (Commit) throws -> Void,
        stoppingIf stops: () -> Bool = { false }
    ) throws {
        if number < end { try read(upTo: end, limit, isBeginning: false, body, stops) }
    }

    /// Calls `body` with the composed changes from the first version to the one that was reached, which becomes the first version of
    /// those that are read afterwards.
    ///
    /// - Parameter beforeLast: Whether the changes end before the last commit, at which reading was stopped.
    package func takeChanges<Result>(
        beforeLast: Bool = false,
        _ body: (RowChangeSet, _ old: Snapshot, _ new: Snapshot, Catalog) throws -> Result
    ) rethrows -> Result {
        let start = first!
        let end = beforeLast ? contents.last?.version ?? contents.version : contents.version
        defer { contents.unpin(start) }
        let (old, new) = (contents.pin(start), contents.pin(end))
        defer { contents.unpin(start) }
        first = end
        return try body(contents.changes(from: start, to: end), old, new, contents.catalog)
    }

    /// Releases the first version: only single commits are read from now on.
    package func releaseFirst() {
        if let first { contents.unpin(first) }
        first = nil
    }

    private func read(
        upTo end: UInt64, _ limit: Int, isBeginning: Bool, _ body: (Commit) throws -> Void,
        _ stops: () -> Bool = { false }
    ) throws {
        var count = 0
        func didRead(
            _ contents: inout CommitHistory, _ number: UInt64, _ stamp: CommitStamp?, isMigration: Bool
        ) throws {
            self.number = number
            if isMigration, !isBeginning { throw Failure.migrated(number) }
            try body(
                Commit(
                    number: number, stamp: stamp, changes: contents.last?.changes ?? RowChangeSet(),
                    before: contents.last?.before ?? contents.snapshot, after: contents.snapshot,
                    catalog: contents.catalog))
            if stops() { throw Enough() }
            contents.forgetLast()
            count += 1
            if number >= end || count >= limit { throw Enough() }
        }
        do {
            switch source {
            case .file(var reader):
                defer { source = .file(reader) }
                try reader.readOn(into: &contents) { contents, record in
                    switch record.kind {
                    case .beginning:
                        // The file was compacted, and the commits before are gone.
                        if record.number > end { throw Failure.removed(oldest: record.number) }
                        number = record.number
                        if number == end { throw Enough() }
                    case .commit, .schemaVersion:
                        try didRead(&contents, record.number, record.stamp, isMigration: false)
                    case .migration: try didRead(&contents, record.number, record.stamp, isMigration: true)
                    }
                }
            case .log(let log, var applier):
                defer { source = .log(log, applier) }
                try log.commits(after: number) { entry in
                    try applier.apply(entry.commit, into: &contents)
                    try didRead(
                        &contents, entry.version, applier.stamp, isMigration: entry.commit.kind == .migration)
                }
            }
        } catch is Enough {
        } catch CommitLogError.removed(let checkpoint) {
            throw Failure.removed(oldest: checkpoint)
        }
    }
}

extension JournalLog {
    /// Opens the file once more, because compaction closes the one that this log has. The file may be a compacted one that another
    /// process has put in its place.
    fileprivate func openForReading() throws -> any JournalDevice {
        guard let contents else { throw JournalError.displaced }
        // Devices of other kinds, which tests use, are not closed.
        guard let device = contents.journal.file.device as? FileDevice else {
            return contents.journal.file.device
        }
        let own = try FileDevice.open(path: device.name, readOnly: true, isLocked: false)
        let lineage = try Journal.newestCheckpoint(of: own)?.record.lineage ?? FileHeader.id(of: own)
        guard lineage == contents.lineage else { throw JournalError.displaced }
        return own
    }
}

extension StoreLog {
    /// A number that the logs of the same data share, also after compaction; 0 if there is no log.
    package var lineage: UInt64 {
        guard let log else { return 0 }
        return (log as? JournalLog)?.contents?.lineage ?? log.id
    }

    /// The place of the newest version; nil if there is no log.
    package var place: LogPlace? { log == nil ? nil : LogPlace(version) }
}
