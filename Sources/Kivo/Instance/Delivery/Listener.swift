import KivoEngine

/// What an observer was not told yet: everything between the version it saw last and the one the realm is at.
struct PendingChanges {
    let instance: RealmInstance
    let changes: ChangeSet
    /// Which rows the changes count for, worked out once for all that are told of them.
    let walks: ChangeWalks
    /// The version that the observer saw last.
    let old: Snapshot
    /// The part of it that came by moving to newer versions, each with the snapshot before.
    let advances: [(old: Snapshot, changes: ChangeSet)]
}

/// One observer of an object or a collection. Confined with its realm instance.
class Listener {
    /// The version that the observer was told last.
    var seen: UInt64
    /// Whether the observer still waits for its first call.
    var isInitialPending: Bool
    /// Whether the observer is to be told something, and was not called yet.
    var isBehind = false

    init(_ instance: RealmInstance, hasInitial: Bool) {
        seen = instance.version
        isInitialPending = hasInitial
    }

    /// The one row whose own changes are all that the observer can hear of; nil if there is more.
    var row: RowID? { nil }

    /// Makes the first call.
    func callInitial() {}

    /// Works out what the changes mean to the observer, and calls it if they mean anything.
    func deliver(_ pending: PendingChanges) {}

    /// Takes note of changes that the observer is not told of.
    func skip(_ pending: PendingChanges) {}
}
