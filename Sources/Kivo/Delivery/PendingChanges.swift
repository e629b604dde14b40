import KivoEngine

/// The composed changes from a version to the one that the realm is at. The listeners that last saw the former version share
/// them, together with everything that is computed from them. Valid during one delivery.
final class PendingChanges {
    /// The instance's catalog of tables.
    let catalog: Catalog
    /// The version that the listeners saw last, and the one that the realm is at.
    let from: UInt64
    let to: UInt64
    /// The rows that the changes count for, computed once for all listeners.
    let traversals: ChangeTraversals
    /// The snapshot that the listeners saw last.
    let old: Snapshot
    /// The snapshot that they see now: of the version, or of a transaction in which nothing was written yet.
    let new: Snapshot
    /// The changes by which the instance advanced to newer versions, each with the snapshot before it.
    let advances: [(old: Snapshot, changes: ChangeSet)]

    /// Whether all changes are advances to newer versions.
    let isAdvance: Bool
    /// The reader of old values, cached for the other listeners that receive the same changes.
    var oldReader: AnyObject?

    var changes: ChangeSet { traversals.changes }

    /// Composes the steps from a version to the state that the instance shows.
    init(_ steps: ArraySlice<StepLog.Step>, from: UInt64, to: UInt64, _ new: Snapshot, _ catalog: Catalog) {
        (self.from, self.to, self.new, self.catalog) = (from, to, new, catalog)
        let changes = steps.count == 1 ? steps.first!.changes : ChangeSet(composing: steps.map(\.changes))
        traversals = ChangeTraversals(changes, new, catalog)
        old = steps.first?.old ?? new
        advances = steps.filter(\.isAdvance).map { ($0.old, $0.changes) }
        isAdvance = steps.allSatisfy(\.isAdvance)
    }

    /// Creates the changes from a version to the state that an instance shows, for a caller that pins the version itself. All of
    /// them count as an advance.
    init(
        _ changes: ChangeSet, from: (version: UInt64, snapshot: Snapshot), to: UInt64, _ new: Snapshot,
        _ catalog: Catalog
    ) {
        (self.from, self.to, self.new, self.catalog) = (from.version, to, new, catalog)
        traversals = ChangeTraversals(changes, new, catalog)
        old = from.snapshot
        advances = [(from.snapshot, changes)]
        isAdvance = true
    }

    /// Whether these are the changes between two versions, the later one with the given snapshot.
    func leads(from: UInt64, to: UInt64, _ new: Snapshot) -> Bool {
        from == self.from && to == self.to && new === self.new
    }
}
