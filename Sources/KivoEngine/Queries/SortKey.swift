/// A key to sort by.
public struct SortKey: Sendable {
    /// The way from an element to its value; nil for elements that are plain values, which sort by themselves.
    public var path: ResolvedPath?
    /// How the values compare.
    public var order: CellOrder
    /// Whether small values come first.
    public var isAscending: Bool
    /// Whether the key groups elements instead of ordering them.
    private var isGrouping = false

    /// A key of a path that leads to one value, or of the elements themselves.
    public init(_ path: ResolvedPath?, _ order: CellOrder, isAscending: Bool) {
        self.path = path
        self.order = order
        self.isAscending = isAscending
    }
}

extension SortKey {
    /// The stand-in for the value of an element that the key does not reach, because a link on the way is null. It sorts after
    /// all values; null, as a value, before them.
    private static let unreached = Cell.link(0)

    /// The key as one that groups elements: behind a null link, a value is null.
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
