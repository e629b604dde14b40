import KivoEngine
import KivoLog

extension StoreLog {
    /// A checkpoint that is due, until it is made.
    public struct Checkpoint: Sendable {
        fileprivate let state: State
        fileprivate let put: @Sendable (LogCheckpoint) throws -> Void

        /// Makes it. Others append meanwhile.
        ///
        /// - Parameters:
        ///   - snapshot: The version that was the newest when the checkpoint was due, which stays pinned during the call.
        ///   - catalog: Its tables.
        public func make(_ snapshot: Snapshot, _ catalog: Catalog) throws {
            try put(state.contents(snapshot, catalog).given)
        }
    }

    /// A checkpoint of the newest version; nil if none is due. Only for the holder of the place for writing, when all that is
    /// committed is durable.
    ///
    /// - Parameter isClosing: Whether the store is about to close.
    public func beginCheckpoint(isClosing: Bool) -> Checkpoint? {
        guard let log else { return nil }
        let state = state.withLock { $0 }
        // One of classes that are no more would be of no use.
        if state.migration != nil { return nil }
        return log.beginCheckpoint(of: state.version, isClosing: isClosing).map {
            Checkpoint(state: state, put: $0)
        }
    }

    /// The newest version as a checkpoint, which is valid as long as the version is pinned.
    public func checkpoint(_ snapshot: Snapshot, _ catalog: Catalog) -> LogCheckpoint {
        state.withLock { $0 }.contents(snapshot, catalog).given
    }
}

extension StoreLog.State {
    fileprivate func contents(_ snapshot: Snapshot, _ catalog: Catalog) -> StoreContents {
        StoreContents(
            snapshot, catalog, numbers, version: version, schemaVersion: schemaVersion ?? 0, heap!)
    }
}
