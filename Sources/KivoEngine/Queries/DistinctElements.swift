/// A selection of elements that differ from each other by some keys: the first of each group with equal values.
///
/// Words are their groups' keys; groups of other values are found by hashes, and their first elements are compared.
struct DistinctElements {
    private let keys: [SortKey]
    private let elements: Elements
    private let snapshot: Snapshot

    init(_ keys: [SortKey], _ elements: Elements, _ snapshot: Snapshot) {
        (self.keys, self.elements, self.snapshot) = (keys, elements, snapshot)
    }

    /// Returns the first element of each group, in their order. Elements with a null link on the way to a key are left out. O(n).
    func first(of tokens: [Int64]) -> [Int64] {
        if keys.count == 1, let ranks = ColumnRanks(keys[0], elements, snapshot), ranks.isExact {
            return first(of: tokens, ranks)
        }
        var groups = GroupTable(min(tokens.count, DistinctElements.cachedGroups))
        return tokens.filter { token in
            guard let hash = hash(token) else { return false }
            return groups.insert(token, hash) { areEqual(token, $0) }
        }
    }

    /// Returns the first element of each group of equal words.
    ///
    /// Once there are many groups, the other elements are partitioned by their hashes, so that a cache holds the table of each
    /// part. A table of all groups would wait for memory for each element.
    private func first(of tokens: [Int64], _ ranks: ColumnRanks) -> [Int64] {
        var (ranks, hasNull) = (ranks, false)
        var isFirst = [Bool](repeating: false, count: tokens.count)
        var groups = GroupTable(min(tokens.count, DistinctElements.cachedGroups))
        var others: [ElementOrder.Ranked] = []
        for (position, token) in tokens.enumerated() {
            switch ranks.word(of: elements.key(token)) {
            case .unreached: break
            case .null:
                isFirst[position] = !hasNull
                hasNull = true
            case .word(let word):
                // Different words have different hashes.
                let hash = Cell.mix(word ^ Cell.processSeed)
                if groups.count < DistinctElements.cachedGroups {
                    isFirst[position] = groups.insert(Int64(position), hash) { _ in true }
                } else {
                    if others.isEmpty { others = groups.entries }
                    others.append(ElementOrder.Ranked(rank: Int64(bitPattern: hash), token: Int64(position)))
                }
            }
        }
        for part in others.partition() {
            var groups = GroupTable(part.count)
            for entry in others[part]
            where groups.insert(entry.token, UInt64(bitPattern: entry.rank), { _ in true }) {
                isFirst[Int(entry.token)] = true
            }
        }
        var firsts: [Int64] = []
        firsts.reserveCapacity(isFirst.count { $0 })
        for (position, token) in tokens.enumerated() where isFirst[position] { firsts.append(token) }
        return firsts
    }

    /// The number of groups whose table is smaller than the caches of a processor.
    private static let cachedGroups = 1 << 14

    /// Returns a hash that is equal for elements of the same group, or nil if a key is not reached.
    private func hash(_ token: Int64) -> UInt64? {
        var hash: UInt64 = 0
        for index in keys.indices {
            // The key is used in place, because a copy would count references.
            let cell = keys[index].cell(elements, token, snapshot)
            if !SortKey.isReached(cell) { return nil }
            hash = Cell.mix(hash ^ keys[index].order.groupHash(of: cell))
        }
        return hash
    }

    private func areEqual(_ a: Int64, _ b: Int64) -> Bool {
        keys.indices.allSatisfy { index in
            let (x, y) = (keys[index].cell(elements, a, snapshot), keys[index].cell(elements, b, snapshot))
            return keys[index].order.compare(x, y) == 0
        }
    }
}

/// A set of groups: a hash table of which at most two thirds are used. Owns its memory.
private struct GroupTable: ~Copyable {
    /// The key of each group, and its first token plus one, which is 0 in unused slots.
    private var slots: UnsafeMutableBufferPointer<SIMD2<UInt64>>
    private(set) var count = 0
    private let seed = Cell.processSeed

    /// Creates an empty set with room for a number of groups.
    init(_ groups: Int) {
        slots = GroupTable.zeroed(1 << (Int.bitWidth - (groups + groups / 2 + 2).leadingZeroBitCount))
    }

    deinit { slots.deallocate() }

    private static func zeroed(_ count: Int) -> UnsafeMutableBufferPointer<SIMD2<UInt64>> {
        let slots = UnsafeMutableBufferPointer<SIMD2<UInt64>>.allocate(capacity: count)
        slots.initialize(repeating: SIMD2())
        return slots
    }

    /// Inserts the group of an element. Returns false if it is in the set already.
    ///
    /// - Parameter isSame: whether the element with a token is of the same group, if its group has the same key.
    @inline(__always)
    mutating func insert(_ token: Int64, _ key: UInt64, _ isSame: (_ first: Int64) -> Bool) -> Bool {
        var index = index(key)
        while slots[index][1] != 0 {
            if slots[index][0] == key, isSame(Int64(bitPattern: slots[index][1] &- 1)) { return false }
            index = (index &+ 1) & (slots.count &- 1)
        }
        slots[index] = SIMD2(key, UInt64(bitPattern: token) &+ 1)
        count &+= 1
        if count &* 3 > slots.count &* 2 { grow() }
        return true
    }

    /// The keys of the groups as ranks, with their first tokens.
    var entries: [ElementOrder.Ranked] {
        slots.filter { $0[1] != 0 }.map {
            ElementOrder.Ranked(rank: Int64(bitPattern: $0[0]), token: Int64(bitPattern: $0[1] &- 1))
        }
    }

    @inline(__always)
    private func index(_ key: UInt64) -> Int {
        // The seed keeps chosen words from colliding.
        Int(truncatingIfNeeded: Cell.mix(key ^ seed)) & (slots.count &- 1)
    }

    private mutating func grow() {
        let old = slots
        slots = GroupTable.zeroed(old.count * 4)
        for group in old where group[1] != 0 {
            var index = index(group[0])
            while slots[index][1] != 0 { index = (index &+ 1) & (slots.count &- 1) }
            slots[index] = group
        }
        old.deallocate()
    }
}
