import KivoEngine

extension StoreLog {
    /// Whether the log is that of a file, which can keep changes when it is compacted.
    package var isFile: Bool { log is JournalLog }

    /// Returns whether a file is too large, but must not be compacted before the newest version contains the changes that are demanded
    /// of it: see ``StoredChanges``.
    package func lacksHistory(_ snapshot: Snapshot, _ catalog: Catalog) -> Bool {
        guard let journal = log as? JournalLog, !readOnly else { return false }
        return journal.lacksHistory(state.withLock { $0 }.contents(snapshot, catalog))
    }

    /// Returns whether a file that began with the newest version would have all changes that are demanded of it.
    package func keepsHistory(_ snapshot: Snapshot, _ catalog: Catalog) -> Bool {
        state.withLock { $0 }.contents(snapshot, catalog).keepsHistory(lineage: lineage)
    }
}
