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
    /// Whether the rows that satisfy the condition are sorted.
    package var isSorted: Bool

    /// Creates an explanation of a query that looks nothing up.
    package init(access: Access, rowCount: Int, isSorted: Bool) {
        (self.access, self.rowCount, candidateCount, self.isSorted) = (access, rowCount, rowCount, isSorted)
    }
}

extension RowQuery {
    /// Returns the way in which the query finds the rows of a table. O(rows that are looked up).
    ///
    /// - Precondition: The source is a table.
    package func explanation(_ snapshot: Snapshot, _ catalog: Catalog) -> QueryExplanation {
        guard case .table(let table) = source else { preconditionFailure("only tables have plans") }
        let view = snapshot.table(table)
        let isSorted = steps.contains { if case .sort(let keys) = $0 { !keys.isEmpty } else { false } }
        guard let predicate else {
            return QueryExplanation(access: .all, rowCount: view.count, isSorted: isSorted)
        }
        var explanation = QueryExplanation(access: .scan, rowCount: view.count, isSorted: isSorted)
        let lookup = IndexLookup(snapshot: snapshot, view: view, spec: catalog.tables[table])
        let parts = predicate.conjuncts
        // Of an empty table, either way reads nothing: it is called a scan.
        if view.count > 0, let index = QueryPlan.lookedUpPart(of: parts, lookup) {
            (explanation.access, explanation.columns) = (.lookup, lookup.columns(parts[index])!)
            explanation.candidateCount = lookup.keys(parts[index]).count
        } else {
            explanation.columns = parts.flatMap { lookup.columns($0) ?? [] }
        }
        return explanation
    }
}
