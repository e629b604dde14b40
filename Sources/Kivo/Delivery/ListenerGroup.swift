import KivoEngine

/// Listeners that changes along the same paths concern, and that the same route leads to from the affected rows. These rows are
/// computed once for all of the listeners.
final class ListenerGroup {
    /// Conditions that bound one column.
    private struct Bounded {
        /// The bounds of one of the conditions, which give the column.
        let column: ColumnBounds
        var intervals = IntervalIndex<Registration>()
        /// The numbers of removed registrations that are still among the intervals. A registration that is cancelled elsewhere
        /// stays until it is removed here.
        var removed: Set<Int> = []
        /// The number of their intervals: a registration can have several.
        var removedCount = 0
    }

    let key: Interest.Group
    private(set) var count = 0
    private var keyed: [ObjectKey: OrderedEntries<Registration>] = [:]
    private var bounded: [Int: Bounded] = [:]
    private var unbounded = OrderedEntries<Registration>()
    /// The number of the last search that found this group.
    var lastSearch = 0

    /// The number of listeners from which a search is faster than asking each of them.
    private static let fewMembers = 8

    init(_ key: Interest.Group) { self.key = key }

    /// Adds a registration that is newer than all others in the group.
    func add(_ registration: Registration, _ member: Interest.Member) {
        count += 1
        switch member {
        case .key(let key): keyed[key, default: OrderedEntries()].append(registration)
        case .bounds(nil): unbounded.append(registration)
        case .bounds(let bounds?):
            bounded[bounds.column, default: Bounded(column: bounds)].intervals
                .insert((bounds.lower, bounds.upper), registration)
        }
    }

    /// Removes a registration that was cancelled.
    func remove(_ registration: Registration, _ member: Interest.Member) {
        switch member {
        case .key(let key):
            guard let index = keyed.index(forKey: key), keyed.values[index].remove(registration) else {
                return
            }
            if keyed.values[index].isEmpty { keyed.remove(at: index) }
        case .bounds(nil):
            guard unbounded.remove(registration) else { return }
        case .bounds(let bounds?): removeBounded(registration, bounds.column)
        }
        count -= 1
    }

    /// Records that a registration that bounds a column was removed. Removed registrations stay among the intervals until they
    /// are more than half of them.
    private func removeBounded(_ registration: Registration, _ column: Int) {
        guard let index = bounded.index(forKey: column) else { return }
        bounded.values[index].removed.insert(registration.order)
        bounded.values[index].removedCount += 1
        guard bounded.values[index].removedCount * 2 > bounded.values[index].intervals.count else { return }
        let removed = bounded.values[index].removed
        bounded.values[index].intervals.removeAll { removed.contains($0.order) }
        (bounded.values[index].removed, bounded.values[index].removedCount) = ([], 0)
        if bounded.values[index].intervals.count == 0 { bounded.remove(at: index) }
    }

    /// Calls `body` with every registration, in no order.
    func forEach(_ body: (Registration) -> Void) {
        for list in keyed.values { list.forEach(body) }
        for bounded in bounded.values { bounded.intervals.forEach(body) }
        let unbounded = unbounded
        unbounded.forEach(body)
    }

    // MARK: Finding

    /// Calls `body` with the registrations that changes may concern, in no particular order. Some are passed several times.
    func forEachConcerned(by pending: PendingChanges, _ body: (Registration) -> Void) {
        guard count >= ListenerGroup.fewMembers, let rows = affectedRows(pending) else {
            return forEach(body)
        }
        if rows.isEmpty { return }
        switch key.route {
        case .row: forEachKeyed(rows, body)
        case .owners(let backlinks): forEachOwner(of: rows, backlinks, pending, body)
        case .targets(let origins): forEachTarget(of: rows, origins, pending, body)
        case .conditions(let table): forEachCondition(on: rows, table, pending, body)
        }
    }

    /// Returns the rows that the changes count for, ascending, or nil if there are so many that asking every listener is faster.
    private func affectedRows(_ pending: PendingChanges) -> [ObjectKey]? {
        var found: [ObjectKey] = []
        for dependencies in key.dependencies {
            guard let rows = pending.traversals.rows(dependencies, within: 16 * count) else { return nil }
            found = found.isEmpty ? rows : rows.isEmpty ? found : Set(found).union(rows).sorted()
        }
        return found
    }

    private func forEachKeyed(_ keys: some Swift.Sequence<ObjectKey>, _ body: (Registration) -> Void) {
        for key in keys {
            if let list = keyed[key] { list.forEach(body) }
        }
    }

    /// Finds collections through the backlinks of the rows in them. If a row is in more collections than are observed, the
    /// observed collections are tested for the row instead.
    private func forEachOwner(
        of rows: [ObjectKey], _ backlinks: TableID, _ pending: PendingChanges, _ body: (Registration) -> Void
    ) {
        let snapshot = pending.new
        for row in rows {
            let owners = snapshot.backlinks(backlinks, of: row)
            if owners.count <= keyed.count {
                owners.forEach { forEachKeyed(CollectionOfOne($0), body) }
            } else {
                forEachKeyed(keyed.keys.filter(owners.contains), body)
            }
        }
    }

    private func forEachTarget(
        of rows: [ObjectKey], _ origins: Origins, _ pending: PendingChanges, _ body: (Registration) -> Void
    ) {
        let (snapshot, catalog) = (pending.new, pending.catalog)
        for row in rows {
            let count = snapshot.targetCount(of: row, origins.table, origins.column, catalog)
            if count <= keyed.count {
                snapshot.forEachTarget(of: row, origins.table, origins.column, catalog) {
                    forEachKeyed(CollectionOfOne($0), body)
                }
            } else {
                let listened = keyed.keys.filter {
                    snapshot.backlinks(origins.backlinks, of: $0).contains(row)
                }
                forEachKeyed(listened, body)
            }
        }
    }

    /// Finds conditions by the old and new values of rows.
    private func forEachCondition(
        on rows: [ObjectKey], _ table: TableID, _ pending: PendingChanges, _ body: (Registration) -> Void
    ) {
        let unbounded = unbounded
        unbounded.forEach(body)
        if bounded.isEmpty { return }
        let (old, new) = (pending.old.table(table), pending.new.table(table))
        for key in rows {
            let (before, after) = (old.row(key), new.row(key))
            for bounded in bounded.values {
                let ranks = (before.map(bounded.column.rank), after.map(bounded.column.rank))
                if let rank = ranks.0 { bounded.intervals.forEach(containing: rank, body) }
                if let rank = ranks.1, rank != ranks.0 { bounded.intervals.forEach(containing: rank, body) }
            }
        }
    }
}
