/// A set of values that answers membership in O(1).
@usableFromInline package struct CellSet: Sendable {
    /// The values, each once, in their first order.
    @usableFromInline package let cells: [Cell]
    private let indexes: [UInt64: [Int]]
    let order: CellOrder

    /// Creates a set of values. Doubles are compared as numbers: NaN equals nothing.
    @usableFromInline package init(_ cells: [Cell], _ order: CellOrder) {
        var (kept, indexes): ([Cell], [UInt64: [Int]]) = ([], [:])
        self.order = order
        for cell in cells {
            let hash = CellSet.hash(cell, order)
            let isKnown = indexes[hash]?.contains { ComparisonOperator.equal.holds(kept[$0], cell, order) }
            if isKnown == true { continue }
            indexes[hash, default: []].append(kept.count)
            kept.append(cell)
        }
        self.cells = kept
        self.indexes = indexes
    }

    func contains(_ cell: Cell) -> Bool {
        guard let candidates = indexes[CellSet.hash(cell, order)] else { return false }
        return candidates.contains { ComparisonOperator.equal.holds(cells[$0], cell, order) }
    }

    /// Returns a hash that is equal for values that are equal by the order.
    private static func hash(_ cell: Cell, _ order: CellOrder) -> UInt64 {
        switch (order, cell) {
        case (_, .null): cell.indexHash(seed: Cell.processSeed)
        case (.natural, _): cell.indexHash(seed: Cell.processSeed)
        default: UInt64(bitPattern: order.rank(cell))
        }
    }
}
