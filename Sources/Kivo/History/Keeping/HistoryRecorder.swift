import Foundation
import KivoEngine
import KivoJournal

/// A recorder of the past that a file keeps when it is compacted, as ``StoredChanges``: the changes that consumers have not read, and the
/// commits that the realm's history demands.
///
/// The kept parts begin and end at the versions up to which consumers have read. So a consumer that reads nothing for a year costs as much
/// as differs, not as much as happened.
struct HistoryRecorder {
    private let log: StoreLog
    private let lineage: UInt64
    /// The versions up to which consumers have read.
    private let cursors: Set<UInt64>
    /// The number of the last commits, and that of the last days, whose commits are kept one by one.
    private let commits: UInt64
    private let days: UInt64
    private let now: Int64
    /// The version up to which there are commits.
    private let end: UInt64
    /// A thousand years.
    private static let mostDays: UInt64 = 365_000

    /// Creates a recorder of the demands of a version.
    init(_ log: StoreLog, _ snapshot: Snapshot, _ catalog: Catalog, upTo end: UInt64, at date: Date = Date())
    {
        self.log = log
        self.end = end
        let lineage = log.lineage
        let demands = StoredConsumer.all(in: snapshot, catalog, lineage: lineage)
        self.lineage = lineage
        cursors = Set(demands.filter { $0.kind == .consumer }.map { min($0.number, end) })
        commits = demands.first { $0.kind == .commits }?.number ?? 0
        days = min(demands.first { $0.kind == .days }?.number ?? 0, HistoryRecorder.mostDays)
        now = Int64(exactly: (date.timeIntervalSince1970 * 1e6).rounded()) ?? 0
    }

    /// Returns the changes to keep.
    ///
    /// - Parameters:
    ///   - known: The changes that are kept already.
    ///   - start: The version up to which that is known; nil for the one with which it ends.
    ///   - snapshot: A version that contains it.
    /// - Throws: An error of reading the log.
    func changes(
        after known: [StoredChanges], from start: UInt64? = nil, in snapshot: Snapshot, _ catalog: Catalog
    ) throws -> [StoredChanges] {
        var start = start ?? known.last?.end ?? oldest
        var all = known
        if start < end {
            do {
                all += try read(after: start, upTo: end)
            } catch LogHistory.Failure.removed(let oldest) {
                // A program that keeps no history has compacted the file meanwhile.
                (start, all) = (oldest, try read(after: oldest, upTo: end))
            }
        }
        if let first = known.first, oldest < first.start {
            // The file was not compacted since that was recorded, and a consumer was made that begins earlier.
            do { all = try read(after: oldest, upTo: first.start) + all } catch LogHistory.Failure.removed {}
        }
        all = Array(all.drop { !isDemanded($0) })
        return try merged(all, in: snapshot, catalog)
    }

    /// Returns the prepared changes of another recorder that can still be used, although consumers have moved since.
    ///
    /// - Parameters:
    ///   - changes: The prepared changes.
    ///   - known: The changes that are kept already.
    /// - Returns: The changes, and the version up to which they are known; nil if none can be used.
    func usable(
        _ changes: [StoredChanges], of other: HistoryRecorder, known: [StoredChanges]
    ) -> (changes: [StoredChanges], end: UInt64)? {
        guard commits == other.commits, days == other.days, oldest >= other.oldest else { return nil }
        if changes.isEmpty { return ([], other.end) }
        let usable = changes.prefix { changes in
            changes.isEmpty || !cursors.contains { changes.start < $0 && $0 < changes.end }
        }
        guard let end = usable.last?.end, end >= known.last?.end ?? 0 else { return nil }
        return (Array(usable), end)
    }

    /// Adds the commit that will store the changes, by which nothing changes.
    func ending(_ changes: [StoredChanges]) -> [StoredChanges] {
        changes + [StoredChanges(end, end + 1, count: 0, microseconds: 0, label: CommitLabel())]
    }

    /// Stores the demanded past in a file that no other program has open.
    static func record(in contents: inout CommitHistory, _ log: StoreLog) throws {
        let (snapshot, catalog, lineage) = (contents.snapshot, contents.catalog, log.lineage)
        let recorder = HistoryRecorder(log, snapshot, catalog, upTo: log.version)
        let known = StoredChanges.all(in: snapshot, catalog, lineage: lineage)
        let changes = recorder.ending(try recorder.changes(after: known, in: snapshot, catalog))
        try contents.defineTables { try StoredChanges.defineTable(in: &$0) }
        try contents.commit(to: log) {
            StoredChanges.replaceAll(with: changes, in: $0, lineage: lineage)
        }
    }

    /// Removes all kept changes if none are demanded any more: such a file is compacted without this recorder.
    static func removeUnlessDemanded(from transaction: WriteTransaction, lineage: UInt64) {
        let demands = StoredConsumer.all(in: transaction.snapshot, transaction.catalog, lineage: lineage)
        if demands.demandNothing {
            StoredChanges.replaceAll(with: [], in: transaction, lineage: lineage)
        }
    }

    /// The version after which the first commits are demanded.
    private var oldest: UInt64 {
        if days > 0 { return 0 }
        return min(cursors.min() ?? end, end - min(end, commits))
    }

    /// Whether a commit is kept by itself.
    private func isSingle(_ changes: StoredChanges) -> Bool {
        changes.count <= 1 && isRecent(changes)
    }

    private func isRecent(_ changes: StoredChanges) -> Bool {
        changes.end > end - min(end, commits)
            || days > 0 && changes.microseconds >= now - Int64(clamping: days) * 86_400_000_000
    }

    private func isDemanded(_ changes: StoredChanges) -> Bool {
        isRecent(changes) || cursors.contains { $0 < changes.end }
    }

    // MARK: New commits

    private func read(after start: UInt64, upTo end: UInt64) throws -> [StoredChanges] {
        var found: [StoredChanges] = []
        var history = try LogHistory(of: log, after: start)
        var position = start
        // The version before a migration, which was met.
        var barrier = UInt64.max
        while position < end {
            do {
                let changes = try readOn(
                    history, after: position, upTo: min(nextCut(after: position), barrier, end))
                found.append(changes)
                position = changes.end
            } catch LogHistory.Failure.migrated(let version) {
                barrier = version - 1
                if position == barrier {
                    found.append(
                        StoredChanges(
                            position, version, count: 1, microseconds: now, label: CommitLabel(),
                            isMigration: true))
                    (position, barrier) = (version, .max)
                }
                history = try LogHistory(of: log, after: position)
            }
        }
        return found
    }

    /// Returns the version with which changes end that begin after another one.
    private func nextCut(after position: UInt64) -> UInt64 {
        if days > 0 { return position + 1 }
        let firstSingle = end - min(end, commits)
        if position >= firstSingle { return position + 1 }
        return cursors.reduce(firstSingle) { $1 > position ? min($0, $1) : $0 }
    }

    private func readOn(
        _ history: LogHistory, after start: UInt64, upTo stop: UInt64
    ) throws -> StoredChanges {
        var (count, time) = (UInt64(0), Int64(0))
        var labels: Set<CommitLabel> = []
        if start < stop {
            try history.readOn(upTo: stop) { commit in
                if commit.changesNoObjects { return }
                count += 1
                time = commit.stamp?.microseconds ?? 0
                labels.insert(commit.stamp?.label ?? CommitLabel())
            }
        } else {
            // The migration itself comes next.
            try history.readOn(upTo: stop + 1) { _ in }
        }
        guard history.number == stop else { throw LogHistory.Failure.missing(newest: history.number) }
        return StoredChanges(
            start, stop, count: count, microseconds: time, label: labels.common,
            history.takeChangeSet(lineage: lineage))
    }

    // MARK: Composition

    /// Returns whether changes are composed with those before them. Consumers go on from the middle only of changes without any.
    private func mayJoin(_ changes: StoredChanges, _ group: [StoredChanges]) -> Bool {
        let (first, last) = (group[0], group[group.count - 1])
        if last.isMigration || changes.isMigration { return false }
        if changes.isEmpty && group.allSatisfy(\.isEmpty) { return true }
        return !isSingle(last) && !isSingle(changes)
            && !cursors.contains { first.start < $0 && $0 < changes.end }
    }

    /// Composes neighbours, unless a consumer goes on between them or they are kept by themselves.
    private func merged(
        _ all: [StoredChanges], in snapshot: Snapshot, _ catalog: Catalog
    ) throws -> [StoredChanges] {
        var groups: [[StoredChanges]] = []
        for changes in all {
            if let group = groups.last, mayJoin(changes, group) {
                groups[groups.count - 1].append(changes)
            } else {
                groups.append([changes])
            }
        }
        return try groups.map { group in
            if group.count == 1 { return group[0] }
            let composed = ChangeSet(
                composing: try group.map { try $0.changeSet(in: snapshot, catalog) })
            return StoredChanges(
                group[0].start, group[group.count - 1].end, count: group.reduce(0) { $0 + $1.count },
                microseconds: group[group.count - 1].microseconds,
                label: Set(group.filter { $0.count > 0 }.map(\.label)).common,
                composed)
        }
    }
}

extension Set<CommitLabel> {
    /// The label and the author that all have.
    fileprivate var common: CommitLabel {
        guard let first else { return CommitLabel() }
        return CommitLabel(
            allSatisfy { $0.label == first.label } ? first.label : nil,
            author: allSatisfy { $0.author == first.author } ? first.author : nil)
    }
}
