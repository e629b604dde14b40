import Foundation
import KivoEngine
import KivoJournal

extension Store {
    /// Waits until no other process writes the file, and advances to their commits. The main thread does not wait for another
    /// machine.
    ///
    /// - Precondition: The caller holds the write lock, which ``endWriting()`` releases.
    func beginExclusive() throws {
        guard log.isShared, !isExclusive.load(ordering: .relaxed) else { return }
        var foreign = ForeignCommits(self)
        defer { if foreign.count > 0 { notifyInstances(except: nil) } }
        let start = Events.start
        try log.beginExclusive(into: &foreign, waits: !Thread.isMainThread)
        if let start, Duration.nanoseconds(start.elapsed) > Store.shortestWait {
            Events.add(
                eventName, since: start,
                .writeWait(RealmEvent.WriteWait(holder: "another process", isSuccessful: true)))
        }
        isExclusive.store(true, ordering: .relaxed)
    }

    /// The shortest exclusion of other processes that counts as a wait for them: it takes some time in any case.
    private static let shortestWait = Duration.milliseconds(1)

    /// Releases the write lock, for this process and for others.
    func endWriting() {
        if isExclusive.load(ordering: .relaxed) {
            isExclusive.store(false, ordering: .relaxed)
            log.endExclusive()
        }
        writer.unlock()
    }

    /// Advances to the commits of other processes, unless a local writer is active, which has done so.
    func lookElsewhere() {
        guard log.isShared else { return }
        while log.hasForeignCommits {
            if writer.tryLock(Writer(isFollower: true)) { return catchUp() }
            // A local writer advanced when it began, and others cannot have written since.
            guard writer.isHeldByFollower else { return }
            catchUpDone.withLock { _ in }
        }
    }

    /// Advances to all commits of other processes, also to those that a process which was killed could not announce. Does less if
    /// another writer holds the lock for long.
    func settleForeignCommits() {
        guard log.isShared, !configuration.readOnly,
            writer.lock(Writer(isFollower: false), timeout: 2)
        else { return lookElsewhere() }
        defer { endWriting() }
        try? beginExclusive()
    }

    /// Waits until the commits have arrived that a write was refused for, but no longer than a write waits.
    func awaitForeignCommits() {
        let end = ContinuousClock.now + .seconds(max(0, configuration.commitTimeout))
        while !log.hasForeignCommits, .now < end { Thread.sleep(forTimeInterval: 0.0005) }
    }

    /// Finds out what became of a commit whose outcome was unknown.
    func resolve(_ unknown: UnknownAppend) throws -> Bool {
        _ = writer.lock(Writer(isFollower: false))
        defer { writer.unlock() }
        return try log.resolve(unknown)
    }

    /// Advances this store whenever other processes commit.
    func watch() {
        guard log.isShared else { return }
        log.watch { [weak self, weak log] in
            // The store is retained only if there are commits: it has to close when its last instance is released.
            guard let log, log.hasForeignCommits, let self else { return }
            _ = writer.lock(Writer(isFollower: true))
            catchUp()
        }
    }

    /// Advances to the commits of other processes, and releases the write lock.
    ///
    /// - Precondition: The caller holds the write lock.
    private func catchUp() {
        let count = catchUpDone.withLock { reported in
            var foreign = ForeignCommits(self)
            do {
                try log.catchUp(into: &foreign)
                reported = nil
            } catch {
                let message = """
                    What another process wrote to '\(configuration.fileURL?.path ?? "")' cannot be followed: \(error)
                    """
                if reported != message { Logger.shared.log(level: .error, message: message) }
                reported = message
            }
            recordBaseIfDue()
            writer.unlock()
            return foreign.count
        }
        if count > 0 { notifyInstances(except: nil) }
    }
}

/// The commits of other processes, each of which becomes a version of a store, as if another thread had written it.
private struct ForeignCommits: CommitReplayer {
    let store: Store
    /// The number of commits.
    private(set) var count = 0
    /// The version of the log that the next commit leads to.
    private var version: UInt64 = 0

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

    mutating func expect(_ version: UInt64) { self.version = version }

    mutating func commit(_ body: (WriteTransaction) throws -> Void) throws {
        try store.commitForeign(at: LogPlace(version), body)
        count += 1
    }

    func read<Result>(_ body: (Snapshot) throws -> Result) rethrows -> Result {
        let (version, _, snapshot) = store.pinDurable()
        defer { store.unpin(version) }
        return try body(snapshot)
    }
}
