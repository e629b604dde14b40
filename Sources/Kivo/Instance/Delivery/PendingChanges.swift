import KivoEngine

/// Everything between a version and the one that the realm is at: what those listeners have not been told that saw the
/// former last. They share it, and with it what is worked out from it. Valid during one delivery.
final class PendingChanges {
    /// The tables, as the instance knows them.
    let catalog: Catalog
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

    /// Whether all of it came by moving to newer versions.
    let isAdvance: Bool
    /// What a listener reads old values from, kept for the others that are told of the same.
    var oldReader: AnyObject?

    var changes: ChangeSet { walks.changes }

    /// What the steps from a version to what the instance shows come to.
    init(_ steps: ArraySlice<StepLog.Step>, from: UInt64, to: UInt64, _ new: Snapshot, _ catalog: Catalog) {
        (self.from, self.to, self.new, self.catalog) = (from, to, new, catalog)
        let changes = steps.count == 1 ? steps.first!.changes : ChangeSet(composing: steps.map(\.changes))
        walks = ChangeWalks(changes, new, catalog)
        old = steps.first?.old ?? new
        advances = steps.filter(\.isAdvance).map { ($0.old, $0.changes) }
        isAdvance = steps.allSatisfy(\.isAdvance)
    }

    /// What changed between a version and what an instance shows, for somebody who keeps the former by himself: all of it
    /// counts as news.
    init(
        _ changes: ChangeSet, from: (version: UInt64, snapshot: Snapshot), to: UInt64, _ new: Snapshot,
        _ catalog: Catalog
    ) {
        (self.from, self.to, self.new, self.catalog) = (from.version, to, new, catalog)
        walks = ChangeWalks(changes, new, catalog)
        old = from.snapshot
        advances = [(from.snapshot, changes)]
        isAdvance = true
    }

    /// Whether this is what happened between two versions, the later as a snapshot shows it.
    func leads(from: UInt64, to: UInt64, _ new: Snapshot) -> Bool {
        from == self.from && to == self.to && new.word == self.new.word
    }
}
