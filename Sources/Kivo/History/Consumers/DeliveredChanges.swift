import KivoEngine
import KivoJournal

/// The changes that one iteration over the batches of a consumer has delivered, as far as they are not acknowledged. Thread-safe.
///
/// With them a consumer can acknowledge a version in the middle of changes that compaction has composed since they were delivered.
final class DeliveredChanges: Sendable {
    private struct Part: Sendable {
        let start: UInt64, end: UInt64
        let changes: ChangeSet
        let count: Int
        let isAfterMigration: Bool
    }

    private struct State: Sendable {
        var end: UInt64 = 0
        var parts: [Part] = []
        /// The versions with which the iteration began, and up to which it has acknowledged or tried to.
        var places: Set<UInt64> = []
    }

    private let state = Lock(State())

    /// Notes the version after which the iteration begins.
    func begin(after version: UInt64) { state.withLock { $0 = State(end: version, places: [version]) } }

    /// Notes that the iteration acknowledges a version. Returns false if the stored place is not one of this iteration: another one has
    /// acknowledged changes, and may have dealt with the same ones.
    func acknowledge(_ version: UInt64, at place: UInt64) -> Bool {
        state.withLock { state in
            guard state.places.contains(place) else { return false }
            // The transaction that acknowledges this version may still be cancelled.
            state.places = state.places.filter { $0 >= place }
            state.places.insert(version)
            return true
        }
    }

    /// Adds what is delivered next.
    func add(_ piece: PastReader.Piece) {
        state.withLock { state in
            state.parts.append(
                Part(
                    start: state.end, end: piece.end, changes: piece.changes, count: piece.count,
                    isAfterMigration: piece.isAfterMigration))
            state.end = piece.end
        }
    }

    /// Forgets what was acknowledged.
    func forget(upTo version: UInt64) {
        state.withLock { state in state.parts.removeAll { $0.end <= version } }
    }

    /// Divides what is kept of the past at a version up to which everything was delivered, and in the middle of which it may have been
    /// composed since.
    ///
    /// - Parameters:
    ///   - stored: What is kept.
    ///   - acknowledged: The version up to which the consumer has acknowledged the changes.
    ///   - snapshot: The version of the realm in which it is kept.
    /// - Returns: What is kept, with a cut at the version; nil if it has one already.
    /// - Throws: ``LogHistory/Failure/removed(oldest:)`` if what was delivered is not the beginning of what was kept, because others have
    ///   read as this consumer, too. It has to begin a new iteration then.
    func divide(
        _ stored: [StoredChanges], at version: UInt64, after acknowledged: UInt64, in snapshot: Snapshot,
        _ catalog: Catalog
    ) throws -> [StoredChanges]? {
        guard
            let index = stored.firstIndex(where: {
                $0.start < version && version < $0.end && !$0.isEmpty
            })
        else { return nil }
        let whole = stored[index]
        let delivered = state.withLock { $0.parts }.filter { $0.end > acknowledged && $0.end <= version }
        var (read, start) = (delivered[...], acknowledged)
        if let migration = stored[..<index].last(where: \.isMigration)?.end, migration > acknowledged {
            // The changes that were delivered since the last migration lead to the version, and the kept ones beyond it.
            read = delivered[(delivered.lastIndex(where: \.isAfterMigration) ?? delivered.endIndex)...]
            start = migration
        }
        guard read.first.map({ $0.start == start || $0.isAfterMigration }) ?? true,
            let before = stored.leading(from: start, to: whole.start)
        else { throw LogHistory.Failure.removed(oldest: whole.end) }
        let changesBefore = ChangeSet(composing: try before.map { try $0.changeSet(in: snapshot, catalog) })
        let changesRead = ChangeSet(composing: read.map(\.changes))
        let all = changesBefore.followed(by: try whole.changeSet(in: snapshot, catalog))
        let count = read.reduce(0) { $0 + $1.count } - before.reduce(0) { $0 + Int(clamping: $1.count) }
        func part(_ start: UInt64, _ end: UInt64, _ count: Int, _ changes: ChangeSet) -> StoredChanges {
            StoredChanges(
                start, end, count: UInt64(max(1, count)), microseconds: whole.microseconds,
                label: whole.label, changes)
        }
        var divided = stored
        divided[index...index] = [
            part(whole.start, version, count, changesBefore.inverse.followed(by: changesRead)),
            part(
                version, whole.end, Int(clamping: whole.count) - count,
                changesRead.inverse.followed(by: all)),
        ]
        return divided
    }
}
