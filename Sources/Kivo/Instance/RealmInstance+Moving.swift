import KivoEngine

/// A move of a realm instance from its version to the newest one, as a value: prepared, announced, performed, and told of.
/// Both versions are pinned from the preparation to the end.
struct VersionMove {
    let from: UInt64
    let old: Snapshot
    let to: UInt64
    let new: Snapshot
    /// What changed in between.
    let changes: ChangeSet
}

extension RealmInstance {
    /// Moves to the newest version, telling key-value observers before and after.
    ///
    /// - Parameter openingWrite: whether a transaction is opened on that version before anybody is told that it is there.
    func moveToNewest(openingWrite: Bool = false) {
        let move = prepareMove()
        var changes = announce(move)
        perform(move)
        if openingWrite { openTransaction() }
        changes?.close()
        store.unpin(move.from)
        makeUpForMissedTurn()
    }

    private func prepareMove() -> VersionMove {
        let old = snapshot
        let next = store.advance(from: version)
        updateCatalog()
        return VersionMove(
            from: version, old: old, to: next.version, new: next.snapshot, changes: next.changes)
    }

    /// Tells key-value observers what is about to change.
    private func announce(_ move: VersionMove) -> (any OpenRowChanges)? {
        activity.take(.moveAnnounced)
        defer { activity.take(.moveMade) }
        return rowTeller.willMove(self, move.changes, .forward)
    }

    private func perform(_ move: VersionMove) {
        moveTo(move.to, move.new)
        advanceGeneration()
        // Before anybody is told: what a handler writes comes after the move.
        listeners.recordAdvance(move.changes, from: move.from, to: move.to, old: move.old, instance: self)
    }
}
