@testable import KivoEngine

/// Whether changes count for a row, found the slow way: forwards along one path after the other, from every row.
struct SlowWalk {
    let changes: ChangeSet
    let new: Snapshot
    let policy: ChangePolicy
    let countsRows: Bool
    let paths: [ResolvedPath]
    /// Whether it counts that others began or ceased to refer to a row.
    let countsReferrers: Bool

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
        _ path: ResolvedPath, _ place: Int, _ table: TableID, _ row: Row, _ known: inout [[ObjectKey: Bool]]
    ) -> Bool {
        if let found = known[place][row.key] { return found }
        let found = leadsFresh(path, place, table, row, &known)
        known[place][row.key] = found
        return found
    }

    private func leadsFresh(
        _ path: ResolvedPath, _ place: Int, _ table: TableID, _ row: Row, _ known: inout [[ObjectKey: Bool]]
    ) -> Bool {
        let isEnd = place == path.hops.count
        let modified = Set(changes.table(table)?.modifiedColumns(of: row.key) ?? [])
        if policy == .keyPaths, place > 0, changes.table(table)?.state(of: row.key) == .inserted {
            return true
        }
        if isEnd {
            if !modified.isDisjoint(with: path.end.columns) { return true }
            guard policy == .keyPaths, case .object = path.end, case .origins(let origins)? = path.hops.last
            else { return false }
            return modified.contains(origins.column)
        }
        let hop = path.hops[place]
        if !modified.isDisjoint(with: hop.columns) { return true }
        if countsReferrers, policy == .queryResults, case .origins(let origins) = hop,
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
            return leads(path, place + 1, hop.target, next, &known)
        }
    }
}

/// Whether a row, or one at most so many links away, was assigned: found forwards from each row.
struct SlowLinkWalk {
    let changes: ChangeSet
    let new: Snapshot
    private var known: [Place: Bool] = [:]

    private struct Place: Hashable {
        let table: TableID
        let key: ObjectKey
        let links: Int
    }

    init(_ changes: ChangeSet, _ new: Snapshot) {
        self.changes = changes
        self.new = new
    }

    mutating func isModified(_ key: ObjectKey, _ table: TableID, links: Int) -> Bool {
        let place = Place(table: table, key: key, links: links)
        if let found = known[place] { return found }
        let found = changes.table(table)?.state(of: key) == .modified || isLinked(place)
        known[place] = found
        return found
    }

    private mutating func isLinked(_ place: Place) -> Bool {
        guard place.links > 0 else { return false }
        for (column, spec) in TestCatalog.catalog.tables[place.table].columns.enumerated() {
            guard let target = spec.target else { continue }
            var targets: Set<ObjectKey> = []
            new.forEachTarget(of: place.key, place.table, column, TestCatalog.catalog) { targets.insert($0) }
            for key in targets where isModified(key, target, links: place.links - 1) { return true }
        }
        return false
    }
}
