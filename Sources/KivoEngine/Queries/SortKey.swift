/// A key to sort by.
public struct SortKey: Sendable {
    /// The way from an element to its value; nil for elements that are plain values, which sort by themselves.
    public var path: ResolvedPath?
    /// How the values compare.
    public var order: CellOrder
    /// Whether small values come first.
    public var isAscending: Bool

    /// A key of a path that leads to one value, or of the elements themselves.
    public init(_ path: ResolvedPath?, _ order: CellOrder, isAscending: Bool) {
        self.path = path
        self.order = order
        self.isAscending = isAscending
    }
}

extension SortKey {
    /// What there is behind a link that is null: more than any value, which null is not.
    private static let nothing = Cell.link(0)

    @inline(__always)
    func cell(_ elements: Elements, _ token: Int64, _ snapshot: Snapshot) -> Cell {
        elements.cell(path, token, snapshot, behindNull: SortKey.nothing)
    }

    func rank(_ cell: Cell) -> Int64 {
        let rank = cell == SortKey.nothing ? Int64.max : order.rank(cell)
        return isAscending ? rank : ~rank
    }

    func compare(_ a: Cell, _ b: Cell) -> Int {
        let result =
            switch (a == SortKey.nothing, b == SortKey.nothing) {
            case (false, false): order.compare(a, b)
            case (let isNothing, let other): (isNothing ? 1 : 0) - (other ? 1 : 0)
            }
        return isAscending ? result : -result
    }
}
