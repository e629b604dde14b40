/// The first or last element of a result: an object, or for plain values the position in the source.
package enum EndKey {
    /// The element, or nil if there are none.
    case known(ObjectKey?)
    /// Unknown without evaluating the query.
    case unknown
}

extension RowQuery {
    /// Returns whether the result is empty. O(elements of the source before the first match), or through an index.
    package func isEmpty(_ snapshot: Snapshot, _ catalog: Catalog) -> Bool {
        firstCandidate(snapshot, catalog) == nil
    }

    /// Returns the first element, unless the query sorts. O(elements of the source before it), or through an index.
    package func firstKey(_ snapshot: Snapshot, _ catalog: Catalog) -> EndKey {
        // The first of all elements is also the first of its group.
        let isSorted = steps.contains { if case .sort = $0 { true } else { false } }
        return isSorted ? .unknown : .known(firstCandidate(snapshot, catalog))
    }

    /// Returns the last element, unless the query has steps. O(elements of the source after it), or through an index.
    package func lastKey(_ snapshot: Snapshot, _ catalog: Catalog) -> EndKey {
        steps.isEmpty ? .known(lastCandidate(snapshot, catalog)) : .unknown
    }

    private func firstCandidate(_ snapshot: Snapshot, _ catalog: Catalog) -> ObjectKey? {
        if case .table(let table) = source, let predicate {
            return predicate.firstRow(of: table, snapshot, catalog)
        }
        let count = source.count(snapshot)
        return candidate(among: 0..<count, snapshot)
    }

    private func lastCandidate(_ snapshot: Snapshot, _ catalog: Catalog) -> ObjectKey? {
        if case .table(let table) = source, let predicate {
            return predicate.lastRow(of: table, snapshot, catalog)
        }
        let count = source.count(snapshot)
        return candidate(among: (0..<count).reversed(), snapshot)
    }

    /// Returns the first element among some positions of the source that satisfies the predicate.
    private func candidate(among positions: some Swift.Sequence<Int>, _ snapshot: Snapshot) -> ObjectKey? {
        switch source {
        case .table(let id):
            let table = snapshot.table(id)
            return first(positions, id, snapshot) { table.key(at: $0) }
        case .list(let id, let target), .set(let id, let target):
            let sequence = snapshot.sequence(id, .link)
            return first(positions, target, snapshot) { sequence.cell(at: $0).linkKey }
        case .origins(let origins, let key):
            let keys = snapshot.backlinks(origins.backlinks, of: key)
            return first(positions, origins.table, snapshot) { keys.key(at: $0) }
        case .values(let id, let element):
            let values = snapshot.sequence(id, element)
            return positions.first { predicate?.holds(values.cell(at: $0)) ?? true }.map(Int64.init)
        }
    }

    private func first(
        _ positions: some Swift.Sequence<Int>, _ table: TableID, _ snapshot: Snapshot,
        _ key: (Int) -> ObjectKey
    ) -> ObjectKey? {
        for position in positions {
            let key = key(position)
            if holds(key, table, snapshot) { return key }
        }
        return nil
    }
}
