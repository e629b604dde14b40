import KivoEngine

extension Snapshot {
    /// Compares the indexes of all tables with the values of their rows: each row is looked up by each of its indexed values. Calls
    /// `report` once for each kind of difference of a property.
    ///
    /// The pages have to be verified before, among them the order of primary keys that ascend, which need no index.
    ///
    /// - Complexity: O(n log n) for n rows.
    package func verifyIndexes(_ catalog: Catalog, _ report: (String) -> Void) {
        for spec in catalog.tables where !spec.isDerived {
            guard let id = catalog.table(named: spec.name) else { continue }
            let table = table(id)
            for (ordinal, column) in spec.indexedColumns.enumerated() {
                let (property, kind) = (spec.columns[column], spec.columns[column].kind)
                var (missing, twins) = (0, 0)
                table.forEachKey { key in
                    let value = table.cell(key, column, kind)
                    if !table.isIndexed(key, where: column, equals: value, spec) {
                        missing += 1
                    } else if property.isPrimaryKey,
                        table.firstKey(index: ordinal, column: column, kind: kind, equals: value) != key
                    {
                        twins += 1
                    }
                }
                let name = "'\(spec.name).\(property.name)'"
                if missing > 0 { report("the index of \(name) misses \(missing) objects") }
                if twins > 0 { report("\(twins) objects have the primary key \(name) of another one") }
            }
        }
    }
}
