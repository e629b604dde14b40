import Foundation
import KivoEngine
import KivoJournal
import KivoObserving

extension Realm {
    /// A commit, with what it changed.
    public struct Commit: Sendable {
        /// The version that the commit leads to.
        public let version: Version
        /// The time at which the commit was made, by the clock of its writer; nil if the file has an earlier format, or the realm is in
        /// memory.
        public let date: Date?
        /// The label that the program gave the commit: see ``Realm/write(label:author:withoutNotifying:_:)``.
        public let label: String?
        /// The author that the program gave the commit.
        public let author: String?
        /// The difference between the version before the commit and the one after it.
        public let changes: ChangeSet
    }

    /// The commits after a version, one by one, of all threads and processes; see <doc:History>.
    ///
    ///     for try await commit in realm.commits(since: version) {
    ///         print(commit.version, commit.label ?? "-", commit.changes.count)
    ///     }
    ///
    /// The sequence continues with each new commit as soon as it is made, until its task is cancelled, and can be read by any task.
    /// Commits are read from the file when the consumer asks for them, into memory of their own; none are queued. If the file is
    /// compacted twice before the consumer has read on, the commits before are lost, and the sequence throws.
    ///
    /// A realm in memory stores no commits: all changes since the last element are one. Nor does it know labels.
    ///
    /// - Parameters:
    ///   - version: A version of this realm, of any instance and process.
    ///   - end: The version to end with; nil if the sequence does not end.
    /// - Returns: A sequence that throws ``HistoryError`` if the commits are not known, and ``Realm/Error`` if the file cannot be
    ///   read.
    public func commits(since version: Version, until end: Version? = nil) -> CommitSequence {
        instance.checkConfinement()
        let store = instance.store
        // The commits of a file are read from it: its versions need not be retained.
        let start =
            store.log.place == nil ? version : Version(lineage: version.lineage, number: version.number)
        return CommitSequence(
            store: store, start: start, end: end.map { Version(lineage: $0.lineage, number: $0.number) })
    }
}

/// The commits of a realm after a version: see ``Realm/commits(since:until:)``.
///
/// Each iteration is independent. Until it ends it keeps the realm's file open. It retains no version, except in memory the one up to which
/// it has read.
public struct CommitSequence: AsyncSequence, Sendable {
    /// A commit.
    public typealias Element = Realm.Commit
    /// Reading the past of a file can fail.
    public typealias Failure = any Error

    let store: Store
    let start: Realm.Version
    let end: Realm.Version?

    /// Begins an iteration after the first version.
    public func makeAsyncIterator() -> Iterator { Iterator(reader: CommitReader(self)) }

    /// One iteration over commits.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let reader: CommitReader

        /// Returns the next commit as soon as there is one; nil at the end, and if the task is cancelled.
        ///
        /// - Throws: ``Realm/HistoryError`` if the commits are not known; ``Realm/Error`` if the file cannot be read. The iteration has
        ///   ended then.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws -> Realm.Commit? { try await reader.next(actor) }
    }
}

@available(*, unavailable)
extension CommitSequence.Iterator: Sendable {}

/// The state of an iteration over commits. Confined to its task.
private final class CommitReader {
    private enum State {
        /// Before the first commit is read.
        case begun
        /// Commits are read from a log.
        case log(LogHistory)
        /// The changes since a pinned version are composed, because there is no log.
        case memory(VersionPin, Store.PlacedVersion)
        case ended
    }

    /// The number of commits that are read at a time: few, because they are in memory until they are delivered.
    private static let batchSize = 64

    private let store: Store
    /// The version to begin with, until then.
    private var start: Realm.Version?
    private let end: Realm.Version?
    private var state = State.begun
    /// The commits that were read and not delivered, the next one last.
    private var batch: [Realm.Commit] = []
    /// The error that ended the reading, to be thrown after these.
    private var failure: (any Error)?
    /// The classes of the commit that was read last.
    private var classes: StoredClasses?
    /// The version of the log up to which commits were read.
    private var number: UInt64
    private let waiting = ConsumerWait()

    init(_ sequence: CommitSequence) {
        (store, start) = (sequence.store, sequence.start)
        number = sequence.start.number
        end = sequence.end
    }

    /// The number of the version to end with.
    private var endNumber: UInt64 { end?.number ?? .max }

    func next(_ isolation: isolated (any Actor)?) async throws -> Realm.Commit? {
        do {
            while !Task.isCancelled {
                if let commit = batch.popLast() { return commit }
                if let failure { throw failure }
                if case .ended = state { return nil }
                try begin()
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
        guard case .begun = state else { return }
        defer { start = nil }
        guard start?.lineage == store.lineage, end.map({ $0.lineage == store.lineage }) ?? true else {
            throw Realm.HistoryError.otherData
        }
        try store.checkExistence(of: number)
        if store.log.place != nil {
            state = .log(try makeHistory())
        } else if let version = store.pin(at: number) {
            state = .memory(store.heldVersions.hold(version.version, of: store), version)
        } else {
            throw store.historyError(.removed(oldest: 0))
        }
    }

    private func makeHistory() throws -> LogHistory {
        let history = try LogHistory(of: store.log, after: number)
        history.releaseFirst()
        return history
    }

    /// Reads the next commits. Returns false if there are none yet.
    private func read() throws -> Bool {
        let target = min(endNumber, store.newestNumber)
        if target <= number { return false }
        switch state {
        case .begun, .ended: return false
        case .log(let history):
            if try read(history, upTo: target) { return true }
            // The file ends here: a compacted one goes on.
            let next = try makeHistory()
            state = .log(next)
            guard try read(next, upTo: target) else {
                throw LogHistory.Failure.missing(newest: number)
            }
        case .memory(let pin, let start): try compose(from: start, pin, upTo: target)
        }
        return true
    }

    private func read(_ history: LogHistory, upTo target: UInt64) throws -> Bool {
        do {
            try history.readOn(upTo: target, limit: CommitReader.batchSize) { commit in
                let changes = ChangeSetBuilder.changeSet(
                    commit.changes, from: commit.before, to: commit.after, known(commit.catalog),
                    lineage: store.lineage)
                // A commit that sets the schema version changes no objects.
                if !commit.changes.isEmpty {
                    batch.append(self.commit(commit.number, commit.stamp, changes))
                }
            }
        } catch  where !batch.isEmpty {
            failure = error
        }
        batch.reverse()
        defer { number = history.number }
        return history.number > number || failure != nil
    }

    /// Returns the classes of a version, which are read anew only if there are more.
    private func known(_ catalog: Catalog) -> StoredClasses {
        if let classes, classes.catalog.tables.count == catalog.tables.count { return classes }
        let classes = StoredClasses(catalog)
        self.classes = classes
        return classes
    }

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
        if !changes.isEmpty { batch.append(commit(number, nil, changes)) }
        withExtendedLifetime(pin) {}
    }

    private func commit(_ number: UInt64, _ stamp: CommitStamp?, _ changes: ChangeSet) -> Realm.Commit {
        Realm.Commit(
            version: Realm.Version(lineage: store.lineage, number: number),
            date: stamp.map { Date(timeIntervalSince1970: Double($0.microseconds) / 1e6) },
            label: stamp?.label.label, author: stamp?.label.author, changes: changes)
    }
}
