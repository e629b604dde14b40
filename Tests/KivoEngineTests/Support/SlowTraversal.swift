@testable import KivoEngine

/// Whether changes count for a row, found the slow way: forwards along one path after the other, from every row.
struct SlowTraversal {
    let changes: RowChangeSet
    let new: Snapshot
    let countsRows: Bool
    let paths: [ResolvedPath]
    /// Whether it counts that others began or ceased to refer to a row.
    let countsReferrers: Bool
    let countsOriginEdits: Bool

    func counts(for key: ObjectKey, in table: TableID) -> Bool {
        let state = changes.table(table)?.state(of: key) ?? .untouched
        if countsRows, state == .inserted || state == .deleted { return true }
        return paths.contains { path in
            guard let row = new.table(table).row(key) else { return false }
            var known: [[ObjectKey: Bool]] = Array(repeating: [:], count: path.hops.count + 1)
            return leads(path, 0, table, row, &known)
        }
    }

    private func leads(
        _ path: ResolvedPath, _ hopIndex: Int, _ table: TableID, _ row: Row,
        _ known: inout [[ObjectKey: Bool]]
    ) -> Bool {
        if let isLeading = known[hopIndex][row.key] { return isLeading }
        let isLeading = leadsFresh(path, hopIndex, table, row, &known)
        known[hopIndex][row.key] = isLeading
        return isLeading
    }

    private func leadsFresh(
        _ path: ResolvedPath, _ hopIndex: Int, _ table: TableID, _ row: Row,
        _ known: inout [[ObjectKey: Bool]]
    ) -> Bool {
        let isEnd = hopIndex == path.hops.count
        let modified = Set(changes.table(table)?.modifiedColumns(of: row.key) ?? [])
        if isEnd {
            if !modified.isDisjoint(with: path.end.columns) { return true }
            guard countsOriginEdits, case .object = path.end, case .origins(let origins)? = path.hops.last
            else { return false }
            return modified.contains(origins.column)
        }
        let hop = path.hops[hopIndex]
        if !modified.isDisjoint(with: hop.columns) { return true }
        if countsReferrers, case .origins(let origins) = hop,
            let change = changes.backlinks(origins.backlinks), change.state(of: row.key) != .untouched
        {
            return true
        }
        var targets: [ObjectKey] = []
        _ = hop.forEachTarget(new, row) {
            targets.append($0)
            return true
        }
        return targets.contains { target in
            guard let next = new.table(hop.target).row(target) else { return false }
            return leads(path, hopIndex + 1, hop.target, next, &known)
        }
    }
}

/// Whether a row, or one at most so many links away, was assigned: found forwards from each row.
struct SlowLinkTraversal {
    let changes: RowChangeSet
    let new: Snapshot
    private var known: [State: Bool] = [:]

    private struct State: Hashable {
        let table: TableID
        let key: ObjectKey
        let links: Int
    }

    init(_ changes: RowChangeSet, _ new: Snapshot) {
        self.changes = changes
        self.new = new
    }

    mutating func isModified(_ key: ObjectKey, _ table: TableID, links: Int) -> Bool {
        let state = State(table: table, key: key, links: links)
        if let isModified = known[state] { return isModified }
        let isModified = changes.table(table)?.state(of: key) == .modified || isLinked(state)
        known[state] = isModified
        return isModified
    }

    private mutating func isLinked(_ state: State) -> Bool {
        guard state.links > 0 else { return false }
        for (column, spec) in TestCatalog.catalog.tables[state.table].columns.enumerated() {
            guard let target = spec.target else { continue }
            var targets: Set<ObjectKey> = []
            new.forEachTarget(of: state.key, state.table, column, TestCatalog.catalog) { targets.insert($0) }
            for key in targets where isModified(key, target, links: state.links - 1) { return true }
        }
        return false
    }
}
