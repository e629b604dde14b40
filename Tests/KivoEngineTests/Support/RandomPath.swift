@testable import KivoEngine

/// A random path over the tables of ``TestCatalog``: links, lists, sets, map values, map entries, owned objects and origins.
struct RandomPath {
    private(set) var path: ResolvedPath
    /// Whether it looks up keys of maps: backwards, any change of such a map counts.
    private(set) var hasEntries = false

    init(from table: TableID, hops: Int, _ random: inout TestRandom) {
        path = ResolvedPath(from: table)
        for _ in 0..<hops {
            guard let target = path.target else { break }
            append(from: target, mustLink: true, &random)
        }
        if let target = path.target, random.chance(75) { append(from: target, mustLink: false, &random) }
    }

    private mutating func append(from table: TableID, mustLink: Bool, _ random: inout TestRandom) {
        let spec = TestCatalog.catalog.tables[table]
        let incoming = spec.incoming.filter { !TestCatalog.catalog.tables[$0.table].isDerived }
        if !incoming.isEmpty, random.chance(35) {
            let link = incoming[random.below(incoming.count)]
            path.append(Origins(table: link.table, column: link.column, backlinks: link.backlinks))
            return
        }
        // Not the many markers of dogs only.
        let columns = spec.columns.indices.filter { mustLink ? spec.columns[$0].target != nil : $0 < 20 }
        guard !columns.isEmpty else { return }
        let column = columns[random.below(columns.count)]
        guard spec.columns[column].order == .values else {
            return path.append(column, in: TestCatalog.catalog)
        }
        let isEntry = random.chance(50)
        hasEntries = hasEntries || isEntry
        path.append(
            keys: column - 1, values: column,
            isEntry && spec.columns[column - 1].element == .string
                ? .entry(.string(random.string())) : .values,
            in: TestCatalog.catalog)
    }
}
