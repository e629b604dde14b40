extension RowQuery {
    /// Returns the keys of the result's objects; for plain values, their positions in the source. O(n), plus the cost of sorting.
    package func evaluate(_ snapshot: Snapshot, _ catalog: Catalog) -> [ObjectKey] {
        let (elements, tokens) = arranged(snapshot, catalog)
        if case .positions(let keys, _) = elements { return tokens.map { keys[Int($0)] } }
        return tokens
    }

    /// Returns the result's elements in order.
    func arranged(_ snapshot: Snapshot, _ catalog: Catalog) -> (Elements, [Int64]) {
        if case .table(let id) = source, let (table, range) = tableRange(snapshot) {
            return (.rows(id), range.map { table.key(at: $0) })
        }
        var (elements, tokens) = candidates(snapshot, catalog)
        arrange(&tokens, elements, snapshot)
        if let window { tokens = Array(tokens[window.range(of: tokens.count)]) }
        return (elements, tokens)
    }

    /// Returns the number of elements of the source. O(1).
    package func sourceCount(_ snapshot: Snapshot) -> Int { source.count(snapshot) }

    /// Returns the number of elements of the result. Nothing is stored or sorted, unless the query has a distinct step.
    package func count(_ snapshot: Snapshot, _ catalog: Catalog) -> Int {
        let count = wholeCount(snapshot, catalog)
        return window?.range(of: count).count ?? count
    }

    /// Returns the number of elements without the window.
    private func wholeCount(_ snapshot: Snapshot, _ catalog: Catalog) -> Int {
        guard !isDistinct else {
            var (elements, tokens) = candidates(snapshot, catalog)
            arrange(&tokens, elements, snapshot)
            return tokens.count
        }
        guard let predicate else {
            return source.canHoldNull(catalog)
                ? candidates(snapshot, catalog).1.count : source.count(snapshot)
        }
        guard case .table(let table) = source else { return candidates(snapshot, catalog).1.count }
        var count = 0
        QueryPlan(predicate, table, snapshot, catalog).forEachLeaf(reading: []) { _, matches in
            count += matches.count
        } rows: { _ in
            count += 1
        }
        return count
    }

    /// Returns the elements of the source that satisfy the predicate, in the order of the source.
    func candidates(_ snapshot: Snapshot, _ catalog: Catalog) -> (Elements, [Int64]) {
        switch source {
        case .table(let table): return (.rows(table), rows(of: table, snapshot, catalog))
        case .list(let id, let target):
            let keys = snapshot.sequence(id, .link).links
            let positions = keys.indices.lazy.map(Int64.init)
            return (.positions(keys, target), positions.filter { holds(keys[Int($0)], target, snapshot) })
        case .set(let id, let target):
            let keys = snapshot.sequence(id, .link).links
            return (.rows(target), keys.filter { holds($0, target, snapshot) })
        case .origins(let origins, let key):
            let keys = snapshot.backlinks(origins.backlinks, of: key).keys
            return (.rows(origins.table), keys.filter { holds($0, origins.table, snapshot) })
        case .values(let id, let element):
            var cells: [Cell] = []
            snapshot.sequence(id, element).forEach { cells.append($0) }
            let positions = cells.indices.lazy.map(Int64.init)
            guard let predicate else { return (.values(cells), Array(positions)) }
            return (.values(cells), positions.filter { predicate.holds(cells[Int($0)], snapshot) })
        }
    }

    /// Whether an object satisfies the predicate. A deleted object does not.
    @inline(__always)
    func holds(_ key: ObjectKey, _ table: TableID, _ snapshot: Snapshot) -> Bool {
        guard let row = snapshot.table(table).row(key) else { return false }
        return predicate?.holds(snapshot, row) ?? true
    }

    private func rows(of table: TableID, _ snapshot: Snapshot, _ catalog: Catalog) -> [Int64] {
        var keys: [Int64] = []
        guard let predicate else {
            keys.reserveCapacity(snapshot.table(table).count)
            snapshot.table(table).forEachKey { keys.append($0) }
            return keys
        }
        QueryPlan(predicate, table, snapshot, catalog).forEachLeaf(reading: []) { leaf, matches in
            leaf.forEachRow(in: matches) { _, key in keys.append(key) }
        } rows: {
            keys.append($0)
        }
        return keys
    }

    // MARK: Order

    /// Applies the steps to elements in the order of the source.
    func arrange(_ tokens: inout [Int64], _ elements: Elements, _ snapshot: Snapshot) {
        for step in steps {
            switch step {
            case .sort(let keys): RowQuery.sort(&tokens, keys, elements, snapshot)
            case .distinct(let keys): tokens = DistinctElements(keys, elements, snapshot).first(of: tokens)
            }
        }
    }

    private static func sort(
        _ tokens: inout [Int64], _ keys: [SortKey], _ elements: Elements, _ snapshot: Snapshot
    ) {
        guard !keys.isEmpty else { return }
        tokens = ElementOrder(keys).sorted(tokens, keepsTies: true, elements, snapshot).map { $0.token }
    }
}

extension Snapshot {
    /// Returns the elements of a collection; an empty sequence if its owner was deleted.
    func sequence(_ id: CollectionID, _ element: ElementKind) -> PersistentSequence {
        table(id.table).sequence(id.key, id.column, element)
    }
}

extension RowQuery.Source {
    /// Whether the plain values at two positions, one of each version, are equal.
    func areSame(_ position: Int, _ old: Snapshot, _ newPosition: Int, _ new: Snapshot) -> Bool {
        guard case .values(let id, let element) = self else { return false }
        let value = old.sequence(id, element).cell(at: position)
        return CellGroup(value) == CellGroup(new.sequence(id, element).cell(at: newPosition))
    }
}
