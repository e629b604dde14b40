/// A key to sort by.
package struct SortKey: Sendable {
    /// The path from an element to its value; nil for plain values, which sort by themselves.
    package var path: ResolvedPath?
    /// The order by which the values are compared.
    package var order: CellOrder
    /// A Boolean value that indicates whether small values come first.
    package var isAscending: Bool
    /// Whether the key groups elements instead of ordering them.
    private var isGrouping = false

    /// Creates a key from a path that leads to one value, or nil for the elements themselves.
    package init(_ path: ResolvedPath?, _ order: CellOrder, isAscending: Bool) {
        self.path = path
        self.order = order
        self.isAscending = isAscending
    }
}

extension SortKey {
    /// The placeholder for the value of an element after a null link. It sorts after all values, whereas null, as a value, sorts
    /// before them.
    private static let unreached = Cell.link(0)

    /// The key as one that groups elements: a value after a null link is null.
    var grouping: SortKey {
        var key = self
        key.isGrouping = true
        return key
    }

    @inline(__always)
    func cell(_ elements: Elements, _ token: Int64, _ snapshot: Snapshot) -> Cell {
        elements.cell(path, token, snapshot, unreached: isGrouping ? .null : Self.unreached)
    }

    func rank(_ cell: Cell) -> Int64 {
        let rank = cell == Self.unreached ? Int64.max : order.rank(cell)
        return isAscending ? rank : ~rank
    }

    func compare(_ a: Cell, _ b: Cell) -> Int {
        let result =
            switch (a == Self.unreached, b == Self.unreached) {
            case (false, false): order.compare(a, b)
            case (true, true): 0
            case (let isLater, _): isLater ? 1 : -1
            }
        return isAscending ? result : -result
    }
}
