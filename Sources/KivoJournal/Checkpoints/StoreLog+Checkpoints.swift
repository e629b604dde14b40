import KivoEngine
import KivoLog

extension StoreLog {
    /// A checkpoint that is due and not yet made.
    package struct Checkpoint: Sendable {
        fileprivate let state: State
        fileprivate let put: @Sendable (LogCheckpoint) throws -> Void

        /// Makes the checkpoint. Other stores can append meanwhile.
        ///
        /// - Parameters:
        ///   - snapshot: The version that was the newest when the checkpoint was due. It must stay pinned during the call.
        ///   - catalog: The tables of that version.
        package func make(_ snapshot: Snapshot, _ catalog: Catalog) throws {
            try put(state.contents(snapshot, catalog).logCheckpoint)
        }
    }

    /// Returns a checkpoint of the newest version, or nil if none is due.
    ///
    /// - Precondition: The caller holds the store's write lock, and all commits are durable.
    ///
    /// - Parameter isClosing: Whether the store is about to close.
    package func beginCheckpoint(isClosing: Bool) -> Checkpoint? {
        guard let log else { return nil }
        let state = state.withLock { $0 }
        // A checkpoint of classes that another store has migrated would be useless.
        if state.migration != nil { return nil }
        if let journal = log as? JournalLog, let cache = state.heap?.cache {
            let logged = journal.tailBytes.load(ordering: .relaxed)
            journal.isCheckpointDemanded.store(cache.demandsCheckpoint(beside: logged), ordering: .relaxed)
        }
        return log.beginCheckpoint(of: state.log.version, isClosing: isClosing).map {
            Checkpoint(state: state, put: $0)
        }
    }

    /// Returns the newest version as a checkpoint, which is valid as long as the version is pinned.
    package func checkpoint(_ snapshot: Snapshot, _ catalog: Catalog) -> LogCheckpoint {
        state.withLock { $0 }.contents(snapshot, catalog).logCheckpoint
    }
}

extension StoreLog.State {
    /// Returns the newest version as the contents of a checkpoint.
    func contents(_ snapshot: Snapshot, _ catalog: Catalog) -> StoreContents {
        StoreContents(
            snapshot, catalog, log.numbers, version: log.version, schemaVersion: log.schemaVersion ?? 0,
            origin: origin.id == 0 ? nil : origin, heap!)
    }
}
