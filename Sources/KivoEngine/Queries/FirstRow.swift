/// The first row of a table in the order of keys that are columns of the table, without sorting the rows.
struct FirstRow {
    private let keys: [SortKey]
    private let columns: [(column: Int, kind: ColumnKind)]

    /// Creates the search by keys; fails if one is not a column of the table.
    init?(_ keys: [SortKey]) {
        var columns: [(column: Int, kind: ColumnKind)] = []
        for key in keys {
            guard let column = key.path?.directColumn else { return nil }
            switch column.kind {
            case .word, .wide, .string: columns.append(column)
            case .link, .bytes, .any, .sequence, .keySet: return nil
            }
        }
        guard !columns.isEmpty else { return nil }
        (self.keys, self.columns) = (keys, columns)
    }

    /// Returns the first row that satisfies a predicate, or nil if there is none. O(rows): each is compared with the first so far.
    func key(
        of table: TableID, _ predicate: RowPredicate?, _ snapshot: Snapshot, _ catalog: Catalog
    ) -> ObjectKey? {
        var best: (key: ObjectKey, rank: Int64, cells: [Cell])?
        func compare(_ leaf: Leaf, _ slot: Int, _ key: ObjectKey) {
            let cell = leaf.column(columns[0].column).cell(slot, columns[0].kind)
            let rank = keys[0].rank(cell)
            if let best, rank > best.rank || rank == best.rank && !precedes(leaf, slot, best.cells) { return }
            best = (key, rank, columns.map { leaf.column($0.column).cell(slot, $0.kind) })
        }
        let view = snapshot.table(table)
        let plan = QueryPlan(predicate ?? .constant(true), table, snapshot, catalog)
        plan.forEachLeaf(reading: columns.map(\.column)) { leaf, matches in
            leaf.forEachRow(in: matches) { slot, key in compare(leaf, slot, key) }
        } rows: { key in
            if let row = view.row(key) { compare(row.leaf, row.slot, key) }
        }
        return best?.key
    }

    /// Whether a row is before given values. Of equal rows, the one that was found first is the first.
    private func precedes(_ leaf: Leaf, _ slot: Int, _ cells: [Cell]) -> Bool {
        for (index, key) in keys.enumerated() {
            let (column, kind) = columns[index]
            let result = key.compare(leaf.column(column).cell(slot, kind), cells[index])
            if result != 0 { return result < 0 }
        }
        return false
    }
}
