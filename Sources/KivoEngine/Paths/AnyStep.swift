/// A step into a list or dictionary that is the value of an any column.
@usableFromInline package enum AnyStep: Sendable, Equatable {
    /// The value of a dictionary for a key.
    case key(Cell)
    /// The element of a list at a position. Negative positions count from the end; the last element is -1.
    case index(Int)
    /// All elements of a list, or values of a dictionary.
    case all
    /// The number of elements of a list or dictionary. Must be the last step.
    case size
    /// Whether the value has one of some contents: 1 or 0. Must be the last step.
    case equals([AnyContents])
}

/// The tables of the lists and dictionaries that are any values.
package struct AnyTables: Sendable {
    private let list: TableID?
    private let dictionary: TableID?

    /// Looks up the tables in a catalog.
    package init(_ catalog: Catalog) {
        list = catalog.table(named: AnyContainer.list.rawValue)
        dictionary = catalog.table(named: AnyContainer.dictionary.rawValue)
    }

    /// Returns the kind of container that a row is, or nil if it is an ordinary object.
    package func container(_ row: RowID) -> AnyContainer? {
        row.table == list ? .list : row.table == dictionary ? .dictionary : nil
    }

    /// Returns the elements of a list, or the values of a dictionary.
    func elements(_ row: RowID, _ snapshot: Snapshot) -> PersistentSequence {
        let kind: AnyContainer = row.table == list ? .list : .dictionary
        return snapshot.table(row.table).sequence(row.key, kind.values, .any)
    }

    /// Returns the keys of a dictionary.
    func keys(_ row: RowID, _ snapshot: Snapshot) -> PersistentSequence {
        snapshot.table(row.table).sequence(row.key, AnyContainer.dictionary.members, .string)
    }

    /// Calls `body` with each value that the steps lead to from `cell`, until it returns false. A missing key or position yields
    /// no value, as does a null.
    ///
    /// - Returns: false if `body` returned false.
    func forEach(_ cell: Cell, _ steps: ArraySlice<AnyStep>, _ snapshot: Snapshot, _ body: (Cell) -> Bool)
        -> Bool
    {
        guard let step = steps.first else { return body(cell) }
        let rest = steps.dropFirst()
        let row = cell.target.flatMap { $0.table == list || $0.table == dictionary ? $0 : nil }
        switch step {
        case .all:
            guard let row else { return true }
            var continues = true
            elements(row, snapshot).forEach { if continues { continues = forEach($0, rest, snapshot, body) } }
            return continues
        case .size:
            let count = row.map { elements($0, snapshot).count }
            return body(count.map { .typedWord(UInt64($0), .int) } ?? .null)
        case .equals(let contents):
            return body(.word(contents.contains { holds($0, cell, snapshot) } ? 1 : 0))
        case .index(let index):
            var value = Cell.null
            if let row, row.table == list {
                let elements = elements(row, snapshot)
                let position = index < 0 ? elements.count + index : index
                if position >= 0, position < elements.count { value = elements.cell(at: position) }
            }
            return forEach(value, rest, snapshot, body)
        case .key(let key):
            var value = Cell.null
            if let row, row.table == dictionary {
                let keys = keys(row, snapshot)
                let (position, isEqual) = keys.lowerBound(key)
                if isEqual { value = elements(row, snapshot).cell(at: position) }
            }
            return forEach(value, rest, snapshot, body)
        }
    }
}
