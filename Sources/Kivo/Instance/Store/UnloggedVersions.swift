import KivoEngine
import KivoJournal

/// The versions that one instance has committed, one on top of the other, and that are not durable yet. Only that instance sees
/// them. They are appended to the version chain once they are durable.
///
/// If they cannot be made durable they are undone: a version with the contents before them is appended to the chain, and each of
/// them stays readable until its last reader unpins it.
///
///     chain ── 7 ┬─ 8 ── 9 ── 10   unlogged
///                └─ 11             the chain goes on here if 8 to 10 fail
///
/// Not thread-safe: a store guards it with its lock.
struct UnloggedVersions: Sendable {
    /// A transaction that is sealed, so that it takes no more writes. It is read, finished or undone behind the lock of the
    /// store, or by the holder of the write lock.
    struct Commit: @unchecked Sendable {
        let version: UInt64
        let transaction: WriteTransaction
        let changes: RowChangeSet
        let label: CommitLabel
        fileprivate var pins = 0
    }

    /// The commits that could not be made durable, and the version below them, which is pinned.
    private struct Undone: Sendable {
        let base: UInt64
        var commits: [Commit]
    }

    private(set) var commits: [Commit] = []
    private var owner: ObjectIdentifier?
    private var undone: [Undone] = []

    var isEmpty: Bool { commits.isEmpty }

    /// Returns the newest version if the writer made it, else nil.
    func newest(of writer: Writer) -> UInt64? {
        owner == ObjectIdentifier(writer) ? commits.last?.version : nil
    }

    /// Adds a sealed transaction on top and returns its version.
    mutating func append(
        _ transaction: WriteTransaction, _ changes: RowChangeSet, _ label: CommitLabel = CommitLabel(),
        of writer: Writer, above head: UInt64
    ) -> UInt64 {
        owner = ObjectIdentifier(writer)
        let version = (commits.last?.version ?? head) + 1
        commits.append(Commit(version: version, transaction: transaction, changes: changes, label: label))
        return version
    }

    // MARK: Pins

    /// Pins a version. Returns nil if it is not one of these.
    mutating func pin(_ version: UInt64) -> Snapshot? {
        change(version) {
            $0.pins += 1
            return $0.transaction.snapshot
        }
    }

    /// Unpins a version. Returns whether it is one of these.
    mutating func unpin(_ version: UInt64, _ chain: inout VersionChain) -> Bool {
        guard change(version, { $0.pins -= 1 }) != nil else { return false }
        release(&chain)
        return true
    }

    /// Whether a version is one of these, or was and could not be made durable.
    func contains(_ version: UInt64) -> Bool {
        commits.firstIndex(of: version) != nil
            || undone.contains { $0.commits.firstIndex(of: version) != nil }
    }

    /// Returns the version of the chain on which one of these is built; nil if the version is not one of these.
    func base(of version: UInt64) -> UInt64? { branch(upTo: version)?.base }

    private mutating func change<Result>(_ version: UInt64, _ body: (inout Commit) -> Result) -> Result? {
        if let index = commits.firstIndex(of: version) { return body(&commits[index]) }
        for group in undone.indices {
            if let index = undone[group].commits.firstIndex(of: version) {
                return body(&undone[group].commits[index])
            }
        }
        return nil
    }

    // MARK: The end

    /// Appends all commits to the chain, because they are durable: as one commit of the log.
    ///
    /// - Parameter place: The place in the log that they lead to together; nil if there is no log.
    mutating func finish(_ chain: inout VersionChain, at place: LogPlace?) {
        let base = chain.place(of: chain.head).number
        for commit in commits {
            let isLast = commit.version == commits.last!.version
            _ = chain.append(
                commit.transaction.finish(commit.changes), as: commit.version, pins: commit.pins,
                at: isLast ? place : place.map { _ in LogPlace(base, isWhole: false) })
        }
        (commits, owner) = ([], nil)
    }

    /// Undoes all commits, because they cannot be made durable. A version with the contents before them is appended to the chain,
    /// under a number that no instance has seen.
    mutating func fail(_ chain: inout VersionChain, id: UInt64) {
        guard let last = commits.last else { return }
        let base = chain.head
        let snapshot = chain.pin(base)
        _ = chain.append(
            KivoEngine.Commit(id: id, snapshot: snapshot, changes: RowChangeSet(), retired: RetireList()),
            as: last.version + 1, at: chain.place(of: base))
        undone.append(Undone(base: base, commits: commits))
        (commits, owner) = ([], nil)
        release(&chain)
    }

    /// Returns the changes from one version to a later one, in order: back from commits that were undone, along the chain, and
    /// forward through those that are not durable.
    ///
    /// - Precondition: `from` is pinned.
    func changeSets(from: UInt64, to: UInt64, along chain: VersionChain) -> [RowChangeSet] {
        let (start, end) = (branch(upTo: from), branch(upTo: to))
        if let start, let end, start.base == end.base {
            return end.commits.dropFirst(start.commits.count).map(\.changes)
        }
        let back = start.map { [RowChangeSet(composing: $0.commits.map(\.changes)).inverse] } ?? []
        return back + chain.changeSets(from: start?.base ?? from, to: end?.base ?? to)
            + (end?.commits.map(\.changes) ?? [])
    }

    /// Returns the commits up to one of these versions, and the version of the chain below them, which no other branch has.
    /// Returns nil if the version is not one of these.
    private func branch(upTo version: UInt64) -> (base: UInt64, commits: ArraySlice<Commit>)? {
        if let index = commits.firstIndex(of: version) { return (commits[0].version - 1, commits[...index]) }
        for group in undone {
            if let index = group.commits.firstIndex(of: version) {
                return (group.base, group.commits[...index])
            }
        }
        return nil
    }

    /// Undoes the commits that failed and are not read any more, from the top down: each is built on the one below.
    private mutating func release(_ chain: inout VersionChain) {
        for group in undone.indices {
            while let last = undone[group].commits.last, last.pins == 0 {
                last.transaction.undo()
                undone[group].commits.removeLast()
            }
            if undone[group].commits.isEmpty { chain.unpin(undone[group].base) }
        }
        undone.removeAll { $0.commits.isEmpty }
    }
}

extension [UnloggedVersions.Commit] {
    /// Returns the index of a version, or nil if it is not one of these. O(1).
    fileprivate func firstIndex(of version: UInt64) -> Int? {
        guard let first, first.version <= version, version - first.version < UInt64(count) else { return nil }
        return Int(version - first.version)
    }
}

/// The error for commits that could not be made durable, and their versions. The commits are undone.
struct FlushFailure: Error {
    let versions: ClosedRange<UInt64>
    let error: any Error
}

/// A flush of a realm instance's commits on another thread. Thread-safe.
final class Flush: Sendable {
    struct Outcome: Sendable {
        /// The failure, or nil if all commits are durable.
        let failure: FlushFailure?
    }

    /// The version of the newest commit.
    let version: UInt64
    private let ended = Lock<Outcome?>(nil)

    init(upTo version: UInt64) { self.version = version }

    /// The outcome, or nil while the flush is running.
    var outcome: Outcome? { ended.withLock { $0 } }

    func end(_ failure: FlushFailure?) { ended.withLock { $0 = Outcome(failure: failure) } }
}
