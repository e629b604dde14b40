import KivoEngine
import KivoLog

extension StoreLog {
    /// Whether others can have the log.
    public var isShared: Bool { log?.isShared ?? false }

    /// Waits until nobody else appends, where the log has such a lock, and brings the store to what others have appended.
    /// ``endExclusive()`` follows, unless it throws.
    public func beginExclusive(into store: inout some CommitReplayer) throws {
        guard let log, log.isShared else { return }
        if let version = state.withLock({ $0.migration }) {
            throw JournalError.migrated(schemaVersion: version)
        }
        let isLocked = try log.lock()
        do {
            // A process that was killed may have appended a commit and not published it.
            if isLocked || hasForeignCommits { try read(log, into: &store) }
        } catch {
            log.unlock()
            throw error
        }
    }

    /// Lets others append.
    public func endExclusive() { log?.unlock() }

    /// Whether others have appended something that the store does not have, as far as the log has heard.
    /// After a migration nothing that comes can be had.
    public var hasForeignCommits: Bool {
        guard let log, log.isShared, state.withLock({ $0.migration }) == nil else { return false }
        return log.hasCommits(after: version)
    }

    /// Brings the store to what others have appended. Nobody is kept from appending.
    public func catchUp(into store: inout some CommitReplayer) throws {
        if let log, hasForeignCommits { try read(log, into: &store) }
    }

    /// Has a block be called, on some thread, when others have appended something.
    public func watch(_ body: @escaping @Sendable () -> Void) { log?.watch(body) }

    /// Notes that others have migrated the log, which the store cannot follow, and returns what its writers are told from then on.
    func noteMigration(to version: UInt64) -> JournalError {
        state.withLock { $0.migration = version }
        return .migrated(schemaVersion: version)
    }

    private func read(_ log: any CommitLog, into store: inout some CommitReplayer) throws {
        while true {
            do {
                return try readCommits(of: log, into: &store)
            } catch CommitLogError.removed(let checkpoint) {
                // Another may be made meanwhile: then once more.
                guard checkpoint > version else { throw CommitLogError.removed(checkpoint: checkpoint) }
                do { try readCheckpoint(of: log, into: &store) } catch CommitLogError.removed {}
            }
        }
    }

    private func readCommits(of log: any CommitLog, into store: inout some CommitReplayer) throws {
        try log.commits(after: version) { commit in
            var reached = state.withLock { $0 }
            try commit.payload.withUnsafeBytes { payload in
                switch commit.kind {
                case .changes:
                    var decoder = CommitDecoder(restoring: reached.numbers, store.catalog, isForeign: true)
                    try decoder.replay(payload, into: &store)
                    reached.numbers = decoder.numbers
                case .migration:
                    throw noteMigration(to: payload.count >= 8 ? payload.number(at: 0) : 0)
                case .schemaVersion: reached.schemaVersion = try SchemaVersionPayload.decode(payload)
                }
            }
            reached.version += 1
            let known = reached
            state.withLock { $0 = known }
        }
    }
}
