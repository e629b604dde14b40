/// A plan for finding the rows of a table that satisfy a predicate: through an index if one leaves few candidates, otherwise by
/// scanning the leaves. Cheap and selective conditions are tested first.
struct QueryPlan {
    private let snapshot: Snapshot
    private let table: TableID
    private let catalog: Catalog
    private let predicate: RowPredicate
    /// The rows that remain after an index lookup, ascending; nil for a scan of the leaves.
    private var candidates: [ObjectKey]?

    /// The number of rows of a table that can be read in sequence for the cost of one lookup.
    private static let rowsPerLookup = 32
    private static let sampledLeaves = 4

    init(_ predicate: RowPredicate, _ table: TableID, _ snapshot: Snapshot, _ catalog: Catalog) {
        self.snapshot = snapshot
        self.table = table
        self.catalog = catalog
        let view = snapshot.table(table)
        var parts = predicate.conjuncts
        let lookup = IndexLookup(snapshot: snapshot, view: view, spec: catalog.tables[table])
        if let index = QueryPlan.lookedUpPart(of: parts, lookup) {
            candidates = lookup.keys(parts.remove(at: index))
        } else {
            QueryPlan.arrange(&parts, snapshot, view)
        }
        self.predicate = RowPredicate.all(parts)
    }

    /// Returns the index of the condition that is looked up, the one that leaves the fewest rows; nil if a scan costs less.
    static func lookedUpPart(of parts: [RowPredicate], _ lookup: IndexLookup) -> Int? {
        var best: (index: Int, count: Int)?
        for (index, part) in parts.enumerated() {
            guard let count = lookup.count(part), count < best?.count ?? .max else { continue }
            best = (index, count)
        }
        guard let best, best.count * rowsPerLookup <= lookup.view.count else { return nil }
        return best.index
    }

    /// Orders conditions by their cost for each row that they exclude, measured on a sample of leaves.
    private static func arrange(_ parts: inout [RowPredicate], _ snapshot: Snapshot, _ table: Table) {
        guard parts.count > 1 else { return }
        var samples: [Leaf] = []
        let stride = max(table.count / sampledLeaves, 1)
        for position in Swift.stride(from: 0, to: table.count, by: stride) {
            let located = table.leafContaining(position)
            if samples.last?.base != located.leaf.base { samples.append(located.leaf) }
        }
        let rows = samples.reduce(0) { $0 + $1.occupied.count }
        guard rows > 0 else { return }
        let ranked = parts.map { part in
            let scan = part.scan(snapshot)
            let kept = samples.reduce(0) { $0 + scan($1, $1.occupied).count }
            return (part, part.cost / max(1 - Double(kept) / Double(rows), 0.001))
        }
        // The sort is stable, so that equally good conditions keep the order in which they were written.
        parts = ranked.enumerated().sorted { ($0.element.1, $0.offset) < ($1.element.1, $1.offset) }
            .map { $0.element.0 }
    }

    /// Returns the first rows that satisfy the predicate, at most some.
    func firstRows(_ limit: Int) -> [ObjectKey] {
        let view = snapshot.table(table)
        if let candidates {
            let found = candidates.lazy.filter { view.row($0).map { predicate.holds(snapshot, $0) } ?? false }
            return Array(found.prefix(limit))
        }
        let scan = predicate.scan(snapshot)
        var rows: [ObjectKey] = []
        view.forEachLeaf { leaf in
            leaf.forEachRow(in: scan(leaf, leaf.occupied)) { _, key in
                if rows.count < limit { rows.append(key) }
            }
            return rows.count < limit
        }
        return rows
    }

    /// The last row that satisfies the predicate, or nil.
    var lastRow: ObjectKey? {
        let view = snapshot.table(table)
        if let candidates {
            return candidates.last { view.row($0).map { predicate.holds(snapshot, $0) } ?? false }
        }
        let scan = predicate.scan(snapshot)
        var end = view.count
        while end > 0 {
            let located = view.leafContaining(end - 1)
            if let slot = scan(located.leaf, located.leaf.occupied).last {
                return located.leaf.key(ofSlot: slot)
            }
            end = located.start
        }
        return nil
    }

    /// Scans the leaves a few at a time. They are scattered in memory, and comparing one takes so many instructions that the
    /// processor does not prefetch the next by itself. So the compared columns of the whole group are fetched first.
    ///
    /// Leaves that are not in memory are scanned in their pages, if the predicate and `body` read nothing but columns.
    private func forEachScannedLeaf(
        reading otherColumns: [Int]?, _ body: (_ leaf: Leaf, _ matches: Bits256) -> Void
    ) {
        let scan = predicate.scan(snapshot)
        let columns = predicate.scannedColumns
        var prefetched: [Leaf] = []
        prefetched.reserveCapacity(QueryPlan.prefetchCount)
        func flush() {
            var sum: UInt64 = 0
            for leaf in prefetched {
                for (column, stride) in columns { sum &+= leaf.column(column).fetch(stride) }
            }
            // A use of the sum, so that the compiler does not remove the reads.
            if sum == .max { prefetched.reserveCapacity(QueryPlan.prefetchCount) }
            for leaf in prefetched { body(leaf, scan(leaf, leaf.occupied)) }
            prefetched.removeAll(keepingCapacity: true)
        }
        lazy var pages = pageScan(reading: otherColumns)
        snapshot.table(table).forEachLeaf { page in
            guard let leaf = pages?.leaf(page) else { return false }
            flush()
            body(leaf, scan(leaf, leaf.occupied))
            return true
        } _: { leaf in
            prefetched.append(leaf)
            if prefetched.count == QueryPlan.prefetchCount { flush() }
        }
        flush()
    }

    private func pageScan(reading otherColumns: [Int]?) -> PageScan? {
        guard let otherColumns, let columns = predicate.readColumns else { return nil }
        return PageScan(columns.union(otherColumns).sorted(), of: table, catalog)
    }

    private static let prefetchCount = 8

    /// Calls `leaves` with the slots of each leaf that satisfy the predicate, or `rows` with each key, ascending.
    ///
    /// - Parameter columns: all columns of which `leaves` reads values; nil if it reads more than columns. A leaf is valid only
    ///   until the closure returns, and other columns of it may have other values.
    func forEachLeaf(
        reading columns: [Int]?, _ leaves: (_ leaf: Leaf, _ matches: Bits256) -> Void,
        rows: (ObjectKey) -> Void
    ) {
        let view = snapshot.table(table)
        guard let candidates else {
            return forEachScannedLeaf(reading: columns, leaves)
        }
        for key in candidates {
            if let row = view.row(key), predicate.holds(snapshot, row) { rows(key) }
        }
    }
}

extension ColumnBuffer {
    /// Reads once from each cache line of the values.
    fileprivate func fetch(_ stride: Int) -> UInt64 {
        var sum: UInt64 = 0
        for offset in Swift.stride(from: 0, to: capacity * stride, by: 64) {
            sum &+= data.load(fromByteOffset: offset, as: UInt64.self)
        }
        return sum
    }
}

extension RowPredicate {
    /// Returns the first row of a table that satisfies the predicate, or nil. Through an index, or O(rows before it).
    package func firstRow(of table: TableID, _ snapshot: Snapshot, _ catalog: Catalog) -> ObjectKey? {
        firstRows(1, of: table, snapshot, catalog).first
    }

    /// Returns the first rows of a table that satisfy the predicate, at most some. Through an index, or O(rows before the last one).
    package func firstRows(
        _ limit: Int, of table: TableID, _ snapshot: Snapshot, _ catalog: Catalog
    ) -> [ObjectKey] {
        QueryPlan(self, table, snapshot, catalog).firstRows(limit)
    }

    /// Returns the last row of a table that satisfies the predicate, or nil. Through an index, or O(rows behind it).
    func lastRow(of table: TableID, _ snapshot: Snapshot, _ catalog: Catalog) -> ObjectKey? {
        QueryPlan(self, table, snapshot, catalog).lastRow
    }

    /// The columns that are always compared as a whole, with the size of one value.
    fileprivate var scannedColumns: [(column: Int, stride: Int)] {
        switch self {
        case .and(let parts): return parts.first?.scannedColumns ?? []
        case .not(let part): return part.scannedColumns
        case .test(_, .path(let path), let test):
            guard let (column, kind) = path.directColumn, test.scan(column, kind) != nil else { return [] }
            return [(column, kind.stride)]
        default: return []
        }
    }

    /// The columns that the predicate reads, or nil if it reads more than the row's own columns.
    fileprivate var readColumns: Set<Int>? {
        switch self {
        case .constant: return []
        case .and(let parts), .or(let parts):
            return parts.reduce(Set() as Set?) { columns, part in
                guard let columns, let others = part.readColumns else { return nil }
                return columns.union(others)
            }
        case .not(let part): return part.readColumns
        case .test(_, .path(let path), _):
            guard let (column, _) = path.directColumn else { return nil }
            return [column]
        case .test, .pair: return nil
        }
    }

    /// The conditions that all have to hold.
    var conjuncts: [RowPredicate] {
        if case .and(let parts) = self { parts.flatMap { $0.conjuncts } } else { [self] }
    }

    /// The cost of testing one row, relative to the comparison of a plain number.
    var cost: Double {
        switch self {
        case .constant: 0
        case .and(let parts), .or(let parts): parts.reduce(0) { $0 + $1.cost }
        case .not(let part): part.cost
        case .test(_, let operand, let test): operand.cost + test.cost
        case .pair(_, let left, _, let right): left.cost + right.cost + 10
        }
    }
}

extension ValueTest {
    fileprivate var cost: Double {
        switch self {
        case .always, .compare, .both: 0
        case .oneOf: 2
        case .text(let test): test.cost
        case .either(let tests): tests.reduce(0) { $0 + $1.cost }
        case .rule: 1000
        }
    }
}

extension TextTest {
    fileprivate var cost: Double {
        switch `operator` {
        case .order, .begins, .ends: 1
        case .contains: 4
        case .like: 10
        }
    }
}

extension RowOperand {
    fileprivate var cost: Double {
        switch self {
        case .path(let path):
            if let (_, kind) = path.directColumn { return kind == .word ? 1 : 3 }
            return 40 * Double(path.hops.count + 1)
        case .aggregate(let aggregate): return aggregate.function == .count ? 40 : 300
        case .matching: return 500
        case .inside: return 100
        case .element, .constant: return 0
        case .computed(let left, let right, _): return left.cost + right.cost + 10
        case .derived(let derivation): return 40 * Double(derivation.hops.count + derivation.paths.count)
        }
    }
}
