/// The values by which the elements of a group are equal, as the key of a dictionary.
struct CellGroup: Hashable {
    let cells: [Cell]
    private let orders: [CellOrder]
    private let hash: Int

    /// Creates a group from a single plain value.
    init(_ cell: Cell) {
        cells = [cell]
        orders = [.natural]
        hash = Int(truncatingIfNeeded: cell.indexHash(seed: Cell.processSeed))
    }

    init(_ cells: [Cell], _ keys: [SortKey]) {
        self.cells = cells
        orders = keys.map { $0.order }
        var hasher = Hasher()
        for (cell, key) in zip(cells, keys) { hasher.combine(key.order.groupHash(of: cell)) }
        hash = hasher.finalize()
    }

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    static func == (a: CellGroup, b: CellGroup) -> Bool {
        zip(a.orders, zip(a.cells, b.cells)).allSatisfy { $0.compare($1.0, $1.1) == 0 }
    }
}

extension CellOrder {
    /// Returns a hash that is equal for cells that the order does not tell apart.
    @inline(__always)
    func groupHash(of cell: Cell) -> UInt64 {
        if case .natural = self { return cell.indexHash(seed: Cell.processSeed) }
        return UInt64(bitPattern: rank(cell))
    }
}
