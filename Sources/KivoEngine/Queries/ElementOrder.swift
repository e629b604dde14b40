/// A key to sort by.
public struct SortKey: Sendable {
    /// The way from an element to its value; nil for elements that are plain values, which sort by themselves.
    public var path: ValuePath?
    /// How the values compare.
    public var order: CellOrder
    /// Whether small values come first.
    public var isAscending: Bool

    /// A key of a path that leads to one value, or of the elements themselves.
    public init(_ path: ValuePath?, _ order: CellOrder, isAscending: Bool) {
        self.path = path
        self.order = order
        self.isAscending = isAscending
    }
}

/// The elements that a query picks from and orders, by tokens: numbers that stand for one element each.
enum Elements {
    /// The rows of a table. Tokens are keys, in the order of keys.
    case rows(TableID)
    /// The objects of a list. Tokens are positions.
    case positions([ObjectKey], TableID)
    /// The plain values of a collection. Tokens are positions.
    case values([Cell])
    /// The occurrences of objects in a list that is followed through its changes. Tokens are occurrences.
    case occurrences(OccurrenceIndex, TableID)

    /// The object of a token; for plain values, their position.
    @inline(__always)
    func key(_ token: Int64) -> ObjectKey {
        switch self {
        case .rows, .values: token
        case .positions(let keys, _): keys[Int(token)]
        case .occurrences(let index, _): index.key(of: Int(token))
        }
    }

    /// The value of an element, null where a link on the way is.
    @inline(__always)
    func cell(_ path: ValuePath?, _ token: Int64, _ snapshot: Snapshot) -> Cell {
        switch self {
        case .values(let cells): return cells[Int(token)]
        case .rows(let table), .positions(_, let table), .occurrences(_, let table):
            guard let row = snapshot.table(table).row(key(token)), let cell = path!.cell(snapshot, row) else {
                return .null
            }
            // A link that is null is no other than one behind a link that is.
            return cell == .link(0) ? .null : cell
        }
    }

    /// Negative, 0 or positive, as the source has one element before, at or after the place of the other.
    @inline(__always)
    func compare(_ a: Int64, _ b: Int64) -> Int {
        if case .occurrences(let index, _) = self {
            return a == b ? 0 : index.position(of: Int(a)) - index.position(of: Int(b))
        }
        return a < b ? -1 : a > b ? 1 : 0
    }
}

/// The order of a query's elements: by keys, ties as the source has them.
///
/// An element's first key is boiled down to a rank, a number that decides most comparisons; only elements of equal rank
/// are looked at themselves.
struct ElementOrder: Sendable {
    let keys: [SortKey]
    /// Whether equal ranks, but for null's, are equal first keys.
    private let isRankExact: Bool

    init(_ keys: [SortKey]) {
        self.keys = keys
        isRankExact =
            keys.first.map { key in
                guard let path = key.path, case .column(_, let kind) = path.end else { return false }
                return key.order.isRankExact(kind)
            } ?? true
    }

    /// An element and its rank.
    struct Ranked {
        var rank: Int64
        var token: Int64
    }

    func ranked(_ token: Int64, _ elements: Elements, _ snapshot: Snapshot) -> Ranked {
        guard let first = keys.first else {
            // In the order of the source, the keys of rows are ranks that leave nothing open.
            if case .rows = elements { return Ranked(rank: token, token: token) }
            return Ranked(rank: 0, token: token)
        }
        return Ranked(rank: first.rank(first.cell(elements, token, snapshot)), token: token)
    }

    /// Negative, 0 or positive, as one element is before, at or after the place of the other.
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

    /// Compares two elements of one rank by their keys.
    func compareKeys(
        _ a: Int64, _ b: Int64, _ rank: Int64, _ elements: Elements, _ snapshot: Snapshot
    ) -> Int {
        let isDecided = isRankExact && rank != Int64.min && rank != Int64.max
        for key in keys.dropFirst(isDecided ? 1 : 0) {
            let result = key.compare(key.cell(elements, a, snapshot), key.cell(elements, b, snapshot))
            if result != 0 { return result }
        }
        return 0
    }

    /// As ``compare(_:_:_:_:)``, but by the keys alone, of which some values are given.
    func compare(_ cells: [Cell], _ token: Int64, _ elements: Elements, _ snapshot: Snapshot) -> Int {
        for (cell, key) in zip(cells, keys) {
            let result = key.compare(cell, key.cell(elements, token, snapshot))
            if result != 0 { return result }
        }
        return 0
    }
}

extension SortKey {
    @inline(__always)
    func cell(_ elements: Elements, _ token: Int64, _ snapshot: Snapshot) -> Cell {
        elements.cell(path, token, snapshot)
    }

    func rank(_ cell: Cell) -> Int64 {
        let rank = order.rank(cell)
        return isAscending ? rank : ~rank
    }

    func compare(_ a: Cell, _ b: Cell) -> Int {
        let result = order.compare(a, b)
        return isAscending ? result : -result
    }
}
