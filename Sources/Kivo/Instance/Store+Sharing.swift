import KivoEngine
import KivoJournal

extension Store {
    /// Waits until no other process writes the file, and moves on to what they wrote. Only for the holder of the writer's
    /// place, which ``endWriting()`` gives back.
    func beginExclusive() throws {
        guard log.isShared, !isExclusive.load(ordering: .relaxed) else { return }
        var foreign = ForeignCommits(self)
        defer { if foreign.count > 0 { notifyInstances(except: nil) } }
        try log.beginExclusive(into: &foreign)
        isExclusive.store(true, ordering: .relaxed)
    }

    /// Gives the writer's place back, to this process and others.
    func endWriting() {
        if isExclusive.load(ordering: .relaxed) {
            isExclusive.store(false, ordering: .relaxed)
            log.endExclusive()
        }
        writer.unlock()
    }

    /// Moves on to what other processes have committed, unless somebody writes at the moment, who has done so.
    func lookElsewhere() {
        guard log.isShared else { return }
        while log.hasForeignCommits {
            if writer.tryLock(Store.follower()) { return catchUp() }
            // A local writer moved on when it began, and others cannot have written since.
            guard writer.isHeldByFollower else { return }
            catchUpDone.withLock { _ in }
        }
    }

    /// Has this store move on whenever other processes commit.
    func watch() {
        guard log.isShared else { return }
        log.watch { [weak self, weak log] in
            // The store is taken hold of only if there is something: it is to close when its last instance goes.
            guard let log, log.hasForeignCommits, let self else { return }
            _ = writer.lock(Store.follower())
            catchUp()
        }
    }

    /// What takes the writer's place, though no instance, to bring the store to what other processes have committed.
    private static func follower() -> InstanceHandle { InstanceHandle(.none, .none, isFollower: true) }

    /// Moves on; only for the holder of the writer's place, which is given back.
    private func catchUp() {
        let count = catchUpDone.withLock { _ in
            var foreign = ForeignCommits(self)
            do {
                try log.catchUp(into: &foreign)
            } catch {
                Logger.shared.log(
                    level: .error,
                    message: """
                        What another process wrote to '\(configuration.fileURL?.path ?? "")' cannot be followed: \(error)
                        """)
            }
            writer.unlock()
            return foreign.count
        }
        if count > 0 { notifyInstances(except: nil) }
    }
}

/// The commits of other processes on their way into a store: each becomes a version, as if another thread had written it.
private struct ForeignCommits: CommitReplayer {
    let store: Store
    /// How many there were.
    private(set) var count = 0

    init(_ store: Store) { self.store = store }

    var heap: Heap { store.heap }
    var catalog: Catalog { store.catalog }

    mutating func restore(_ roots: [TableRoot], of file: Int, _ catalog: Catalog) throws {
        fatalError("A store that is open begins with no checkpoint.")
    }

    mutating func discard() {}

    mutating func defineTables(_ define: (inout Catalog) throws -> Void) throws {
        try store.defineTables(define)
    }

    mutating func commit(_ body: (WriteTransaction) throws -> Void) throws {
        try store.commitForeign(body)
        count += 1
    }

    func read<Result>(_ body: (Snapshot) throws -> Result) rethrows -> Result {
        let version = store.head
        let snapshot = store.pin(version)
        defer { store.unpin(version) }
        return try body(snapshot)
    }
}
