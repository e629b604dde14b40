/// What a query asks for: elements of a source, those for which a predicate holds, in an order.
public struct RowQuery: Sendable {
    /// Where the elements come from.
    public enum Source: Sendable {
        /// All rows of a table, in the order of their keys.
        case table(TableID)
        /// The objects of a list.
        case list(CollectionID, target: TableID)
        /// The objects of a set, in the order of their keys.
        case set(CollectionID, target: TableID)
        /// The plain values of a list or set, or the values of a map.
        case values(CollectionID, ElementKind)
        /// The objects that refer to one, in the order of their keys.
        case origins(Origins, of: ObjectKey)

        /// The number of elements. O(1).
        func count(_ snapshot: Snapshot) -> Int {
            switch self {
            case .table(let table): snapshot.table(table).count
            case .list(let id, _), .set(let id, _): snapshot.sequence(id, .link).count
            case .values(let id, let element): snapshot.sequence(id, element).count
            case .origins(let origins, let key): snapshot.backlinks(origins.backlinks, of: key).count
            }
        }

        /// Whether some elements can be no objects, which no result has: a map keeps the key of an object that was deleted.
        func canHoldNull(_ catalog: Catalog) -> Bool {
            guard case .list(let id, _) = self else { return false }
            return catalog.tables[id.table].columns[id.column].order == .values
        }

        /// The table of the elements; nil for plain values.
        public var table: TableID? {
            switch self {
            case .table(let table), .list(_, let table), .set(_, let table): table
            case .values: nil
            case .origins(let origins, _): origins.table
            }
        }
    }

    /// What is done with the elements that satisfy the predicate, one after the other.
    public enum Step: Sendable {
        /// Sorts; ties keep the order they had.
        case sort([SortKey])
        /// Keeps the first of each group of elements whose values are all equal.
        case distinct([SortKey])
    }

    /// Where the elements come from.
    public var source: Source
    /// What has to hold for the elements; nil if all are wanted.
    public var predicate: RowPredicate?
    /// What is done with the elements, in this order.
    public var steps: [Step] = []

    /// A query for some elements of a source, in its order.
    public init(_ source: Source, _ predicate: RowPredicate? = nil) {
        self.source = source
        self.predicate = predicate
    }

    /// The query for those of its elements that satisfy one more condition.
    public func filtered(_ condition: RowPredicate) -> RowQuery {
        var query = self
        switch predicate {
        case nil: query.predicate = condition
        case .and(let parts): query.predicate = .and(parts + [condition])
        case .some(let predicate): query.predicate = .and([predicate, condition])
        }
        return query
    }

    /// The query with one more step.
    public func followed(by step: Step) -> RowQuery {
        var query = self
        query.steps.append(step)
        return query
    }

    /// Whether some elements are left out for being equal to others.
    var isDistinct: Bool { steps.contains { if case .distinct = $0 { true } else { false } } }

    /// Whether the result is the source as it is.
    public var isWhole: Bool { predicate == nil && steps.isEmpty }

    /// Whether the result is all rows of a table, which needs no evaluation.
    public var isWholeTable: Bool {
        if case .table = source { isWhole } else { false }
    }
}
