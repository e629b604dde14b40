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
        case origins(ValuePath.Origins, of: ObjectKey)

        /// The number of elements. O(1).
        func count(_ snapshot: Snapshot) -> Int {
            switch self {
            case .table(let table): snapshot.table(table).count
            case .list(let id, _), .set(let id, _): snapshot.sequence(id, .link).count
            case .values(let id, let element): snapshot.sequence(id, element).count
            case .origins(let origins, let key): snapshot.backlinks(origins.backlinks, of: key).count
            }
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

    /// Whether the answer is the source as it is.
    public var isWhole: Bool { predicate == nil && steps.isEmpty }

    /// Whether the answer is all rows of a table, which needs no evaluation.
    public var isWholeTable: Bool {
        if case .table = source { isWhole } else { false }
    }
}

extension RowQuery {
    /// The keys of the answer's objects; for plain values, their positions in the source. O(n), and what sorting costs.
    public func evaluate(_ snapshot: Snapshot, _ catalog: Catalog) -> [ObjectKey] {
        let (elements, tokens) = arranged(snapshot, catalog)
        if case .positions(let keys, _) = elements { return tokens.map { keys[Int($0)] } }
        return tokens
    }

    /// The answer's elements.
    func arranged(_ snapshot: Snapshot, _ catalog: Catalog) -> (Elements, [Int64]) {
        var (elements, tokens) = candidates(snapshot, catalog)
        arrange(&tokens, elements, snapshot)
        return (elements, tokens)
    }

    /// The number of elements of the answer. Unless something makes them distinct, nothing is kept and nothing sorted.
    public func count(_ snapshot: Snapshot, _ catalog: Catalog) -> Int {
        guard !isDistinct else { return evaluate(snapshot, catalog).count }
        guard let predicate else { return source.count(snapshot) }
        guard case .table(let table) = source else { return candidates(snapshot, catalog).1.count }
        var count = 0
        QueryPlan(predicate, table, snapshot, catalog).forEachLeaf { _, _, found in
            count += found.count
        } rows: { _ in
            count += 1
        }
        return count
    }

    /// The elements of the source that satisfy the predicate, in its order.
    func candidates(_ snapshot: Snapshot, _ catalog: Catalog) -> (Elements, [Int64]) {
        switch source {
        case .table(let table): return (.rows(table), rows(of: table, snapshot, catalog))
        case .list(let id, let target):
            var keys: [ObjectKey] = []
            snapshot.sequence(id, .link).forEachLink { keys.append($0) }
            let positions = keys.indices.lazy.map(Int64.init)
            return (.positions(keys, target), positions.filter { holds(keys[Int($0)], target, snapshot) })
        case .set(let id, let target):
            var keys: [ObjectKey] = []
            snapshot.sequence(id, .link).forEachLink { keys.append($0) }
            return (.rows(target), keys.filter { holds($0, target, snapshot) })
        case .origins(let origins, let key):
            var keys: [ObjectKey] = []
            snapshot.backlinks(origins.backlinks, of: key).forEach { keys.append($0) }
            return (.rows(origins.table), keys.filter { holds($0, origins.table, snapshot) })
        case .values(let id, let element):
            var cells: [Cell] = []
            snapshot.sequence(id, element).forEach { cells.append($0) }
            return (.values(cells), cells.indices.map(Int64.init))
        }
    }

    /// Whether an object satisfies the predicate. One that is gone does not.
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
        QueryPlan(predicate, table, snapshot, catalog).forEachLeaf { index, _, found in
            found.forEach { keys.append(Int64(index << 8 | $0)) }
        } rows: {
            keys.append($0)
        }
        return keys
    }

    // MARK: Order

    /// Carries out the steps on elements in the order of the source.
    func arrange(_ tokens: inout [Int64], _ elements: Elements, _ snapshot: Snapshot) {
        for step in steps {
            switch step {
            case .sort(let keys): RowQuery.sort(&tokens, keys, elements, snapshot)
            case .distinct(let keys): RowQuery.keepFirst(&tokens, keys, elements, snapshot)
            }
        }
    }

    private static func sort(
        _ tokens: inout [Int64], _ keys: [SortKey], _ elements: Elements, _ snapshot: Snapshot
    ) {
        guard !keys.isEmpty else { return }
        let order = ElementOrder(keys)
        var entries: [(rank: Int64, place: Int)] = []
        entries.reserveCapacity(tokens.count)
        for (place, token) in tokens.enumerated() {
            entries.append((order.ranked(token, elements, snapshot).rank, place))
        }
        entries.sort { a, b in
            if a.rank != b.rank { return a.rank < b.rank }
            let result = order.compareKeys(tokens[a.place], tokens[b.place], a.rank, elements, snapshot)
            return result == 0 ? a.place < b.place : result < 0
        }
        tokens = entries.map { tokens[$0.place] }
    }

    private static func keepFirst(
        _ tokens: inout [Int64], _ keys: [SortKey], _ elements: Elements, _ snapshot: Snapshot
    ) {
        var seen: Set<CellGroup> = []
        tokens = tokens.filter { token in
            seen.insert(CellGroup(keys.map { $0.cell(elements, token, snapshot) }, keys)).inserted
        }
    }
}

/// The values that make a group of elements equal, as the key of a dictionary.
struct CellGroup: Hashable {
    let cells: [Cell]
    private let orders: [CellOrder]
    private let hash: Int

    /// A plain value as a group of its own.
    init(_ cell: Cell) {
        cells = [cell]
        orders = [.natural]
        hash = Int(truncatingIfNeeded: cell.indexHash)
    }

    init(_ cells: [Cell], _ keys: [SortKey]) {
        self.cells = cells
        orders = keys.map(\.order)
        var hasher = Hasher()
        for (cell, key) in zip(cells, keys) {
            if case .natural = key.order {
                hasher.combine(cell.indexHash)
            } else {
                hasher.combine(key.order.rank(cell))
            }
        }
        hash = hasher.finalize()
    }

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    static func == (a: CellGroup, b: CellGroup) -> Bool {
        zip(a.orders, zip(a.cells, b.cells)).allSatisfy { $0.compare($1.0, $1.1) == 0 }
    }
}

extension Snapshot {
    /// The elements of a collection; none if its owner is gone.
    func sequence(_ id: CollectionID, _ element: ElementKind) -> PersistentSequence {
        table(id.table).sequence(id.key, id.column, element)
    }
}
