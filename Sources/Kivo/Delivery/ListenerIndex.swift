import KivoEngine

/// An index of a realm instance's listeners: by row, and by the tables and columns on which they depend, with the routes from
/// there to the listeners. A change asks only the listeners that the index returns. Unaffected listeners cost nothing.
///
/// Releasing a listener during a search may end others. A search therefore iterates over copies, which cost nothing.
final class ListenerIndex {
    /// A part of a table whose change concerns a group.
    private enum Facet: Hashable {
        case column(TableID, Int)
        /// Any column of the table.
        case columns(TableID)
        /// The insertion and removal of rows of the table.
        case rows(TableID)
    }

    private var rows: [TableID: [ObjectKey: OrderedEntries<Registration>]] = [:]
    private var groups: [Interest.Group: ListenerGroup] = [:]
    private var groupsByFacet: [Facet: [ListenerGroup]] = [:]
    /// The facets of groups whose paths may lead to any class, and the number of tables for which the facets were computed.
    private var openFacets: [Interest.Group: Set<Facet>] = [:]
    private var tableCount = 0
    private var searches = 0
    /// The number of registrations.
    private(set) var count = 0

    #if DEBUG
    /// The number of registrations and groups that were examined, for tests of growth. Counted in debug builds only.
    private(set) var work = 0
    /// Whether every listener is asked, whatever changed: the slow model that tests compare with.
    var asksEveryListener = false
    #endif

    var isEmpty: Bool { count == 0 }

    // MARK: Registration

    /// Adds a registration that is newer than all others in the index.
    func add(_ registration: Registration, _ interest: Interest) {
        count += 1
        interest.forEachPart { addPart($0, registration) }
    }

    private func addPart(_ interest: Interest, _ registration: Registration) {
        for case let id? in [interest.row?.id, interest.otherRow?.id] {
            rows[id.table, default: [:]][id.key, default: OrderedEntries()].append(registration)
        }
        if let membership = interest.membership {
            group(membership.group).add(registration, membership.member)
        }
    }

    private func group(_ key: Interest.Group) -> ListenerGroup {
        if let known = groups[key] { return known }
        let group = ListenerGroup(key)
        groups[key] = group
        let facets = ListenerIndex.facets(key.dependencies)
        for facet in facets { groupsByFacet[facet, default: []].append(group) }
        if key.dependencies.contains(where: \.isOpen) {
            openFacets[key] = facets
            tableCount = 0
        }
        return group
    }

    /// Indexes open-ended groups under the tables that were added since the last call.
    private func grow(_ catalog: Catalog) {
        tableCount = catalog.tables.count
        for (key, known) in openFacets {
            let facets = ListenerIndex.facets(key.dependencies.map { $0.extended(to: catalog) })
            for facet in facets.subtracting(known) { groupsByFacet[facet, default: []].append(groups[key]!) }
            openFacets[key] = facets.union(known)
        }
    }

    private static func facets(_ dependencies: [Dependencies]) -> Set<Facet> {
        var facets: Set<Facet> = []
        for interest in dependencies.flatMap(\.interests) {
            if interest.countsRows { facets.insert(.rows(interest.table)) }
            guard let columns = interest.columns else {
                facets.insert(.columns(interest.table))
                continue
            }
            for column in columns { facets.insert(.column(interest.table, column)) }
        }
        return facets
    }

    /// Removes a registration that was cancelled.
    func remove(_ registration: Registration, _ interest: Interest) {
        count -= 1
        interest.forEachPart { removePart($0, registration) }
    }

    private func removePart(_ interest: Interest, _ registration: Registration) {
        for case let id? in [interest.row?.id, interest.otherRow?.id] { removeFromRow(registration, id) }
        guard let membership = interest.membership, let group = groups[membership.group] else { return }
        group.remove(registration, membership.member)
        guard group.count == 0 else { return }
        groups[membership.group] = nil
        let facets = openFacets.removeValue(forKey: group.key)
        for facet in facets ?? ListenerIndex.facets(group.key.dependencies) {
            groupsByFacet[facet]!.removeAll { $0 === group }
            if groupsByFacet[facet]!.isEmpty { groupsByFacet[facet] = nil }
        }
    }

    private func removeFromRow(_ registration: Registration, _ id: RowID) {
        guard let index = rows[id.table]?.index(forKey: id.key),
            rows[id.table]!.values[index].remove(registration)
        else { return }
        if rows[id.table]!.values[index].isEmpty { rows[id.table]!.remove(at: index) }
    }

    /// All registrations, in no order, some perhaps twice.
    var all: [Registration] {
        var all: [Registration] = []
        for table in rows.values { for list in table.values { all += list.all } }
        for group in groups.values { group.forEach { all.append($0) } }
        return all
    }

    // MARK: Finding

    /// Calls `body` with the registrations that changes may concern, in no order, some several times.
    func forEachConcerned(by pending: PendingChanges, _ body: (Registration) -> Void) {
        #if DEBUG
        if asksEveryListener { return all.forEach(body) }
        search(pending) { registration in
            work += 1
            body(registration)
        }
        #else
        search(pending, body)
        #endif
    }

    private func search(_ pending: PendingChanges, _ body: (Registration) -> Void) {
        if !rows.isEmpty {
            for change in pending.changes.tables { forEachRow(change, body) }
            for change in pending.changes.backlinks { forEachRow(change, body) }
        }
        if groups.isEmpty { return }
        if tableCount < pending.catalog.tables.count, !openFacets.isEmpty { grow(pending.catalog) }
        searches += 1
        for touched in pending.traversals.touchedTables {
            if touched.hasRows { forEachInGroups(.rows(touched.table), pending, body) }
            if !touched.columns.isEmpty { forEachInGroups(.columns(touched.table), pending, body) }
            for column in touched.columns { forEachInGroups(.column(touched.table, column), pending, body) }
        }
    }

    private func forEachInGroups(
        _ facet: Facet, _ pending: PendingChanges, _ body: (Registration) -> Void
    ) {
        guard let groups = groupsByFacet[facet] else { return }
        for group in groups where group.lastSearch != searches {
            #if DEBUG
            work += 1
            #endif
            group.lastSearch = searches
            group.forEachConcerned(by: pending, body)
        }
    }

    private func forEachRow(_ change: TableChange, _ body: (Registration) -> Void) {
        guard let listened = rows[change.table] else { return }
        func take(_ list: OrderedEntries<Registration>, _ leaf: LeafChange, _ slot: Int) {
            list.forEach { if $0.isConcerned(change.table, by: leaf, slot) { body($0) } }
        }
        if listened.count < change.leaves.count {
            for (key, list) in listened {
                let slot = KeyBlock.offset(of: key)
                if let leaf = change.leaf(of: key), leaf.touched.contains(slot) {
                    take(list, leaf, slot)
                }
            }
        } else {
            for leaf in change.leaves {
                leaf.touched.forEach { slot in
                    if let list = listened[leaf.block.key(at: slot)] { take(list, leaf, slot) }
                }
            }
        }
    }
}
