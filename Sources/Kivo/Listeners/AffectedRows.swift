import KivoEngine

/// Finds the rows of a table that count as modified because of what changed in them or behind their links.
///
/// Walks backwards, from what changed along backlinks to the rows, so that the cost follows the change and not the
/// table. Without key paths a row counts as modified when it, or an object at most three links away, was changed.
struct AffectedRows {
    let instance: RealmInstance
    let changes: ChangeSet
    private var snapshot: Snapshot { instance.snapshot }
    private var catalog: Catalog { instance.catalog }

    /// The links that an unfiltered observer follows.
    static let depth = 3

    init(_ instance: RealmInstance, _ changes: ChangeSet) {
        self.instance = instance
        self.changes = changes
    }

    /// The modified rows of a table. Rows that were inserted may be among them.
    func rows(_ table: TableID, _ filter: KeyPathFilter?) -> Set<ObjectKey> {
        guard let filter else { return unfiltered(table) }
        var found: Set<ObjectKey> = []
        for path in filter.paths { found.formUnion(rows(table, path)) }
        return found
    }

    // MARK: Without key paths

    private func unfiltered(_ root: TableID) -> Set<ObjectKey> {
        // The tables that are reached in so many steps: nothing else can matter.
        var reached: [Set<TableID>] = [[root]]
        for _ in 0..<AffectedRows.depth {
            reached.append(
                reached.last!.union(
                    reached.last!.flatMap { table in catalog.tables[table].columns.compactMap(\.target) }))
        }
        var frontier: [TableID: Set<ObjectKey>] = [:]
        for distance in stride(from: AffectedRows.depth, through: 0, by: -1) {
            // Objects at this distance: those that changed themselves, and those that link to affected ones.
            var next: [TableID: Set<ObjectKey>] = [:]
            for table in reached[distance] {
                var keys = changed(table)
                for (index, column) in catalog.tables[table].columns.enumerated() {
                    guard let target = column.target, let affected = frontier[target] else { continue }
                    let backlinks = catalog.tables[table].backlinks[index]!
                    for key in affected { snapshot.backlinks(backlinks, of: key).forEach { keys.insert($0) } }
                }
                if !keys.isEmpty { next[table] = keys }
            }
            frontier = next
        }
        return frontier[root] ?? []
    }

    private func changed(_ table: TableID) -> Set<ObjectKey> {
        var keys: Set<ObjectKey> = []
        changes.table(table)?.forEachModified { keys.insert($0) }
        return keys
    }

    // MARK: With key paths

    /// The rows from which a path leads to something that changed.
    func rows(_ root: TableID, _ path: KeyPathFilter.Path) -> Set<ObjectKey> {
        let tables = tables(root, path)
        var affected: Set<ObjectKey> = []
        for index in path.steps.indices.reversed() {
            let table = tables[index]
            var keys = changed(table, path.steps[index], isLast: index == path.steps.count - 1)
            if index > 0 { changes.table(table)?.forEachInserted { keys.insert($0) } }
            if !affected.isEmpty { keys.formUnion(origins(of: affected, table, path.steps[index])) }
            affected = keys
        }
        return affected
    }

    /// The table that each component of a path belongs to.
    private func tables(_ root: TableID, _ path: KeyPathFilter.Path) -> [TableID] {
        var tables = [root]
        for step in path.steps.dropLast() {
            switch step {
            case .forward(_, let target): tables.append(target!)
            case .backward(let origin, _, _): tables.append(origin)
            }
        }
        return tables
    }

    /// The objects of a table whose component of the path changed.
    private func changed(_ table: TableID, _ step: KeyPathFilter.Step, isLast: Bool) -> Set<ObjectKey> {
        var keys: Set<ObjectKey> = []
        switch step {
        case .forward(let columns, _): changes.table(table)?.forEachModified(in: columns) { keys.insert($0) }
        case .backward(let origin, let column, _):
            // Who refers to somebody anew makes a change there; who no longer does, does not. Where the path goes on, only
            // what it goes on to counts.
            guard isLast else { break }
            let targets = { (key: ObjectKey) in
                snapshot.forEachTarget(of: key, origin, column, catalog) { keys.insert($0) }
            }
            changes.table(origin)?.forEachModified(in: [column], targets)
            changes.table(origin)?.forEachInserted(targets)
        }
        return keys
    }

    /// The objects of a table from which a component leads to affected ones.
    private func origins(
        of affected: Set<ObjectKey>, _ table: TableID, _ step: KeyPathFilter.Step
    ) -> Set<ObjectKey> {
        var keys: Set<ObjectKey> = []
        switch step {
        case .forward(let columns, _):
            for column in columns {
                guard let backlinks = catalog.tables[table].backlinks[column] else { continue }
                for key in affected { snapshot.backlinks(backlinks, of: key).forEach { keys.insert($0) } }
            }
        case .backward(let origin, let column, _):
            for key in affected {
                snapshot.forEachTarget(of: key, origin, column, catalog) { keys.insert($0) }
            }
        }
        return keys
    }
}
