import KivoEngine
import KivoJournal
import KivoObserving

/// A reader of the commits of a realm after a version, which waits for new ones at the end. Confined to its task.
///
/// It reads the changes that compaction kept (``KeptChanges``), then the commits of the file. In memory it compares versions.
final class PastReader {
    /// The grouping of commits into pieces.
    enum Grouping {
        /// One commit.
        case single
        /// Commits of one author that follow each other, at most a number of them.
        case authors(atMost: Int)
    }

    /// A part of the past.
    struct Piece {
        /// The version that the changes lead to.
        let end: UInt64
        let changes: ChangeSet
        /// The number of commits; 0 in memory, where they are not counted.
        let count: Int
        /// The time of the last commit, in microseconds since 1970; nil if it is not known.
        let microseconds: Int64?
        /// The labels and the author of the commits.
        let label: CommitLabel
        /// Whether a migration lies between the piece before and this one.
        let isAfterMigration: Bool
    }

    private enum State {
        case begun
        case kept(KeptChanges)
        case log(LogHistory)
        /// The changes since a pinned version are composed, because there is no log.
        case memory(VersionPin, Store.PlacedVersion)
        case ended
    }

    /// The number of single commits that are read at a time: few, because they are in memory until they are delivered.
    private static let batchSize = 64

    private let store: Store
    private let grouping: Grouping
    private let endNumber: UInt64
    private let divide: Division?
    private var state = State.begun
    /// The pieces that were read and not delivered, the next one last.
    private var pieces: [Piece] = []
    /// The error that ended the reading, to be thrown after these.
    private var failure: (any Error)?
    /// The classes of the commit that was read last.
    private var classes: StoredClasses?
    /// The version up to which the past was read.
    private var number: UInt64
    private var isAfterMigration = false
    /// The stamps of commits that were read and are not part of a piece yet.
    private var group: [CommitStamp?] = []
    private let waiting = ConsumerWait()

    /// Creates a reader of what follows a version, up to another one.
    ///
    /// - Parameter divide: A closure that makes a cut in what is kept, at a version up to which this reader has delivered everything.
    init(
        _ store: Store, after number: UInt64, until end: UInt64 = .max, _ grouping: Grouping,
        dividingBy divide: Division? = nil
    ) {
        (self.store, self.number, endNumber, self.grouping) = (store, number, end, grouping)
        self.divide = divide
    }

    typealias Division = (
        [StoredChanges], _ version: UInt64, Snapshot, Catalog
    ) throws -> [StoredChanges]?

    /// Returns the next piece as soon as there is one; nil at the end, and if the task is cancelled.
    func next(_ isolation: isolated (any Actor)?) async throws -> Piece? {
        do {
            while !Task.isCancelled {
                if let piece = pieces.popLast() { return piece }
                if let failure { throw failure }
                if case .ended = state { return nil }
                if case .begun = state { try begin() }
                if number >= endNumber { break }
                if try read() { continue }
                await store.commitWaits.wait(waiting, isolation) { [store, number] in
                    store.newestNumber > number
                }
            }
        } catch {
            (state, failure) = (.ended, nil)
            throw store.publicError(error)
        }
        state = .ended
        return nil
    }

    private func begin() throws {
        try store.checkExistence(of: number)
        if store.log.place != nil {
            try beginWithLog()
        } else if let version = store.pin(at: number) {
            state = .memory(store.heldVersions.hold(version.version, of: store), version)
        } else {
            throw store.historyError(.removed(oldest: 0))
        }
    }

    /// Goes on with the file, or with what was kept of an earlier one.
    private func beginWithLog() throws {
        group = []
        do {
            state = .log(try makeHistory())
        } catch LogHistory.Failure.removed(let oldest) {
            state = .kept(
                try KeptChanges(store, after: number, orThrow: oldest) { [number] stored, snapshot, catalog in
                    try divide?(stored, number, snapshot, catalog)
                })
        }
    }

    private func makeHistory() throws -> LogHistory {
        let history = try LogHistory(of: store.log, after: number)
        if case .single = grouping { history.releaseFirst() }
        return history
    }

    /// Reads on. Returns false if there is nothing yet.
    private func read() throws -> Bool {
        let target = min(endNumber, store.newestNumber)
        if target <= number { return false }
        switch state {
        case .begun, .ended: return false
        case .kept(let kept):
            if let next = kept.next() { try take(next, of: kept) } else { try beginWithLog() }
        case .log(let history):
            if try read(history, upTo: target) { return true }
            // The file ends here: a compacted one goes on.
            try beginWithLog()
            if case .log(let next) = state, try !read(next, upTo: target) {
                throw LogHistory.Failure.missing(newest: number)
            }
        case .memory(let pin, let start): try compose(from: start, pin, upTo: target)
        }
        return true
    }

    private func take(_ next: StoredChanges, of kept: KeptChanges) throws {
        if next.isEmpty, next.end > endNumber { return number = endNumber }
        // A version in the middle of composed commits is not known any more.
        guard next.end <= endNumber else { throw LogHistory.Failure.removed(oldest: next.end) }
        if next.isMigration {
            guard passesMigrations else { throw LogHistory.Failure.migrated(next.end) }
            isAfterMigration = true
        } else {
            let changes = try kept.changeSet(of: next)
            add(
                changes, end: next.end, count: Int(clamping: next.count),
                next.microseconds == 0 ? nil : next.microseconds, next.label)
        }
        number = next.end
    }

    private var passesMigrations: Bool { if case .authors = grouping { true } else { false } }

    /// Adds a piece to those that are delivered next, unless nothing has changed but rows of Kivo itself.
    private func add(
        _ changes: ChangeSet, end: UInt64, count: Int, _ microseconds: Int64?, _ label: CommitLabel
    ) {
        if changes.isEmpty { return }
        let piece = Piece(
            end: end, changes: changes, count: count, microseconds: microseconds, label: label,
            isAfterMigration: isAfterMigration)
        isAfterMigration = false
        pieces.insert(piece, at: 0)
    }

    // MARK: The file

    /// Returns whether the reader has advanced.
    private func read(_ history: LogHistory, upTo target: UInt64) throws -> Bool {
        let start = number
        do {
            switch grouping {
            case .single: try readCommits(history, upTo: target)
            case .authors(let limit): try readGroup(history, upTo: target, limit)
            }
        } catch LogHistory.Failure.migrated(let version) where passesMigrations {
            try readUp(toMigration: version)
        } catch  where !pieces.isEmpty {
            failure = error
            return true
        }
        return number > start
    }

    private func readCommits(_ history: LogHistory, upTo target: UInt64) throws {
        try history.readOn(upTo: target, limit: PastReader.batchSize) { commit in
            // A commit that sets the schema version changes no objects.
            if commit.changesNoObjects { return }
            let changes = ChangeSetBuilder.changeSet(
                commit.changes, from: commit.before, to: commit.after, known(commit.catalog),
                lineage: store.lineage)
            let stamp = commit.stamp
            pieces.insert(
                Piece(
                    end: commit.number, changes: changes, count: 1, microseconds: stamp?.microseconds,
                    label: stamp?.label ?? CommitLabel(), isAfterMigration: false), at: 0)
        }
        number = history.number
    }

    /// Reads commits of one author. The first one of another author has been read, too, and begins the next group.
    private func readGroup(_ history: LogHistory, upTo target: UInt64, _ limit: Int) throws {
        var isOther = false
        try history.readOn(upTo: target) { commit in
            if commit.changesNoObjects { return }
            isOther = group.last.map { $0?.label.author != commit.stamp?.label.author } ?? false
            group.append(commit.stamp)
        } stoppingIf: {
            isOther || group.count >= limit
        }
        let next = isOther ? [group.removeLast()] : []
        let changes = history.takeChanges(beforeLast: isOther) { changes, old, new, catalog in
            ChangeSetBuilder.changeSet(changes, from: old, to: new, known(catalog), lineage: store.lineage)
        }
        number = isOther ? history.number - 1 : history.number
        add(
            changes, end: number, count: group.count, group.last??.microseconds,
            CommitLabel(composing: group.map { $0?.label ?? CommitLabel() }))
        group = next
    }

    /// Reads a group of the commits before a migration, or continues after it if there are none. Its own changes are not known.
    private func readUp(toMigration version: UInt64) throws {
        let isBehind = number < version - 1
        if !isBehind { (number, isAfterMigration) = (version, true) }
        // A file that was compacted meanwhile goes on with what was kept.
        try beginWithLog()
        if isBehind, case .log(let history) = state, case .authors(let limit) = grouping {
            try readGroup(history, upTo: version - 1, limit)
        }
    }

    /// Returns the classes of a version, which are read again only if there are more.
    private func known(_ catalog: Catalog) -> StoredClasses {
        if let classes, classes.catalog.tables.count == catalog.tables.count { return classes }
        let classes = StoredClasses(catalog)
        self.classes = classes
        return classes
    }

    // MARK: Memory

    private func compose(from start: Store.PlacedVersion, _ pin: VersionPin, upTo target: UInt64) throws {
        var end = store.pinDurable()
        if end.number > endNumber {
            store.unpin(end.version)
            guard let last = store.pin(at: target) else {
                throw store.historyError(.removed(oldest: 0))
            }
            end = last
        }
        let changes = store.changeSet(from: start, to: end)
        state = .memory(store.heldVersions.hold(end.version, of: store), end)
        number = end.number
        add(changes, end: number, count: 0, nil, CommitLabel())
        withExtendedLifetime(pin) {}
    }
}

extension LogHistory.Commit {
    /// Whether the commit changed nothing, or nothing but rows of Kivo itself.
    var changesNoObjects: Bool {
        changes.sequences.isEmpty
            && changes.tables.allSatisfy { catalog.tables[$0.table].isInternal }
    }
}
