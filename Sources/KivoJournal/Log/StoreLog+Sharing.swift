import KivoEngine
import KivoLog

extension StoreLog {
    /// A Boolean value that indicates whether other stores can append to the log.
    package var isShared: Bool { log?.isShared ?? false }

    /// Waits until no other store appends, if the log has a lock, and brings the store to the newest version. Unless it throws,
    /// the caller must call ``endExclusive()`` afterwards.
    package func beginExclusive(into store: inout some CommitReplayer) throws {
        guard let log, log.isShared else { return }
        if let version = state.withLock({ $0.migration }) {
            throw JournalError.migrated(schemaVersion: version)
        }
        let isLocked = try log.lock()
        do {
            // A process that was killed may have appended a commit without publishing it.
            if isLocked || hasForeignCommits { try read(log, into: &store) }
        } catch {
            log.unlock()
            throw error
        }
    }

    /// Releases the lock, so that other stores can append.
    package func endExclusive() { log?.unlock() }

    /// A Boolean value that indicates whether other stores have appended commits that this store does not have, as far as the log
    /// has been notified. False after a migration, because this store cannot apply the commits after it.
    package var hasForeignCommits: Bool {
        guard let log, log.isShared, state.withLock({ $0.migration }) == nil else { return false }
        return log.hasCommits(after: version)
    }

    /// Brings the store to the newest version. Other stores can append meanwhile.
    package func catchUp(into store: inout some CommitReplayer) throws {
        if let log, hasForeignCommits { try read(log, into: &store) }
    }

    /// Registers the closure that is called, on some thread, after other stores have appended.
    package func watch(_ body: @escaping @Sendable () -> Void) { log?.watch(body) }

    /// Records that another store has migrated the log, which this store cannot follow. Returns the error that its writers
    /// receive from then on.
    func noteMigration(to version: UInt64) -> JournalError {
        state.withLock { $0.migration = version }
        return .migrated(schemaVersion: version)
    }

    private func read(_ log: any CommitLog, into store: inout some CommitReplayer) throws {
        while true {
            do {
                return try readCommits(of: log, into: &store)
            } catch CommitLogError.removed(let checkpoint) {
                // Another checkpoint may be made meanwhile: the loop then repeats.
                guard checkpoint > version else { throw CommitLogError.removed(checkpoint: checkpoint) }
                do { try readCheckpoint(of: log, into: &store) } catch CommitLogError.removed {}
            }
        }
    }

    private func readCommits(of log: any CommitLog, into store: inout some CommitReplayer) throws {
        // Made for the first commit, because usually there is none.
        var applier: CommitApplier?
        do {
            try log.commits(after: version) { commit in
                if applier == nil { applier = .following(state.withLock { $0.log }, store.catalog) }
                try applier!.apply(commit, into: &store)
                let reached = applier!.state
                state.withLock { $0.log = reached }
            }
        } catch JournalError.migrated(let version) {
            throw noteMigration(to: version)
        }
    }
}
