/// A query: the elements of a source that satisfy a predicate, in an order.
package struct RowQuery: Sendable {
    /// The source of the elements.
    package enum Source: Sendable {
        /// All rows of a table, in the order of their keys.
        case table(TableID)
        /// The objects of a list.
        case list(CollectionID, target: TableID)
        /// The objects of a set, in the order of their keys.
        case set(CollectionID, target: TableID)
        /// The plain values of a list or set, or the values of a map.
        case values(CollectionID, ElementKind)
        /// The objects that refer to a given one, in the order of their keys.
        case origins(Origins, of: ObjectKey)

        /// Returns the number of elements. O(1).
        func count(_ snapshot: Snapshot) -> Int {
            switch self {
            case .table(let table): snapshot.table(table).count
            case .list(let id, _), .set(let id, _): snapshot.sequence(id, .link).count
            case .values(let id, let element): snapshot.sequence(id, element).count
            case .origins(let origins, let key): snapshot.backlinks(origins.backlinks, of: key).count
            }
        }

        /// Whether the source can contain null instead of objects, which results exclude: a map keeps the key of a deleted
        /// object.
        func canHoldNull(_ catalog: Catalog) -> Bool {
            guard case .list(let id, _) = self else { return false }
            return catalog.tables[id.table].columns[id.column].order == .values
        }

        /// The table of the elements; nil for plain values.
        package var table: TableID? {
            switch self {
            case .table(let table), .list(_, let table), .set(_, let table): table
            case .values: nil
            case .origins(let origins, _): origins.table
            }
        }
    }

    /// A step that processes the elements that satisfy the predicate.
    package enum Step: Sendable {
        /// Sorts; ties keep their order.
        case sort([SortKey])
        /// Keeps the first of each group of elements whose values are all equal.
        case distinct([SortKey])
    }

    /// The source of the elements.
    package var source: Source
    /// The condition on the elements; nil for all elements.
    package var predicate: RowPredicate?
    /// The steps that process the elements, in order.
    package var steps: [Step] = []
    /// The positions after the steps whose elements the query keeps; nil for all.
    package private(set) var window: ResultWindow?

    /// Creates a query for some elements of a source, in its order.
    package init(_ source: Source, _ predicate: RowPredicate? = nil) {
        self.source = source
        self.predicate = predicate
    }

    /// Returns a query for those of the elements that also satisfy another condition.
    package func filtered(_ condition: RowPredicate) -> RowQuery {
        var query = self
        switch predicate {
        case nil: query.predicate = condition
        case .and(let parts): query.predicate = .and(parts + [condition])
        case .some(let predicate): query.predicate = .and([predicate, condition])
        }
        return query
    }

    /// Returns the query with an additional step.
    package func followed(by step: Step) -> RowQuery {
        var query = self
        query.steps.append(step)
        return query
    }

    /// Returns the query for the elements in a window of its result. The steps of such a query are complete.
    package func within(_ window: ResultWindow) -> RowQuery {
        var query = self
        query.window = window == ResultWindow() ? nil : window
        return query
    }

    /// Whether the query drops elements that are equal to others.
    var isDistinct: Bool { steps.contains { if case .distinct = $0 { true } else { false } } }

    /// Whether the order decides which elements are in the result.
    var selectsByOrder: Bool { isDistinct || window != nil }

    /// The query without an order, unless that decides which elements it drops.
    package var unordered: RowQuery { selectsByOrder ? self : RowQuery(source, predicate) }

    /// A Boolean value that indicates whether the result is the unchanged source.
    package var isWhole: Bool { predicate == nil && steps.isEmpty && window == nil }

    /// A Boolean value that indicates whether the result is all rows of a table, which requires no evaluation.
    package var isWholeTable: Bool {
        if case .table = source { isWhole } else { false }
    }
}

/// The first or last element of a result: an object, or for plain values the position in the source.
package enum EndKey {
    /// The element, or nil if there are none.
    case known(ObjectKey?)
    /// Unknown without evaluating the query.
    case unknown
}

extension RowQuery {
    /// Returns whether the result is empty. O(elements of the source before the first match), or through an index. Evaluates the
    /// query if it groups by keys after links.
    package func isEmpty(_ snapshot: Snapshot, _ catalog: Catalog) -> Bool {
        if let window, !window.hasFirst { return count(snapshot, catalog) == 0 }
        return leavesOut ? count(snapshot, catalog) == 0 : firstCandidate(snapshot, catalog) == nil
    }

    /// Returns the first element, unless the query sorts by more than columns of its table, or groups by keys after links.
    /// O(elements of the source before it), or through an index; O(elements of the source) if it sorts.
    package func firstKey(_ snapshot: Snapshot, _ catalog: Catalog) -> EndKey {
        if let (table, range) = tableRange(snapshot) {
            return .known(range.first.map { table.key(at: $0) })
        }
        if let window, !window.hasFirst { return .unknown }
        if steps.count == 1, case .sort(let keys) = steps[0], case .table(let table) = source,
            let first = FirstRow(keys)
        {
            return .known(first.key(of: table, predicate, snapshot, catalog))
        }
        // The first of all elements is also the first of its group.
        let isSorted = steps.contains { if case .sort = $0 { true } else { false } }
        return isSorted || leavesOut ? .unknown : .known(firstCandidate(snapshot, catalog))
    }

    /// Whether elements with a null link on the way to a key by which they are grouped are left out.
    private var leavesOut: Bool {
        steps.contains { step in
            if case .distinct(let keys) = step { keys.contains { $0.hasLinks } } else { false }
        }
    }

    /// Returns the last element, unless the query has steps or a window. O(elements of the source after it), or through an index.
    package func lastKey(_ snapshot: Snapshot, _ catalog: Catalog) -> EndKey {
        if let (table, range) = tableRange(snapshot) {
            return .known(range.last.map { table.key(at: $0) })
        }
        return steps.isEmpty && window == nil ? .known(lastCandidate(snapshot, catalog)) : .unknown
    }

    /// The table and the positions in it of a window of all its rows; nil for other queries.
    func tableRange(_ snapshot: Snapshot) -> (Table, Range<Int>)? {
        guard case .table(let id) = source, predicate == nil, steps.isEmpty, let window else { return nil }
        let table = snapshot.table(id)
        return (table, window.range(of: table.count))
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
            return positions.first { predicate?.holds(values.cell(at: $0), snapshot) ?? true }.map(Int64.init)
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

extension RowQuery {
    /// Folds the values that a path leads to from the objects of the result, or the plain values of the result. O(n).
    package func fold(
        _ path: ResolvedPath?, _ fold: inout AggregateFold, _ snapshot: Snapshot, _ catalog: Catalog
    ) { self.fold(path, into: &fold, snapshot, catalog) }

    /// Folds the values like ``fold(_:_:_:_:)``, in any way.
    func fold(
        _ path: ResolvedPath?, into fold: inout some CellFold, _ snapshot: Snapshot, _ catalog: Catalog
    ) {
        guard case .table(let table) = source, let path, !selectsByOrder else {
            let (elements, tokens) = arranged(snapshot, catalog)
            for token in tokens { fold.add(elements.cell(path, token, snapshot)) }
            return
        }
        let view = snapshot.table(table)
        let plan = QueryPlan(predicate ?? .constant(true), table, snapshot, catalog)
        plan.forEachLeaf(reading: path.directColumn.map { [$0.column] }) { leaf, matches in
            if let (column, kind) = path.directColumn, kind == .word {
                fold.add(leaf.column(column), matches)
            } else {
                leaf.forEachRow(in: matches) { slot, key in
                    let row = Row(leaf, slot, key)
                    fold.add(path.cell(snapshot, row) ?? .null)
                }
            }
        } rows: { key in
            if let row = view.row(key) { fold.add(path.cell(snapshot, row) ?? .null) }
        }
    }
}
