import KivoEngine

/// The versions that one instance has committed, one on top of the other, and that are not durable yet. Only that instance
/// sees them; the version chain gets them once they are.
///
/// If they cannot be made durable they are undone: the chain gets a version that is the one before them, and each of them
/// stays readable until nobody is at it any more.
///
///     chain ── 7 ┬─ 8 ── 9 ── 10   unlogged
///                └─ 11             the chain goes on here if 8 to 10 fail
///
/// Not thread-safe: a store guards it with its lock.
struct UnloggedVersions: Sendable {
    /// A transaction that is sealed. Nobody writes in it; it is read, finished or undone behind the lock of the store, or by
    /// who has the writer's place.
    struct Commit: @unchecked Sendable {
        let version: UInt64
        let transaction: WriteTransaction
        let changes: ChangeSet
        fileprivate var pins = 0
    }

    /// What could not be made durable, and the version below it, which is pinned.
    private struct Undone: Sendable {
        let base: UInt64
        var commits: [Commit]
    }

    private(set) var commits: [Commit] = []
    private var owner: ObjectIdentifier?
    private var undone: [Undone] = []

    var isEmpty: Bool { commits.isEmpty }

    /// The newest version, for the instance that made it.
    func newest(of handle: InstanceHandle) -> UInt64? {
        owner == ObjectIdentifier(handle) ? commits.last?.version : nil
    }

    /// Puts a sealed transaction on top and returns its version.
    mutating func append(
        _ transaction: WriteTransaction, _ changes: ChangeSet, of handle: InstanceHandle, above head: UInt64
    ) -> UInt64 {
        owner = ObjectIdentifier(handle)
        let version = (commits.last?.version ?? head) + 1
        commits.append(Commit(version: version, transaction: transaction, changes: changes))
        return version
    }

    // MARK: Pins

    /// Keeps a version. Returns nil if it is not one of these.
    mutating func pin(_ version: UInt64) -> Snapshot? {
        change(version) {
            $0.pins += 1
            return $0.transaction.snapshot
        }
    }

    /// Lets go of a version; returns whether it is one of these.
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

    private mutating func change<Result>(_ version: UInt64, _ body: (inout Commit) -> Result) -> Result? {
        if let place = commits.firstIndex(of: version) { return body(&commits[place]) }
        for group in undone.indices {
            if let place = undone[group].commits.firstIndex(of: version) {
                return body(&undone[group].commits[place])
            }
        }
        return nil
    }

    // MARK: The end

    /// Hands everything over to the chain: it is durable.
    mutating func finish(_ chain: inout VersionChain) {
        for commit in commits {
            _ = chain.append(
                commit.transaction.finish(commit.changes), as: commit.version, pins: commit.pins)
        }
        (commits, owner) = ([], nil)
    }

    /// Gives everything up: it cannot be made durable. The chain gets a version that is the one before, under a number that
    /// nobody has seen.
    mutating func fail(_ chain: inout VersionChain, id: UInt64) {
        guard let last = commits.last else { return }
        let base = chain.head
        let snapshot = chain.pin(base)
        _ = chain.append(
            KivoEngine.Commit(id: id, snapshot: snapshot, changes: ChangeSet(), retired: RetireList()),
            as: last.version + 1)
        undone.append(Undone(base: base, commits: commits))
        (commits, owner) = ([], nil)
        release(&chain)
    }

    /// What leads from one version to a later one, in order: back from commits that were undone, along the chain, and on
    /// through those that are not durable. `from` must be pinned.
    func changeSets(from: UInt64, to: UInt64, along chain: VersionChain) -> [ChangeSet] {
        let (start, end) = (branch(upTo: from), branch(upTo: to))
        if let start, let end, start.base == end.base {
            return end.commits.dropFirst(start.commits.count).map(\.changes)
        }
        let back = start.map { [ChangeSet(composing: $0.commits.map(\.changes)).inverse] } ?? []
        return back + chain.changeSets(from: start?.base ?? from, to: end?.base ?? to)
            + (end?.commits.map(\.changes) ?? [])
    }

    /// The commits up to one of these versions, and the version of the chain below them, which no other branch has. Returns
    /// nil if the version is not one of these.
    private func branch(upTo version: UInt64) -> (base: UInt64, commits: ArraySlice<Commit>)? {
        if let place = commits.firstIndex(of: version) { return (commits[0].version - 1, commits[...place]) }
        for group in undone {
            if let place = group.commits.firstIndex(of: version) {
                return (group.base, group.commits[...place])
            }
        }
        return nil
    }

    /// Lets go of what was undone and is not read any more, from the top: each is built on the one below.
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
    /// Where a version is. O(log n).
    fileprivate func firstIndex(of version: UInt64) -> Int? {
        guard let first, first.version <= version, version - first.version < UInt64(count) else { return nil }
        return Int(version - first.version)
    }
}
