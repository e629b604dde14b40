/// The ranks of the values of a column by which elements are sorted, for many rows at once. The column is one of the elements'
/// rows, or of the rows to which their links lead.
///
/// A rank is the number that ``CellOrder/rank(_:)`` returns, but strings are read where they lie: a rank is their first eight
/// bytes. Strings with equal ranks have further ranks, of seven bytes each. Words and links have one, which separates null and values
/// that are not reached from the words with the same rank.
struct ColumnRanks {
    private let table: Table
    /// The links to the rows of the column; nil if these are the elements' rows.
    private let route: LinkRoute?
    private let column: Int
    private let kind: ColumnKind
    private let order: CellOrder
    private let isAscending: Bool
    /// The rank of elements whose row does not exist.
    private let unreachedRank: Int64
    /// The leaf of the last row, and the one to which its link led, because neighbours follow each other.
    private var leaf: Leaf?
    private var linkedLeaf: Leaf?
    /// Whether values have further ranks.
    let hasFurtherRanks: Bool

    /// The number of further ranks of a value.
    static let furtherRanks = 8
    /// The lowest byte of a further rank if the string goes on behind its bytes. Smaller numbers mean that it ends there.
    private static let goesOn: Int64 = 17

    /// Creates the ranks for a sort key; fails if its values are not those of a column that is reached over to-one links alone.
    init?(_ key: SortKey, _ elements: Elements, _ snapshot: Snapshot) {
        guard let table = elements.table, let path = key.path, case .column(let column, let kind) = path.end
        else { return nil }
        route = LinkRoute(path.hops[...], snapshot)
        if route == nil, !path.hops.isEmpty { return nil }
        (self.table, self.column, self.kind) = (snapshot.table(table), column, kind)
        (order, isAscending, unreachedRank) = (key.order, key.isAscending, key.unreachedRank)
        if kind == .string, case .natural = order {
            hasFurtherRanks = StringLayout.current.isKnown
        } else {
            hasFurtherRanks = order.isRankExact(kind)
        }
    }

    /// Returns the buffer and the slot of a row's value, or nil if the row or one of its links does not lead to one.
    @inline(__always)
    private mutating func locate(_ key: ObjectKey) -> (buffer: ColumnBuffer, slot: Int)? {
        if leaf?.covers(key) != true { leaf = table.leaf(containing: key) }
        guard let leaf, let slot = leaf.slot(of: key) else { return nil }
        guard let route else { return (leaf.column(column), slot) }
        return route.end(leaf, slot, last: &linkedLeaf).map { ($0.leaf.column(column), $0.slot) }
    }

    /// Returns the rank of a row's value, like ``SortKey/rank(_:)``.
    @inline(__always)
    mutating func rank(of key: ObjectKey) -> Int64 {
        guard let (buffer, slot) = locate(key) else { return unreachedRank }
        let rank = rank(buffer, slot)
        return isAscending ? rank : ~rank
    }

    /// Whether the values are words that are equal if their ranks are.
    var isExact: Bool { order.isRankExact(kind) }

    /// The rank of a value that is not null, null, or nothing.
    enum Word {
        case word(UInt64)
        case null, unreached
    }

    /// Returns the rank of a row's value as a word that has no other meaning. The values must be exact.
    @inline(__always)
    mutating func word(of key: ObjectKey) -> Word {
        guard let (buffer, slot) = locate(key) else { return .unreached }
        let word = buffer.word(slot)
        if kind == .link ? word == 0 : buffer.isNull(slot) { return .null }
        if case .floatingPoint = order { return .word(UInt64(bitPattern: CellOrder.rank(word))) }
        return .word(word)
    }

    @inline(__always)
    private func rank(_ buffer: ColumnBuffer, _ slot: Int) -> Int64 {
        switch (kind, order) {
        case (.word, .natural): return buffer.isNull(slot) ? Int64.min : Int64(bitPattern: buffer.word(slot))
        case (.word, .floatingPoint):
            return buffer.isNull(slot) ? Int64.min : CellOrder.rank(buffer.word(slot))
        case (.string, .natural) where hasFurtherRanks:
            let (low, high) = buffer.data.assumingMemoryBound(to: (UInt64, UInt64).self)[slot]
            if StringBits(low: low, high: high).isInPlace {
                return Int64(bitPattern: UInt64(littleEndian: low).byteSwapped ^ (1 << 63))
            }
            if let storage = storage(buffer, slot) { return CellOrder.rank(storage) }
        case (.link, .natural) where buffer.word(slot) != 0: return Int64(bitPattern: buffer.word(slot))
        default: break
        }
        let cell = buffer.cell(slot, kind)
        return order.rank(cell == .link(0) ? .null : cell)
    }

    /// Returns the bytes of a string that are elsewhere in memory, or nil.
    private func storage(_ buffer: ColumnBuffer, _ slot: Int) -> UnsafeBufferPointer<UInt8>? {
        if buffer.large(slot, .string) != nil { return nil }
        let (low, high) = buffer.data.assumingMemoryBound(to: (UInt64, UInt64).self)[slot]
        let bits = StringBits(low: low, high: high)
        return bits.isElsewhere ? bits.storage : nil
    }

    /// Returns a further rank of a row's value, counted from 0. It orders values whose earlier ranks are equal: null before words,
    /// and these before values that are not reached, with 0 as the lowest byte. Of strings:
    ///
    ///     ┌───────────────────────────────────┬─────────────────────────────┐
    ///     │ 7 bytes from 8 + 7 · number on    │ 0: null; else 1 + the count │
    ///     └───────────────────────────────────┴─────────────────────────────┘
    ///                                           of bytes from 7 · number on, at most 16
    mutating func furtherRank(_ number: Int, of key: ObjectKey) -> Int64 {
        let rank: Int64
        guard let (buffer, slot) = locate(key) else {
            let last = Int64.max & ~0xFF
            return isAscending ? last : ~last
        }
        if kind != .string {
            rank = kind == .word && buffer.isNull(slot) ? Int64.min : 0
        } else if let storage = storage(buffer, slot) {
            rank = ColumnRanks.furtherRank(number, storage)
        } else if case .string(let string) = buffer.cell(slot, .string) {
            var string = string
            rank = string.withUTF8 { ColumnRanks.furtherRank(number, $0) }
        } else {
            rank = Int64.min
        }
        return isAscending ? rank : ~rank
    }

    private static func furtherRank(_ number: Int, _ bytes: UnsafeBufferPointer<UInt8>) -> Int64 {
        let start = 8 + 7 * number
        var word: UInt64 = 0
        for index in start..<start + 7 { word = word << 8 | (index < bytes.count ? UInt64(bytes[index]) : 0) }
        let rest = UInt64(min(max(bytes.count - start + 8, 0), 16))
        return Int64(bitPattern: (word << 8 | rest + 1) ^ (1 << 63))
    }

    /// Returns whether strings with this further rank, and equal ranks before, are equal.
    func isLast(furtherRank rank: Int64) -> Bool {
        (isAscending ? rank : ~rank) & 0xFF < ColumnRanks.goesOn
    }
}

extension Array<ElementOrder.Ranked> {
    /// Calls `body` with each range of several elements with equal ranks.
    fileprivate func forEachTie(_ body: (Range<Int>) -> Void) {
        var start = 0
        for index in indices.dropFirst() where self[index].rank != self[start].rank {
            if index - start > 1 { body(start..<index) }
            start = index
        }
        if count - start > 1 { body(start..<count) }
    }
}

extension ElementOrder {
    /// Returns elements with their ranks, sorted by the keys.
    ///
    /// - Parameter keepsTies: whether elements with equal keys keep their order; otherwise they are in that of the source.
    func sorted(
        _ tokens: [Int64], keepsTies: Bool, _ elements: Elements, _ snapshot: Snapshot
    ) -> [Ranked] {
        var sorting = Sorting(
            order: self, keepsTies: keepsTies, elements: elements, snapshot: snapshot,
            ranks: keys.map { ColumnRanks($0, elements, snapshot) })
        return sorting.sorted(tokens)
    }
}

/// One run of sorting: by the ranks of the first key, then, among equal ones, by further ranks and by those of the next keys.
private struct Sorting {
    typealias Ranked = ElementOrder.Ranked

    let order: ElementOrder
    let keepsTies: Bool
    let elements: Elements
    let snapshot: Snapshot
    /// The ranks of each key, or nil for keys whose values are not in a column of the elements' rows.
    var ranks: [ColumnRanks?]

    /// At most as many elements with equal ranks are compared one by one.
    private static let few = 16

    mutating func sorted(_ tokens: [Int64]) -> [Ranked] {
        guard !order.keys.isEmpty else {
            var entries = tokens.map { order.ranked($0, elements, snapshot) }
            entries.sortByRank()
            let isTied = entries.first?.rank == entries.last?.rank
            return isTied ? compared(entries[...], by: 0) : entries
        }
        var entries: [Ranked] = []
        entries.reserveCapacity(tokens.count)
        for token in tokens { entries.append(Ranked(rank: rank(token, by: 0), token: token)) }
        entries.sortByRank()
        settleTies(of: 0, in: &entries)
        return entries
    }

    @inline(__always)
    private mutating func rank(_ token: Int64, by key: Int) -> Int64 {
        // The key is used in place, because a copy would count references.
        ranks[key]?.rank(of: elements.key(token))
            ?? order.keys[key].rank(order.keys[key].cell(elements, token, snapshot))
    }

    /// Puts elements with equal ranks of a key in their order. Their entries keep the rank.
    private mutating func settleTies(of key: Int, in entries: inout [Ranked]) {
        var ties: [Range<Int>] = []
        entries.forEachTie { ties.append($0) }
        let isLast = key == order.keys.count - 1
        for tie in ties {
            let isDecided = order.isDecided(key, by: entries[tie.lowerBound].rank)
            if isDecided, isLast, keepsTies { continue }
            let settled =
                isDecided
                ? sorted(entries[tie], by: key + 1) : settled(entries[tie], of: key, further: 0)
            for (index, entry) in zip(tie, settled) { entries[index].token = entry.token }
        }
    }

    /// Returns elements whose values of the keys before a key are equal, in their order.
    private mutating func sorted(_ tied: ArraySlice<Ranked>, by key: Int) -> [Ranked] {
        guard key < order.keys.count, tied.count > Sorting.few else { return compared(tied, by: key) }
        var entries: [Ranked] = []
        entries.reserveCapacity(tied.count)
        for entry in tied { entries.append(Ranked(rank: rank(entry.token, by: key), token: entry.token)) }
        entries.sortByRank()
        settleTies(of: key, in: &entries)
        return entries
    }

    /// Returns elements whose ranks of a key are equal, but not necessarily their values, in their order.
    private mutating func settled(
        _ tied: ArraySlice<Ranked>, of key: Int, further number: Int
    ) -> [Ranked] {
        guard let ranks = ranks[key], ranks.hasFurtherRanks, tied.count > Sorting.few,
            number < ColumnRanks.furtherRanks
        else { return compared(tied, by: key) }
        var entries = tied.map {
            Ranked(rank: self.ranks[key]!.furtherRank(number, of: elements.key($0.token)), token: $0.token)
        }
        entries.sortByRank()
        var ties: [Range<Int>] = []
        entries.forEachTie { ties.append($0) }
        for tie in ties {
            let settled =
                ranks.isLast(furtherRank: entries[tie.lowerBound].rank)
                ? sorted(entries[tie], by: key + 1) : settled(entries[tie], of: key, further: number + 1)
            entries.replaceSubrange(tie, with: settled)
        }
        return entries
    }

    /// Returns elements whose values of the keys before a key are equal, sorted by comparing the values of the others.
    private func compared(_ tied: ArraySlice<Ranked>, by key: Int) -> [Ranked] {
        if key == order.keys.count, keepsTies { return Array(tied) }
        return tied.sorted { a, b in
            for index in key..<order.keys.count {
                let result = order.compare(a.token, b.token, by: index, elements, snapshot)
                if result != 0 { return result < 0 }
            }
            return !keepsTies && elements.compare(a.token, b.token) < 0
        }
    }
}
