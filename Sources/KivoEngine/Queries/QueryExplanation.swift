/// The way in which a query finds its rows, and the number of rows that it reads.
package struct QueryExplanation: Sendable {
    /// The way to the rows that can satisfy the condition.
    package enum Access: Sendable, Equatable {
        /// All rows, because there is no condition.
        case all
        /// All rows, which are compared one by one.
        case scan
        /// The rows that indexes, or the backlinks of linked objects, have for the values of a condition.
        case lookup
    }

    /// The way to the rows that are read.
    package var access: Access
    /// The columns by whose values rows are looked up; for a scan, those whose lookup would leave too many rows.
    package var columns: [Int] = []
    /// The number of rows of the table.
    package var rowCount: Int
    /// The number of rows that are read.
    package var candidateCount: Int
    /// The number of rows that satisfy the condition.
    package var matchCount: Int
    /// Whether the matches are sorted.
    package var isSorted: Bool

    /// Creates an explanation of a query that looks nothing up.
    package init(access: Access, rowCount: Int, candidateCount: Int, matchCount: Int, isSorted: Bool) {
        (self.access, self.rowCount, self.candidateCount) = (access, rowCount, candidateCount)
        (self.matchCount, self.isSorted) = (matchCount, isSorted)
    }
}

extension RowQuery {
    /// Returns the way in which the query finds the rows of a table. Evaluates the condition, and those parts of it that can be looked
    /// up once more. O(n).
    ///
    /// - Precondition: The source is a table.
    package func explanation(_ snapshot: Snapshot, _ catalog: Catalog) -> QueryExplanation {
        guard case .table(let table) = source else { preconditionFailure("only tables have plans") }
        let rowCount = snapshot.table(table).count
        var explanation = QueryExplanation(
            access: .all, rowCount: rowCount, candidateCount: rowCount,
            matchCount: count(snapshot, catalog),
            isSorted: steps.contains { if case .sort(let keys) = $0 { !keys.isEmpty } else { false } })
        guard let predicate else { return explanation }
        explanation.access = .scan
        for part in predicate.parts {
            guard let columns = part.lookupColumns(catalog.tables[table]) else { continue }
            // The plan of one part looks up what the plan of all parts would; it takes the part that leaves the fewest rows.
            var (rows, isScan) = (0, false)
            QueryPlan(part, table, snapshot, catalog).forEachLeaf(reading: []) { _, _ in
                isScan = true
            } rows: { _ in
                rows += 1
            }
            // An empty table has no leaves to scan.
            if isScan || rowCount == 0 {
                if explanation.access == .scan { explanation.columns += columns }
            } else if explanation.access == .scan || rows < explanation.candidateCount {
                (explanation.access, explanation.columns) = (.lookup, columns)
                explanation.candidateCount = rows
            }
        }
        return explanation
    }
}

extension RowPredicate {
    /// The conditions that all have to hold.
    fileprivate var parts: [RowPredicate] {
        if case .and(let parts) = self { parts.flatMap { $0.parts } } else { [self] }
    }

    /// Returns the columns whose indexes or backlinks have the rows of an equation, or of one of several equations; nil if the rows
    /// cannot be looked up.
    fileprivate func lookupColumns(_ spec: TableSpec) -> [Int]? {
        if case .or(let parts) = self {
            let columns = parts.map { $0.lookupColumns(spec) }
            return columns.contains(nil) ? nil : Set(columns.flatMap { $0! }).sorted()
        }
        guard case .test(.any, .path(let path), let test) = self, path.hops.isEmpty else { return nil }
        let cells: [Cell]
        switch test {
        case .compare(.equal, let cell, _): cells = [cell]
        case .oneOf(let set): cells = set.cells
        default: return nil
        }
        switch path.end {
        case .column(let column, .link), .elements(let column, .link):
            // Rows whose link is null have no backlinks.
            return spec.backlinks[column] == nil || cells.contains { $0.linkKey == 0 } ? nil : [column]
        case .column(let column, _): return spec.indexOrdinal(of: column) == nil ? nil : [column]
        default: return nil
        }
    }
}
