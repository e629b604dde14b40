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

    /// Whether the query drops elements that are equal to others.
    var isDistinct: Bool { steps.contains { if case .distinct = $0 { true } else { false } } }

    /// A Boolean value that indicates whether the result is the unchanged source.
    package var isWhole: Bool { predicate == nil && steps.isEmpty }

    /// A Boolean value that indicates whether the result is all rows of a table, which requires no evaluation.
    package var isWholeTable: Bool {
        if case .table = source { isWhole } else { false }
    }
}
