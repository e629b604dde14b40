/// The order of a query's elements: by keys, then by the order of the source.
///
/// An element's first key is reduced to a rank, a number that decides most comparisons. Values are read only if ranks are equal.
struct ElementOrder: Sendable {
    let keys: [SortKey]
    /// Whether equal ranks mean equal first keys. The rank of null is an exception.
    private let isRankExact: Bool

    init(_ keys: [SortKey]) {
        self.keys = keys
        isRankExact = keys.first.map(\.isRankExact) ?? true
    }

    /// An element with its rank.
    struct Ranked {
        var rank: Int64
        var token: Int64
    }

    func ranked(_ token: Int64, _ elements: Elements, _ snapshot: Snapshot) -> Ranked {
        if keys.isEmpty {
            // In the order of the source, the keys of rows are complete ranks.
            if case .rows = elements { return Ranked(rank: token, token: token) }
            return Ranked(rank: 0, token: token)
        }
        // The key is used in place, because a copy would count references.
        return Ranked(rank: keys[0].rank(keys[0].cell(elements, token, snapshot)), token: token)
    }

    /// Returns a negative number, 0 or a positive number if `a` is ordered before, equal to or after `b`.
    @inline(__always)
    func compare(_ a: Ranked, _ b: Ranked, _ elements: Elements, _ snapshot: Snapshot) -> Int {
        if a.rank != b.rank { return a.rank < b.rank ? -1 : 1 }
        return compareTied(a, b, elements, snapshot)
    }

    private func compareTied(_ a: Ranked, _ b: Ranked, _ elements: Elements, _ snapshot: Snapshot) -> Int {
        if a.token == b.token { return 0 }
        let result = compareKeys(a.token, b.token, a.rank, elements, snapshot)
        return result == 0 ? elements.compare(a.token, b.token) : result
    }

    /// Whether elements with this rank of a key have equal values of the key.
    func isDecided(_ key: Int, by rank: Int64) -> Bool {
        (key == 0 ? isRankExact : keys[key].isRankExact) && rank != Int64.min && rank != Int64.max
    }

    /// Compares two elements of equal rank by their keys.
    private func compareKeys(
        _ a: Int64, _ b: Int64, _ rank: Int64, _ elements: Elements, _ snapshot: Snapshot
    ) -> Int {
        for key in keys.indices.dropFirst(isDecided(0, by: rank) ? 1 : 0) {
            let result = compare(a, b, by: key, elements, snapshot)
            if result != 0 { return result }
        }
        return 0
    }

    /// Compares two elements by one key.
    func compare(
        _ a: Int64, _ b: Int64, by key: Int, _ elements: Elements, _ snapshot: Snapshot
    ) -> Int {
        // The key is used in place, because a copy would count references.
        keys[key].compare(keys[key].cell(elements, a, snapshot), keys[key].cell(elements, b, snapshot))
    }

    /// Compares given values of the keys with an element, like ``compare(_:_:_:_:)`` but by the keys alone.
    func compare(_ cells: [Cell], _ token: Int64, _ elements: Elements, _ snapshot: Snapshot) -> Int {
        for (cell, key) in zip(cells, keys) {
            let result = key.compare(cell, key.cell(elements, token, snapshot))
            if result != 0 { return result }
        }
        return 0
    }
}

/// A key to sort by.
package struct SortKey: Sendable {
    /// The path from an element to its value; nil for plain values, which sort by themselves.
    package var path: ResolvedPath?
    /// The order by which the values are compared.
    package var order: CellOrder
    /// A Boolean value that indicates whether small values come first.
    package var isAscending: Bool

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

    /// Whether a null link can be on the way to the value.
    var hasLinks: Bool { path.map { !$0.hops.isEmpty } ?? false }

    /// Returns whether a cell of the key is a value, and not what stands for one after a null link.
    static func isReached(_ cell: Cell) -> Bool { cell != unreached }

    /// Whether equal ranks mean equal values, except for the rank of null.
    var isRankExact: Bool {
        guard let path, case .column(_, let kind) = path.end else { return false }
        return order.isRankExact(kind)
    }

    @inline(__always)
    func cell(_ elements: Elements, _ token: Int64, _ snapshot: Snapshot) -> Cell {
        elements.cell(path, token, snapshot, unreached: Self.unreached)
    }

    /// The rank of an element whose value is not reached.
    var unreachedRank: Int64 { rank(Self.unreached) }

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
