import KivoEngine

/// Everything between a version and the one that the realm is at: what those listeners have not been told that saw the
/// former last. They share it, and with it what is worked out from it. Valid during one delivery.
final class PendingChanges {
    /// The registry of the instance keeps what was worked out last, and must not keep the instance.
    unowned let instance: RealmInstance
    /// The version that the listeners saw last, and the one that the realm is at.
    let from: UInt64
    let to: UInt64
    /// Which rows the changes count for, worked out once for all that are told of them.
    let walks: ChangeWalks
    /// What the listeners saw last.
    let old: Snapshot
    /// What they see now: of the version, or of a transaction in which nothing was written yet.
    let new: Snapshot
    /// The part of it that came by moving to newer versions, each with the snapshot before.
    let advances: [(old: Snapshot, changes: ChangeSet)]

    var changes: ChangeSet { walks.changes }

    init(_ instance: RealmInstance, from: UInt64, _ steps: ArraySlice<StepLog.Step>) {
        self.instance = instance
        self.from = from
        to = instance.version
        let changes = steps.count == 1 ? steps.first!.changes : ChangeSet(composing: steps.map(\.changes))
        new = instance.snapshot
        walks = ChangeWalks(changes, new, instance.catalog)
        old = steps.first?.old ?? new
        advances = steps.filter(\.isAdvance).map { ($0.old, $0.changes) }
    }

    /// Whether this is what happened between a version and what the realm shows.
    func leads(from: UInt64, to instance: RealmInstance) -> Bool {
        from == self.from && to == instance.version && new.word == instance.snapshot.word
    }
}
