import Foundation
import KivoEngine
import KivoJournal

/// A reader of the changes that a realm kept when its file was compacted. Confined to its task.
///
/// It retains the version of the realm in which it found them, because they may be composed or removed meanwhile.
final class KeptChanges {
    private let pin: VersionPin
    private let snapshot: Snapshot
    private let catalog: Catalog
    /// The changes that follow the version without gaps, the next one last.
    private var rest: [StoredChanges]

    /// Finds the changes that follow a version.
    ///
    /// - Parameters:
    ///   - oldest: The version with which the file begins.
    ///   - divide: A closure that makes a cut at the version in what is kept, if it can.
    /// - Throws: ``LogHistory/Failure/removed(oldest:)`` if they are not known.
    init(
        _ store: Store, after number: UInt64, orThrow oldest: UInt64,
        dividingBy divide: ([StoredChanges], Snapshot, Catalog) throws -> [StoredChanges]? = { _, _, _ in nil
        }
    ) throws {
        // Another process may have compacted the file, after a commit that this one has not read yet.
        if store.newestNumber < oldest { store.lookElsewhere() }
        let version = store.pinDurable()
        pin = store.heldVersions.hold(version.version, of: store)
        (snapshot, catalog) = (version.snapshot, store.catalog)
        let all = StoredChanges.all(in: snapshot, catalog, lineage: store.lineage)
        let divided = try divide(all, snapshot, catalog) ?? all
        rest = divided.following(number).reversed()
        guard let last = rest.first, last.end >= oldest else {
            // The history begins where changes lead to the file without gaps, and not in the middle of composed ones.
            let next = all.reachingBack(from: oldest).first { $0.start >= number }
            throw LogHistory.Failure.removed(oldest: next?.start ?? oldest)
        }
    }

    /// Returns the next changes; nil at the end, with which the file goes on.
    func next() -> StoredChanges? { rest.popLast() }

    /// Decodes changes.
    func changeSet(of changes: StoredChanges) throws -> ChangeSet {
        try changes.changeSet(in: snapshot, catalog)
    }

    /// Composes the changes that follow, up to a version.
    ///
    /// - Returns: The changes, and the version to which they lead.
    /// - Throws: ``LogHistory/Failure/migrated(_:)`` if a migration is among them; ``LogHistory/Failure/removed(oldest:)`` if the first
    ///   ones lead beyond the version.
    func composed(upTo version: UInt64) throws -> (changes: ChangeSet, end: UInt64) {
        var (parts, end): ([ChangeSet], UInt64) = ([], 0)
        while let changes = next() {
            if changes.end > version {
                if changes.isEmpty {
                    end = version
                } else if end == 0 {
                    throw LogHistory.Failure.removed(oldest: changes.end)
                }
                break
            }
            if changes.isMigration { throw LogHistory.Failure.migrated(changes.end) }
            parts.append(try changeSet(of: changes))
            end = changes.end
        }
        return (ChangeSet(composing: parts), end)
    }
}

extension StoredChanges {
    /// Encodes changes to be stored.
    init(
        _ start: UInt64, _ end: UInt64, count: UInt64, microseconds: Int64, label: CommitLabel,
        _ changes: ChangeSet
    ) {
        self.init(
            start, end, count: count, microseconds: microseconds, label: label,
            changes.isEmpty ? [] : [UInt8](changes.encoded()))
    }

    /// Decodes the changes.
    func changeSet(in snapshot: Snapshot, _ catalog: Catalog) throws -> ChangeSet {
        let bytes = bytes(in: snapshot, catalog)
        return bytes.isEmpty ? ChangeSet() : try ChangeSet(decoding: Data(bytes))
    }
}

extension [StoredChanges] {
    /// The changes that follow a version without gaps.
    func following(_ version: UInt64) -> [StoredChanges] {
        var (found, version) = ([StoredChanges](), version)
        for changes in self
        where changes.start == version || changes.isEmpty && changes.start < version && version < changes.end
        {
            found.append(changes)
            version = changes.end
        }
        return found
    }

    /// The changes that lead from a version to another one; nil if there are gaps or migrations in between.
    func leading(from start: UInt64, to end: UInt64) -> [StoredChanges]? {
        let found = following(start).prefix { $0.start < end }
        guard found.last?.end ?? start == end, !found.contains(where: \.isMigration) else { return nil }
        return Array(found)
    }

    /// The changes that lead to a version, or beyond it, without gaps.
    func reachingBack(from version: UInt64) -> [StoredChanges] {
        var found: [StoredChanges] = []
        for changes in reversed() {
            if let next = found.last {
                if changes.end == next.start { found.append(changes) }
            } else if changes.end >= version {
                found.append(changes)
            }
        }
        return found.reversed()
    }
}
