/// Look-ups by the value of an indexed column. The primary key's index leaves out the rows that ``AscendingRows`` finds.
extension Table {
    /// Returns the keys whose indexed column has a value. Candidates come from the index and are verified. O(log n).
    package func keys(where column: Int, equals cell: Cell, _ spec: TableSpec) -> [ObjectKey] {
        guard let header, let ordinal = spec.indexedColumns.firstIndex(of: column) else { return [] }
        let kind = spec.columns[column].kind
        var matches: [ObjectKey] = []
        if let key = ascendingKey(index: ordinal, column, cell) { matches.append(key) }
        header.index(ordinal).forEach(cell.indexHash(seed: header.hashSeed)) { key in
            let value = self.cell(key, column, kind)
            if kind == .any ? AnyOrder.compare(value, cell) == 0 : value == cell { matches.append(key) }
        }
        return matches
    }

    /// Returns the number of candidates that an index has for a value, before they are verified. O(log n).
    func candidateCount(where column: Int, equals cell: Cell, _ spec: TableSpec) -> Int {
        guard let header, let ordinal = spec.indexedColumns.firstIndex(of: column) else { return 0 }
        let ascending = ascendingKey(index: ordinal, column, cell) == nil ? 0 : 1
        return ascending + header.index(ordinal).count(cell.indexHash(seed: header.hashSeed))
    }

    /// Whether an index has a row under a value. O(log n).
    package func isIndexed(_ key: ObjectKey, where column: Int, equals cell: Cell, _ spec: TableSpec) -> Bool
    {
        guard let header, let ordinal = spec.indexedColumns.firstIndex(of: column) else { return false }
        if header.isAscending(key, index: ordinal) {
            return contains(key) && self.cell(key, column, spec.columns[column].kind) == cell
        }
        return header.index(ordinal).contains(cell.indexHash(seed: header.hashSeed), key)
    }

    /// Returns the first key whose indexed column has a value, or nil if there is none. `ordinal` counts the table's indexes.
    /// O(log n).
    package func firstKey(index ordinal: Int, column: Int, kind: ColumnKind, equals cell: Cell) -> ObjectKey?
    {
        guard let header else { return nil }
        if let key = ascendingKey(index: ordinal, column, cell) { return key }
        let index = header.index(ordinal)
        let hash = cell.indexHash(seed: header.hashSeed)
        // Equal hashes of words mean equal words, except for the one word with the hash of null.
        if kind == .word, hash != Cell.nullHash { return index.firstKey(hash) }
        var match: ObjectKey?
        index.forEach(hash) { key in
            if match == nil, self.cell(key, column, kind) == cell { match = key }
        }
        return match
    }
}
