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
    let advances: [(old: Snapshot, changes: RowChangeSet)]

    /// Whether all changes are advances to newer versions.
    let isAdvance: Bool
    /// The reader of old values, cached for the other listeners that receive the same changes.
    var oldReader: AnyObject?

    var changes: RowChangeSet { traversals.changes }

    /// Composes the steps from a version to the state that the instance shows.
    init(_ steps: ArraySlice<StepLog.Step>, from: UInt64, to: UInt64, _ new: Snapshot, _ catalog: Catalog) {
        (self.from, self.to, self.new, self.catalog) = (from, to, new, catalog)
        let changes = steps.count == 1 ? steps.first!.changes : RowChangeSet(composing: steps.map(\.changes))
        traversals = ChangeTraversals(changes, new, catalog)
        old = steps.first?.old ?? new
        advances = steps.filter(\.isAdvance).map { ($0.old, $0.changes) }
        isAdvance = steps.allSatisfy(\.isAdvance)
    }

    /// Creates the changes from a version to the state that an instance shows, for a caller that pins the version itself. All of
    /// them count as an advance.
    init(
        _ changes: RowChangeSet, from: (version: UInt64, snapshot: Snapshot), to: UInt64, _ new: Snapshot,
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

/// The steps of one realm instance from version to version that were not delivered to all listeners yet. The version before each
/// step is pinned, for listeners that compare with it.
struct StepLog: ~Copyable {
    /// A step of the instance from one version to another.
    struct Step {
        var from: UInt64
        var to: UInt64
        var changes: RowChangeSet
        /// The snapshot before the step, which is pinned.
        var old: Snapshot
        /// Whether the step advanced to newer versions, and is not a commit of this instance.
        var isAdvance: Bool
        fileprivate var pins: any VersionPins

        init(
            from: UInt64, to: UInt64, _ changes: RowChangeSet, pinned old: Snapshot, isAdvance: Bool,
            _ pins: any VersionPins
        ) {
            (self.from, self.to, self.changes, self.old) = (from, to, changes, old)
            (self.isAdvance, self.pins) = (isAdvance, pins)
        }
    }

    private var steps: [Step] = []

    deinit { for step in steps { step.pins.unpin(step.from) } }

    mutating func append(_ step: Step) { steps.append(step) }

    /// Returns the steps from a version on. A step begins at that version.
    func since(_ version: UInt64) -> ArraySlice<Step> {
        steps[(steps.firstIndex { $0.from >= version } ?? steps.endIndex)...]
    }

    /// Drops the steps up to a version, which were delivered to all listeners.
    mutating func drop(upTo version: UInt64) {
        let count = steps.firstIndex { $0.to > version } ?? steps.endIndex
        if count == 0 { return }
        for step in steps[..<count] { step.pins.unpin(step.from) }
        steps.removeFirst(count)
    }
}

/// The views of the listeners of one result, for code that reads the result. Confined with the realm instance.
///
/// Listeners are referred to by their registrations: weak references to them would make counting references to them slow.
struct ListenedViews<View> {
    private var lookups: [(registration: Registration, view: () -> View?)] = []
    /// The number of lookups at which those of released listeners are removed.
    private var limit = 8

    var isEmpty: Bool { lookups.isEmpty }

    /// Adds a listener. `view` returns the listener's view if that shows the current state of the realm.
    mutating func add(_ registration: Registration, _ view: @escaping () -> View?) {
        if lookups.count >= limit {
            lookups.removeAll { $0.registration.listener == nil }
            limit = max(8, lookups.count * 2)
        }
        lookups.append((registration, view))
    }

    /// Returns a view of the realm's current state, of any listener that has one. The newest may have none: before its first
    /// call, or because it waits for nothing.
    ///
    /// The app's code may run here, if it makes keys of sections, and may observe the same result. This is then called on a copy.
    func current() -> View? {
        for lookup in lookups.reversed() {
            if let view = lookup.view() { return view }
        }
        return nil
    }

    /// Removes released listeners, from the newest on.
    mutating func dropGone() {
        while let last = lookups.last, last.registration.listener == nil { lookups.removeLast() }
    }
}
