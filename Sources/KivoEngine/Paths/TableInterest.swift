/// A table and its columns on which a result depends.
package struct TableInterest: Sendable, Hashable {
    /// The table.
    package var table: TableID
    /// The columns in which assignments count; nil for all columns.
    package var columns: Set<Int>?
    /// A Boolean value that indicates whether insertions and deletions of rows count.
    package var countsRows: Bool

    /// Creates an interest in some columns of a table.
    package init(table: TableID, columns: Set<Int>?, countsRows: Bool) {
        self.table = table
        self.columns = columns
        self.countsRows = countsRows
    }

    /// Returns whether the changes of a table concern this interest. O(columns of the interest or of the change).
    package func isTouched(by touched: TouchedTable) -> Bool {
        guard touched.table == table else { return false }
        if countsRows, touched.hasRows { return true }
        guard let columns else { return !touched.columns.isEmpty }
        return touched.columns.contains { columns.contains($0) }
    }
}

extension [TableInterest] {
    /// Adds an interest, merged with an existing one in the same table. The array stays ascending by table.
    mutating func add(_ interest: TableInterest) {
        let index = partitionPoint { $0.table < interest.table }
        guard index < count, self[index].table == interest.table else { return insert(interest, at: index) }
        self[index].countsRows = self[index].countsRows || interest.countsRows
        if let columns = interest.columns {
            self[index].columns?.formUnion(columns)
        } else {
            self[index].columns = nil
        }
    }
}

/// A summary of what a change set did to one table.
package struct TouchedTable: Sendable {
    /// The table.
    package let table: TableID
    /// The columns that were assigned in some row, ascending.
    package let columns: [Int]
    /// A Boolean value that indicates whether rows were inserted or deleted.
    package let hasRows: Bool
}

extension RowChangeSet {
    /// Summaries of the changed tables, ascending. O(changed leaves).
    package var touchedTables: [TouchedTable] {
        tables.map { change in
            var columns: Set<Int> = []
            var hasRows = false
            for leaf in change.leaves {
                for column in leaf.columns { columns.insert(column.column) }
                hasRows = hasRows || !leaf.inserted.isEmpty || !leaf.deleted.isEmpty
            }
            return TouchedTable(table: change.table, columns: columns.sorted(), hasRows: hasRows)
        }
    }
}
