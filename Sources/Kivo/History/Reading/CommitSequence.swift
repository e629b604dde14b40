import Foundation
import KivoEngine
import KivoJournal

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
    /// compacted twice before the consumer has read on, and does not keep the commits (see ``Realm/Configuration/history``), the sequence
    /// throws. What the file keeps for durable consumers can be several commits that were composed, as one element.
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
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// One iteration over commits.
    public struct Iterator: AsyncIteratorProtocol {
        private let reader: PastReader
        private let lineage: UInt64
        /// The version to begin with, which its pin retains in memory until the first element is read.
        private var start: Realm.Version?
        private let isOfOtherData: Bool

        fileprivate init(_ sequence: CommitSequence) {
            let (store, start, end) = (sequence.store, sequence.start, sequence.end)
            lineage = store.lineage
            isOfOtherData = start.lineage != lineage || end.map { $0.lineage != store.lineage } ?? false
            self.start = start
            reader = PastReader(store, after: start.number, until: end?.number ?? .max, .single)
        }

        /// Returns the next commit as soon as there is one; nil at the end, and if the task is cancelled.
        ///
        /// - Throws: ``Realm/HistoryError`` if the commits are not known; ``Realm/Error`` if the file cannot be read. The iteration has
        ///   ended then.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws -> Realm.Commit? {
            if isOfOtherData {
                guard start != nil else { return nil }
                start = nil
                throw Realm.HistoryError.otherData
            }
            let piece = try await reader.next(actor)
            start = nil
            return piece.map {
                Realm.Commit(
                    version: Realm.Version(lineage: lineage, number: $0.end), date: $0.date,
                    label: $0.label.label, author: $0.label.author, changes: $0.changes)
            }
        }
    }
}

@available(*, unavailable)
extension CommitSequence.Iterator: Sendable {}

extension PastReader.Piece {
    /// The time of the last commit; nil if it is not known.
    var date: Date? { microseconds.map { Date(timeIntervalSince1970: Double($0) / 1e6) } }
}
