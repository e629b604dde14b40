import KivoEngine

/// The dependencies of the listeners of one realm instance, cached by table and key paths. Listeners with equal dependencies
/// share them, together with everything that a delivery computes from them.
final class ListenerFilters {
    private struct Key: Hashable {
        let table: TableID
        let keyPaths: [String]
    }

    private var filters: [Key: KeyPathFilter] = [:]
    private var linked: [TableID: Dependencies] = [:]
    private var anyElements: [CollectionID: Dependencies] = [:]
    private var answers: Set<Dependencies> = []

    /// Programs use few different sets of key paths. The limit bounds the memory for programs that generate them.
    private static let capacity = 256

    /// Returns the filter of key paths, which `make` creates if it is not cached.
    func filter(_ keyPaths: [String], _ table: TableID, _ make: () -> KeyPathFilter) -> KeyPathFilter {
        let key = Key(table: table, keyPaths: keyPaths)
        if let known = filters[key] { return known }
        if filters.count == ListenerFilters.capacity { filters.removeAll() }
        let filter = make()
        filters[key] = filter
        return filter
    }

    /// Returns the changes that count as modifications of the objects of a class. Without a filter these are all assignments in
    /// the objects, and in objects that are at most three links away.
    func dependencies(_ filter: KeyPathFilter?, _ table: TableID, _ catalog: Catalog) -> Dependencies {
        filter?.dependencies ?? dependencies(table, catalog)
    }

    /// Returns the changes that count as modifications of the objects of a class without a filter.
    func dependencies(_ table: TableID, _ catalog: Catalog) -> Dependencies {
        let dependencies = (linked[table] ?? Dependencies(links: 3, from: table, catalog)).extended(
            to: catalog)
        linked[table] = dependencies
        return dependencies
    }

    /// Returns the changes that count as modifications of the objects among any values in a collection property. The objects that
    /// have the property share them.
    func dependencies(ofElementsOf id: CollectionID, _ catalog: Catalog) -> Dependencies {
        let column = CollectionID(table: id.table, column: id.column, key: 0)
        let dependencies =
            (anyElements[column]
            ?? Dependencies(links: 3, fromElementsOf: id.column, of: id.table, catalog)).extended(to: catalog)
        anyElements[column] = dependencies
        return dependencies
    }

    /// Returns the dependencies of the result of a query, shared by all queries whose dependencies are equal.
    ///
    /// - Parameter paths: further paths along which changes of the elements count.
    func dependencies(_ query: RowQuery, _ catalog: Catalog, reading paths: [ResolvedPath] = [])
        -> Dependencies
    {
        let dependencies = Dependencies(query, catalog, reading: paths)
        if answers.count == ListenerFilters.capacity { answers.removeAll() }
        return answers.insert(dependencies).memberAfterInsert
    }
}

/// The key paths that a listener observes, resolved against the classes they pass through.
final class KeyPathFilter {
    /// The paths that begin with one property, by which changes are reported.
    struct Group {
        /// The index of the property among those of the class.
        let property: Int
        let dependencies: Dependencies
    }

    /// The groups, in the order of the class's properties.
    let groups: [Group]
    /// All paths together.
    let dependencies: Dependencies

    /// Whether only assignments in the rows themselves count, so that the dirty bits of their columns decide.
    var readsOwnColumns: Bool { dependencies.areOwn }

    /// Creates a filter of paths, each with the index of its first property.
    init(_ paths: [(property: Int, path: ResolvedPath)], from table: TableID, _ catalog: Catalog) {
        func dependencies(_ paths: some Collection<ResolvedPath>) -> Dependencies {
            Dependencies(Array(paths), from: table, countsOriginEdits: true, catalog)
        }
        groups = Dictionary(grouping: paths, by: \.property).sorted { $0.key < $1.key }.map {
            property, paths in
            Group(property: property, dependencies: dependencies(paths.map(\.path)))
        }
        self.dependencies = groups.count == 1 ? groups[0].dependencies : dependencies(paths.map(\.path))
    }
}

/// The rows and paths by which a listener is found. A change that touches none of them does not concern the listener.
struct Interest: Sendable {
    /// A row of a table, or of a table of backlinks, whose own change concerns the listener.
    struct Row: Sendable {
        let id: RowID
        /// The columns whose assignment matters, ascending, or nil for all. The deletion of the row always matters.
        let columns: [Int]?

        /// Whether a change to the leaf of the row matters.
        func isTouched(by leaf: LeafChange, _ slot: Int) -> Bool {
            guard let columns, !leaf.deleted.contains(slot) else { return true }
            return leaf.columns.contains { columns.contains($0.column) && $0.slots.contains(slot) }
        }
    }

    /// The route from an affected row to listeners.
    enum Route: Hashable, Sendable {
        /// To the listeners of the row itself.
        case row
        /// To the listeners of a collection that holds the row. The owner of the collection is among the backlinks of the row.
        case owners(backlinks: TableID)
        /// To the listeners of the origins of an object that the row refers to.
        case targets(Origins)
        /// To the listeners of the rows of a table for which a condition holds.
        case conditions(TableID)
    }

    /// A set of listeners that changes along the same paths concern, and that the same route leads to.
    struct Group: Hashable, Sendable {
        let route: Route
        /// The paths along which changes count.
        let dependencies: [Dependencies]
    }

    /// The key or the bounds by which a listener is found in its group.
    enum Member: Sendable {
        /// The key of the row, the owner, or the object that is referred to.
        case key(ObjectKey)
        /// The bounds of a column's value, or nil if the condition bounds no column.
        case bounds(ColumnBounds?)
    }

    /// The group of a listener that changes of other rows concern as well, and how the listener is found in it.
    struct Membership: Sendable {
        let group: Group
        let member: Member

        init(_ route: Route, _ dependencies: [Dependencies], _ member: Member) {
            group = Group(route: route, dependencies: dependencies)
            self.member = member
        }

        /// A place in a group that a registration can have once.
        struct Place: Hashable {
            let group: Group
            /// The key, or nil for conditions that bound no column.
            let key: ObjectKey?
        }

        /// The place in the group; nil for conditions that bound a column, of which a registration can have several.
        var place: Place? {
            switch member {
            case .key(let key): Place(group: group, key: key)
            case .bounds(nil): Place(group: group, key: nil)
            case .bounds: nil
            }
        }
    }

    var row: Row?
    /// A row of another table whose change concerns the listener as well.
    var otherRow: Row?
    var membership: Membership?
    /// The interests of the parts of a joint listener, each a row or a membership, in place of the above.
    private(set) var parts: [Interest] = []

    /// Creates the interest of a joint listener. No row and no place in a group is in it twice, because a registration is there once.
    init(joining interests: [Interest]) {
        let rows = Set(interests.flatMap { [$0.row?.id, $0.otherRow?.id].compactMap { $0 } })
        parts = rows.map { Interest(row: Row(id: $0, columns: nil)) }
        var known: Set<Membership.Place> = []
        for membership in interests.compactMap(\.membership) {
            if let place = membership.place, !known.insert(place).inserted { continue }
            parts.append(Interest(membership: membership))
        }
    }

    init(row: Row? = nil, otherRow: Row? = nil, membership: Membership? = nil) {
        (self.row, self.otherRow, self.membership) = (row, otherRow, membership)
    }

    /// Calls `body` with the interest, or with the parts of a joint one.
    func forEachPart(_ body: (Interest) -> Void) {
        if parts.isEmpty { body(self) } else { parts.forEach(body) }
    }

    /// Returns the interest of a listener that only changes of one row concern.
    static func row(_ id: RowID, columns: some Swift.Sequence<Int>) -> Interest {
        Interest(row: Row(id: id, columns: columns.sorted()))
    }
}
