/// The elements that a query filters and orders. Each is represented by a token, a number.
package enum Elements {
    /// The rows of a table. Tokens are keys, in the order of keys.
    case rows(TableID)
    /// The objects of a list. Tokens are positions.
    case positions([ObjectKey], TableID)
    /// The plain values of a collection. Tokens are positions.
    case values([Cell])
    /// The occurrences of objects in a list that is followed through its changes. Tokens are occurrences.
    case occurrences(OccurrenceIndex, TableID)
    /// The plain values of a collection that is followed through its changes. Tokens are occurrences, whose keys are
    /// numbers that a value keeps for as long as it is in the collection.
    case valueOccurrences(OccurrenceIndex, CollectionID, ElementKind)

    /// The index of the elements' positions if changes are followed; otherwise nil.
    var index: OccurrenceIndex? {
        switch self {
        case .occurrences(let index, _), .valueOccurrences(let index, _, _): index
        case .rows, .positions, .values: nil
        }
    }

    /// The table of the elements' rows; nil for plain values.
    var table: TableID? {
        switch self {
        case .rows(let table), .positions(_, let table), .occurrences(_, let table): table
        case .values, .valueOccurrences: nil
        }
    }

    /// Returns the result for a token: its object, or for plain values the position in the source.
    func result(_ token: Int64) -> ObjectKey {
        if case .valueOccurrences(let index, _, _) = self { return Int64(index.position(of: Int(token))) }
        return key(token)
    }

    /// Returns the identity of an element: its object, or the number of a plain value.
    @inline(__always)
    func key(_ token: Int64) -> ObjectKey {
        switch self {
        case .rows, .values: token
        case .positions(let keys, _): keys[Int(token)]
        case .occurrences(let index, _), .valueOccurrences(let index, _, _): index.key(of: Int(token))
        }
    }

    /// Returns the value of an element. If a link of the path is null, returns `unreached`.
    @inline(__always)
    func cell(
        _ path: ResolvedPath?, _ token: Int64, _ snapshot: Snapshot, unreached: Cell = .null
    ) -> Cell {
        switch self {
        case .values(let cells): return cells[Int(token)]
        case .valueOccurrences(let index, let id, let element):
            return snapshot.sequence(id, element).cell(at: index.position(of: Int(token)))
        case .rows(let table), .positions(_, let table), .occurrences(_, let table):
            guard let row = snapshot.table(table).row(key(token)), let cell = path!.cell(snapshot, row) else {
                return unreached
            }
            // A null link counts as the value null.
            return cell == .link(0) ? .null : cell
        }
    }

    /// Returns a negative number, 0 or a positive number if the source has `a` before, at or after the position of `b`.
    @inline(__always)
    func compare(_ a: Int64, _ b: Int64) -> Int {
        if let index {
            return a == b ? 0 : index.position(of: Int(a)) - index.position(of: Int(b))
        }
        return a < b ? -1 : a > b ? 1 : 0
    }
}
