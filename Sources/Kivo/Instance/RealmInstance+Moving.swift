import KivoEngine

/// A move of a realm instance from its version to the newest one, which is prepared, announced, performed and closed. Both
/// versions are pinned from the preparation to the end.
struct VersionMove {
    let from: UInt64
    let old: Snapshot
    let to: UInt64
    let new: Snapshot
    /// The changes from one version to the other.
    let changes: ChangeSet
}

extension RealmInstance {
    /// Advances to the newest version, notifying key-value observers before and after.
    ///
    /// - Parameter openingWrite: Whether a transaction is opened on the new version before observers are notified of it.
    func moveToNewest(openingWrite: Bool = false) {
        let move = prepareMove()
        var changes = announce(move)
        perform(move)
        if openingWrite { openTransaction() }
        changes?.close()
        store.unpin(move.from)
    }

    private func prepareMove() -> VersionMove {
        let old = snapshot
        let next = store.advance(from: version)
        updateCatalog()
        return VersionMove(
            from: version, old: old, to: next.version, new: next.snapshot, changes: next.changes)
    }

    /// Notifies key-value observers of the changes before they are made.
    private func announce(_ move: VersionMove) -> (any OpenRowChanges)? {
        activity.take(.moveAnnounced)
        defer { activity.take(.moveMade) }
        return rowNotifier.willMove(self, move.changes, .forward)
    }

    private func perform(_ move: VersionMove) {
        moveTo(move.to, move.new)
        advanceGeneration()
        // Recorded before observers are notified: what a handler writes comes after the move.
        listeners.recordAdvance(move.changes, from: move.from, to: move.to, old: move.old)
    }
}
