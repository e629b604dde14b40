import KivoEngine

/// The observers of one realm instance, and what they have not been told yet. Confined with it.
///
/// Every observer remembers the version it saw last. A delivery goes through those that have something to hear in the
/// order of their registration; one that is behind is told the composition of everything since, once. A write inside of
/// a callback delivers what is due to the others first, so that nobody is told anything twice or out of order.
///
/// Observers that only hear of one row are found by it, so that ten thousand of them cost nothing when another row
/// changes. They count as told up to ``rowsSeen`` unless they are ``Listener/isBehind``.
final class ListenerRegistry {
    /// A step of the instance from one version to another, with the version before kept pinned.
    private struct Step {
        var from: UInt64
        var to: UInt64
        var changes: ChangeSet
        var old: Snapshot
        /// Whether it was a move to newer versions, and not a commit of this instance.
        var isAdvance: Bool
        var store: Store
    }

    /// An observer that may have to be called.
    private struct Due {
        var registration: Registration
        var listener: Listener
    }

    /// What listeners of each class depend on.
    let filters = ListenerFilters()
    private var realmObservers = RegistrationList()
    /// Those that are asked at every delivery.
    private var entries = RegistrationList()
    /// Those that hear of one row only.
    private var rows: [TableID: [ObjectKey: RegistrationList]] = [:]
    private var rowCount = 0
    private var rowsSeen: UInt64 = 0
    /// Those of a row that are behind, in the order of registration.
    private var behind: [Due] = []
    private var registrations = 0
    /// How many were removed since steps were last looked through.
    private var removals = 0
    private var steps: [Step] = []

    deinit { for step in steps { step.store.unpin(step.from) } }

    /// Whether anybody but the realm's observers wants to hear of commits.
    var isEmpty: Bool { entries.isEmpty && rowCount == 0 }

    var hasNoRealmObserver: Bool { realmObservers.isEmpty }

    /// How many observers are kept, for tests.
    var count: Int { realmObservers.count + entries.count + rowCount }

    // MARK: Registration

    func observe(_ instance: RealmInstance, _ block: @escaping NotificationBlock) -> NotificationToken {
        registrations += 1
        let registration = Registration(registrations, block: block)
        realmObservers.append(registration)
        instance.handle.listen()
        return NotificationToken(instance, registration)
    }

    func add(_ listener: Listener, _ instance: RealmInstance) -> NotificationToken {
        let row = listener.row
        registrations += 1
        let registration = Registration(registrations, listener, row)
        if let row {
            if rowCount == 0 { rowsSeen = instance.version }
            rowCount += 1
            rows[row.table, default: [:]][row.key, default: RegistrationList()].append(registration)
        } else {
            entries.append(registration)
        }
        instance.handle.listen()
        if listener.isInitialPending { instance.handle.requestRefresh() }
        return NotificationToken(instance, registration)
    }

    /// Lets go of an observer that was cancelled. One that was cancelled elsewhere than here waits for the next turn,
    /// refresh or write.
    func remove(_ registration: Registration, _ instance: RealmInstance) {
        if let row = registration.row {
            removeFromRow(row, registration)
        } else if !entries.remove(registration) {
            _ = realmObservers.remove(registration)
        }
        removals += 1
        // Now and then, so that ending many costs no more than going through them a few times.
        if !instance.activity.isDelivering, removals * 2 > entries.count { dropDelivered() }
    }

    private func removeFromRow(_ row: RowID, _ registration: Registration) {
        guard let index = rows[row.table]?.index(forKey: row.key),
            rows[row.table]!.values[index].remove(registration)
        else { return }
        rowCount -= 1
        if rows[row.table]!.values[index].isEmpty { rows[row.table]!.remove(at: index) }
    }

    func removeAllCollectionsAndObjects() {
        for step in steps { step.store.unpin(step.from) }
        steps = []
        for registration in entries.all { registration.cancel() }
        for table in rows.values {
            for row in table.values { for registration in row.all { registration.cancel() } }
        }
        (entries, rows, rowCount, behind) = (RegistrationList(), [:], 0, [])
    }

    // MARK: Realm observers

    /// Calls the realm's observers, synchronously.
    func notifyRealm(
        _ notification: Realm.Notification, _ instance: RealmInstance, skipping tokens: [NotificationToken]
    ) {
        guard !realmObservers.isEmpty else { return }
        let realm = Realm(instance)
        let skipped = tokens.compactMap(\.registration)
        instance.activity.take(.roundBegan)
        defer { instance.activity.take(.roundEnded) }
        for registration in realmObservers.all {
            if skipped.contains(where: { $0 === registration }) { continue }
            registration.observer?.block?(notification, realm)
        }
    }

    // MARK: Steps

    /// Notes a commit of this instance; `old` is the version before, which is pinned and stays so until everybody is
    /// told. The observers of the tokens start anew behind it.
    func recordLocal(
        _ changes: ChangeSet, from: UInt64, to: UInt64, old: Snapshot, _ instance: RealmInstance,
        skipping tokens: [NotificationToken]
    ) {
        steps.append(
            Step(from: from, to: to, changes: changes, old: old, isAdvance: false, store: instance.store))
        for token in tokens {
            guard let listener = token.registration?.observer?.listener else { continue }
            if listener.row != nil, !listener.isBehind { listener.seen = max(listener.seen, rowsSeen) }
            if listener.seen < to, !listener.isInitialPending {
                listener.skip(pending(listener.seen, instance))
            }
            listener.seen = to
            listener.isBehind = false
        }
    }

    /// Notes a move to newer versions.
    func recordAdvance(_ changes: ChangeSet, from: UInt64, to: UInt64, old: Snapshot, instance: RealmInstance)
    {
        guard !isEmpty else { return }
        _ = instance.store.pin(from)
        steps.append(
            Step(from: from, to: to, changes: changes, old: old, isAdvance: true, store: instance.store))
    }

    /// Whether somebody is behind a version or waits for the first call.
    func isDeliveryDue(_ version: UInt64) -> Bool {
        if rowCount > 0, rowsSeen < version || !behind.isEmpty { return true }
        return entries.all.contains { registration in
            guard let listener = registration.observer?.listener else { return false }
            return listener.isInitialPending || listener.seen < version
        }
    }

    // MARK: Delivery

    /// Tells every observer what it has not been told.
    ///
    /// - Parameter isWriting: whether a write begins. First calls wait for a turn of their own then, so that what is
    ///   written is part of them, unless the write is made by a callback of the turn that they are due in.
    func deliver(_ instance: RealmInstance, isWriting: Bool = false) {
        guard !isEmpty else { return dropDelivered() }
        let target = instance.version
        var composed: (from: UInt64, to: UInt64, pending: PendingChanges)?
        let changes = { (from: UInt64) -> PendingChanges in
            if composed?.from != from || composed?.to != instance.version {
                composed = (from, instance.version, self.pending(from, instance))
            }
            return composed!.pending
        }
        if rowCount > 0, rowsSeen < target { findTouchedRows(changes(rowsSeen).changes, target) }
        let isFirstCallDue = !isWriting || instance.activity.isDelivering
        instance.activity.take(.deliveryBegan)
        for entry in due where !entry.registration.isCancelled {
            let listener = entry.listener
            if listener.isInitialPending {
                guard isFirstCallDue else { continue }
                listener.isInitialPending = false
                listener.seen = instance.version
                listener.callInitial()
            } else if listener.seen < target {
                let pending = changes(listener.seen)
                listener.seen = instance.version
                listener.isBehind = false
                listener.deliver(pending)
            }
        }
        instance.activity.take(.deliveryEnded)
        if !instance.activity.isDelivering {
            for entry in behind { entry.listener.isBehind = false }
            behind = []
            dropDelivered()
            instance.requestRefreshIfDue()
        }
    }

    /// All that may have to be called, in the order of registration.
    private var due: [Due] {
        let asked = entries.all.compactMap { registration in
            registration.observer?.listener.map { Due(registration: registration, listener: $0) }
        }
        if asked.isEmpty || behind.isEmpty { return asked + behind }
        return (asked + behind).sorted { $0.registration.order < $1.registration.order }
    }

    /// Puts the observers of rows that changed among those that are behind.
    private func findTouchedRows(_ changes: ChangeSet, _ version: UInt64) {
        let since = rowsSeen
        rowsSeen = version
        behind.removeAll { !$0.listener.isBehind }
        var isOrdered = true
        var last = behind.last?.registration.order ?? 0
        let take = { (registrations: RegistrationList?) in
            guard let registrations else { return }
            for registration in registrations.all {
                guard let listener = registration.observer?.listener, !listener.isBehind else {
                    continue
                }
                listener.seen = max(listener.seen, since)
                guard listener.seen < version else { continue }
                listener.isBehind = true
                isOrdered = isOrdered && registration.order > last
                last = registration.order
                self.behind.append(Due(registration: registration, listener: listener))
            }
        }
        for change in changes.tables {
            guard let observed = rows[change.table] else { continue }
            if observed.count < change.leaves.count {
                for (key, list) in observed where change.state(of: key) != .untouched { take(list) }
            } else {
                change.forEachTouched { take(observed[$0]) }
            }
        }
        if !isOrdered { behind.sort { $0.registration.order < $1.registration.order } }
    }

    /// What happened between a version that an observer is at and that of the realm.
    func pending(_ from: UInt64, _ instance: RealmInstance) -> PendingChanges {
        let due = steps.filter { $0.from >= from }
        let changes = ChangeSet(composing: due.map(\.changes))
        return PendingChanges(
            instance: instance, changes: changes,
            walks: ChangeWalks(changes, instance.snapshot, instance.catalog),
            old: due.first?.old ?? instance.snapshot,
            advances: due.filter(\.isAdvance).map { ($0.old, $0.changes) })
    }

    /// Forgets the steps that everybody has been told of.
    private func dropDelivered() {
        removals = 0
        if steps.isEmpty { return }
        var oldest = rowCount > 0 ? rowsSeen : UInt64.max
        for entry in due where !entry.listener.isInitialPending {
            if entry.listener.row == nil || entry.listener.isBehind {
                oldest = min(oldest, entry.listener.seen)
            }
        }
        steps.removeAll { step in
            guard step.to <= oldest else { return false }
            step.store.unpin(step.from)
            return true
        }
    }
}
