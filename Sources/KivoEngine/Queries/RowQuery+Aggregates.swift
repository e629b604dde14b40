extension RowQuery {
    /// Folds the values that a path leads to from the objects of the result, or the plain values of the result. O(n).
    package func fold(
        _ path: ResolvedPath?, _ fold: inout AggregateFold, _ snapshot: Snapshot, _ catalog: Catalog
    ) {
        guard case .table(let table) = source, let path, !isDistinct else {
            let (elements, tokens) = arranged(snapshot, catalog)
            for token in tokens { fold.add(elements.cell(path, token, snapshot)) }
            return
        }
        let view = snapshot.table(table)
        QueryPlan(predicate ?? .constant(true), table, snapshot, catalog).forEachLeaf { leaf, matches in
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
