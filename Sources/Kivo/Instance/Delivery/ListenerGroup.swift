import KivoEngine

/// The listeners that are concerned by changes along the same paths and are found in the same way from the rows that
/// those lead to. The rows are worked out once for all of them.
final class ListenerGroup {
    /// What leads from an affected row to listeners.
    enum Route: Hashable, Sendable {
        /// They listen to the row itself.
        case row
        /// They listen to a collection that holds the row: its owner is among the backlinks of the row.
        case owners(backlinks: TableID)
        /// They listen to the origins of an object that the row refers to.
        case targets(Origins)
        /// They listen to the rows of a table for which a condition holds.
        case conditions(TableID)
    }

    struct Key: Hashable, Sendable {
        let route: Route
        /// The paths along which changes count.
        let dependencies: [Dependencies]

        init(_ route: Route, _ dependencies: Dependencies...) { self.init(route, dependencies) }

        init(_ route: Route, _ dependencies: [Dependencies]) {
            self.route = route
            self.dependencies = dependencies
        }
    }

    /// How one of the listeners is found.
    enum Member: Sendable {
        /// By the row, the owner, or the object that is referred to.
        case key(ObjectKey)
        /// By the value of a column, if the condition bounds one.
        case bounds(ColumnBounds?)
    }

    /// Conditions that bound one column.
    private struct Bounded {
        /// Bounds of one of them, for what they say of the column.
        let column: ColumnBounds
        var intervals = IntervalIndex<Registration>()
        /// The orders of those that were removed and are among the intervals still. What is cancelled elsewhere stays until
        /// it is removed here.
        var removed: Set<Int> = []
    }

    let key: Key
    private(set) var count = 0
    private var keyed: [ObjectKey: OrderedEntries<Registration>] = [:]
    private var bounded: [Int: Bounded] = [:]
    private var unbounded = OrderedEntries<Registration>()
    /// The number of the search in which this group was found last.
    var lastSearch = 0

    /// So few are asked rather than looked for.
    private static let fewMembers = 8

    init(_ key: Key) { self.key = key }

    /// Adds a registration that was made after all that are here.
    func add(_ registration: Registration, _ member: Member) {
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
    func remove(_ registration: Registration, _ member: Member) {
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

    /// Takes note that one of those that bound a column was removed. They stay until they are more than half of all.
    private func removeBounded(_ registration: Registration, _ column: Int) {
        guard let index = bounded.index(forKey: column) else { return }
        bounded.values[index].removed.insert(registration.order)
        guard bounded.values[index].removed.count * 2 > bounded.values[index].intervals.count else { return }
        let removed = bounded.values[index].removed
        bounded.values[index].intervals.removeAll { removed.contains($0.order) }
        bounded.values[index].removed = []
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

    /// Calls `body` with the registrations that changes may concern, in no order, some several times.
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

    /// The rows that the changes count for, ascending; nil if there are so many that asking every listener costs less than
    /// finding them.
    private func affectedRows(_ pending: PendingChanges) -> [ObjectKey]? {
        var found: [ObjectKey] = []
        for dependencies in key.dependencies {
            guard let rows = pending.walks.rows(dependencies, within: 16 * count) else { return nil }
            found = found.isEmpty ? rows : rows.isEmpty ? found : Set(found).union(rows).sorted()
        }
        return found
    }

    private func forEachKeyed(_ keys: some Swift.Sequence<ObjectKey>, _ body: (Registration) -> Void) {
        for key in keys {
            if let list = keyed[key] { list.forEach(body) }
        }
    }

    /// Finds collections through the backlinks of the rows in them, or, where a row is in more collections than are
    /// listened to, the other way round.
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

    /// Finds conditions by the values that rows had or have.
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
