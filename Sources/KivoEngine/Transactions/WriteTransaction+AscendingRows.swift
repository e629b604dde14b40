/// The upkeep of the rows that are found by their ascending primary keys, instead of by an index.
extension WriteTransaction {
    /// Appends a row to the ascending rows and returns true, or returns false if the row belongs in the hash index. The column need not
    /// have the value yet. O(1), unless rows before it were deleted.
    func appendAscending(_ key: ObjectKey, _ table: TableID, column: Int, ordinal: Int, _ cell: Cell) -> Bool
    {
        let header = writableHeader(table)
        guard header.isPrimary(index: ordinal), case .word(let word) = cell,
            NodeSlot.load(header.indexes + ordinal) == 0
        else { return false }
        var rows = header.ascending
        let (view, value) = (snapshot.table(table), Int64(bitPattern: word))
        guard key >= rows.end else { return false }
        // Rows between them have no primary key yet.
        if key > rows.end, let next = view.firstRow(from: rows.end), next.key < key { return false }
        if rows.end == 1 {
            rows.least = value
        } else if value <= rows.greatest {
            // The rows with the greatest keys may have been deleted.
            if let last = view.lastAscending(rows, column) {
                if last >= value { return false }
            } else {
                rows.least = value
            }
        }
        (rows.end, rows.greatest, rows.count) = (key + 1, value, rows.count + 1)
        header.ascending = rows
        return true
    }

    /// Enters the ascending rows from `key` on in the hash index, because a row of this key is inserted, or changes its primary
    /// key. `key` is below the end of the ascending rows. O(these rows).
    func endAscending(at key: ObjectKey, _ table: TableID) {
        guard let ordinal = catalog.tables[table].primaryIndex,
            let column = catalog.tables[table].primaryColumn
        else { return }
        let header = writableHeader(table)
        let (view, end) = (snapshot.table(table), header.ascending.end)
        var index = header.index(ordinal)
        var next = view.firstRow(from: key)
        while let row = next, row.key < end {
            let cell = Cell.word(row.leaf.column(column).word(row.slot))
            index.insert(cell.indexHash(seed: header.hashSeed), row.key, memory)
            header.ascending.count -= 1
            next = view.firstRow(from: row.key + 1)
        }
        header.indexes[ordinal] = index.root
        header.ascending.end = key
    }
}
