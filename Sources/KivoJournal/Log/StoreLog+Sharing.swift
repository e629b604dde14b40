import KivoEngine
import KivoLog

extension StoreLog {
    /// A Boolean value that indicates whether other stores can append to the log.
    package var isShared: Bool { log?.isShared ?? false }

    /// Takes the log's lease, if it has any, and brings the store to the newest version that has arrived. Unless it throws, the
    /// caller must call ``endExclusive()`` afterwards.
    ///
    /// - Parameter waits: Whether the thread may wait for another machine. If it may not, and the lease is not at hand, the
    ///   transaction is made without one: its commit fails if another store is first.
    package func beginExclusive(into store: inout some CommitReplayer, waits: Bool = true) throws {
        guard let log, log.isShared else { return }
        if let version = state.withLock({ $0.migration }) {
            throw JournalError.migrated(schemaVersion: version)
        }
        let lease = try log.acquireLease(until: log.isRemote ? .now + (waits ? patience : .zero) : nil)
        do {
            // A process that was killed may have appended a commit without publishing it.
            if lease != nil || hasForeignCommits { try read(log, into: &store) }
        } catch {
            if let lease { log.releaseLease(lease) }
            throw error
        }
        state.withLock { $0.lease = lease }
    }

    /// Gives the lease back, so that other stores can append.
    package func endExclusive() {
        let lease = state.withLock { state in
            defer { state.lease = nil }
            return state.lease
        }
        if let lease { log?.releaseLease(lease) }
    }

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
    package func watch(_ body: @escaping @Sendable () -> Void) {
        log?.observe { [weak self] event in
            switch event {
            case .head, .compactedAway: body()
            case .connected: self?.state.withLock { $0.connection = LogConnection() }
            case .disconnected(let reason):
                self?.state.withLock { state in
                    state.connection = LogConnection(
                        problem: reason, lostAt: state.connection.lostAt ?? .now)
                }
            case .checkpoint, .leaseLost: break
            }
        }
    }

    /// Reserves a name for this process, as far as the log of a file can. Returns false if another process has reserved it.
    package func tryReserve(_ name: String) -> Bool {
        (log as? JournalLog)?.contents?.sharing?.tryReserve(StoreLog.number(of: name)) ?? true
    }

    /// Ends the reservation of a name.
    package func endReservation(_ name: String) {
        (log as? JournalLog)?.contents?.sharing?.release(StoreLog.number(of: name))
    }

    private static func number(of name: String) -> UInt64 {
        Array(name.utf8).withUnsafeBytes { Checksum.of($0, seed: 0) }
    }

    /// The connection with the log.
    package var connection: LogConnection { state.withLock { $0.connection } }

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
            try log.commits(after: version) { entry in
                if applier == nil { applier = .following(state.withLock { $0.log }, store.catalog) }
                var seen = LogOrigin()
                try seen.note(entry, after: applier!.version, id: log.id)
                try applier!.apply(entry.commit, into: &store)
                let reached = applier!.state
                let observer = state.withLock { state in
                    state.log = reached
                    if log.id != 0 { state.origin.last.note(entry.commit.identity, version: entry.version) }
                    return state.observer
                }
                observer?(entry)
            }
        } catch JournalError.migrated(let version) {
            throw noteMigration(to: version)
        }
    }
}
