/// A search for rows that can satisfy a condition, through indexes and through the backlinks of linked objects.
struct IndexLookup {
    let snapshot: Snapshot
    let view: Table
    let spec: TableSpec

    private enum Access {
        case index(column: Int, [Cell])
        case backlinks(column: Int, TableID, [ObjectKey])
    }

    private func access(_ predicate: RowPredicate) -> Access? {
        guard case .test(.any, .path(let path), let test) = predicate, path.hops.isEmpty else { return nil }
        switch path.order {
        case .natural, .mixed: break
        case .floatingPoint, .custom: return nil
        }
        let cells: [Cell]
        switch test {
        case .compare(.equal, let cell, _): cells = [cell]
        case .oneOf(let set): cells = set.cells
        default: return nil
        }
        switch path.end {
        case .column(let column, .link), .elements(let column, .link):
            let keys = cells.map { $0.linkKey }
            guard let backlinks = spec.backlinks[column], !keys.contains(0) else { return nil }
            return .backlinks(column: column, backlinks, keys)
        case .column(let column, _) where spec.indexOrdinal(of: column) != nil:
            return .index(column: column, cells)
        default: return nil
        }
    }

    /// Returns the columns by whose values rows are found, ascending; nil if no index helps.
    func columns(_ predicate: RowPredicate) -> [Int]? {
        if case .or(let parts) = predicate {
            let columns = parts.map(columns)
            return columns.contains(nil) ? nil : Set(columns.flatMap { $0! }).sorted()
        }
        switch access(predicate) {
        case nil: return nil
        case .index(let column, _), .backlinks(let column, _, _): return [column]
        }
    }

    /// Returns the number of rows that an index would leave, or nil if no index helps. O(values).
    func count(_ predicate: RowPredicate) -> Int? {
        if case .or(let parts) = predicate {
            let counts = parts.map(count)
            return counts.contains(nil) ? nil : counts.reduce(0) { $0 + $1! }
        }
        switch access(predicate) {
        case nil: return nil
        case .index(let column, let cells):
            return cells.reduce(0) { $0 + view.candidateCount(where: column, equals: $1, spec) }
        case .backlinks(_, let backlinks, let keys):
            return keys.reduce(0) { $0 + snapshot.backlinks(backlinks, of: $1).count }
        }
    }

    /// Returns the rows that an index leaves, ascending, each once.
    func keys(_ predicate: RowPredicate) -> [ObjectKey] {
        if case .or(let parts) = predicate { return Set(parts.flatMap(keys)).sorted() }
        switch access(predicate) {
        case nil: return []
        case .index(let column, let cells):
            let matches = cells.map { view.keys(where: column, equals: $0, spec) }
            return matches.count == 1 ? matches[0] : matches.flatMap { $0 }.sorted()
        case .backlinks(_, let backlinks, let keys):
            var origins: Set<ObjectKey> = []
            for key in keys { snapshot.backlinks(backlinks, of: key).forEach { origins.insert($0) } }
            return origins.sorted()
        }
    }
}
