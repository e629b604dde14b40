import KivoEngine
import KivoLog

extension StoreLog {
    /// Removes elements without a target from a filled store, and appends the removal to the log, unless it is read-only.
    func removeMissingTargets(from store: inout some CommitReplayer) throws {
        let catalog = store.catalog
        let collections = store.read { MissingTargets.collections(in: $0, catalog) }
        if collections.isEmpty { return }
        do {
            var counts: [String: Int] = [:]
            try store.commit { transaction in
                counts = MissingTargets.remove(from: collections, transaction)
                if !readOnly { try append(transaction, transaction.changeSet()) }
            }
            let removed = counts
            state.withLock { $0.removedElements = removed }
        } catch let error as CommitLogError where error.isPassing {
            // Another process has written since. The next opening removes them.
        }
    }
}
