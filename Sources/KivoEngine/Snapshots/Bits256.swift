/// A set of slots of one leaf: 256 bits.
@usableFromInline package struct Bits256: Sendable, Equatable {
    /// The words, lowest slots first.
    @usableFromInline package var words: (UInt64, UInt64, UInt64, UInt64)

    /// Creates an empty set.
    @inlinable
    package init() { words = (0, 0, 0, 0) }

    /// Creates a set from its four words, lowest slots first.
    @inlinable
    package init(_ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: UInt64) { words = (a, b, c, d) }

    /// Creates the set of the slots in a range.
    @usableFromInline package init(_ range: Range<Int>) {
        self.init()
        for index in 0..<4 {
            let (low, high) = (max(range.lowerBound - index << 6, 0), min(range.upperBound - index << 6, 64))
            if low >= high { continue }
            self[word: index] = (high == 64 ? ~0 : 1 << UInt64(high) - 1) & ~(1 << UInt64(low) - 1)
        }
    }

    /// All slots.
    @usableFromInline package static let all = Bits256(.max, .max, .max, .max)

    /// Returns whether two sets contain the same slots.
    @usableFromInline package static func == (a: Bits256, b: Bits256) -> Bool { a.words == b.words }

    /// A Boolean value that indicates whether the set is empty.
    @usableFromInline package var isEmpty: Bool { words.0 | words.1 | words.2 | words.3 == 0 }

    /// The number of slots in the set.
    @usableFromInline package var count: Int {
        words.0.nonzeroBitCount + words.1.nonzeroBitCount + words.2.nonzeroBitCount + words.3.nonzeroBitCount
    }

    /// The word at an index (0 ..< 4).
    @inlinable
    package subscript(word index: Int) -> UInt64 {
        get {
            switch index {
            case 0: words.0
            case 1: words.1
            case 2: words.2
            default: words.3
            }
        }
        set {
            switch index {
            case 0: words.0 = newValue
            case 1: words.1 = newValue
            case 2: words.2 = newValue
            default: words.3 = newValue
            }
        }
    }

    /// The slots `32 * index` to `32 * index + 31`, lowest first.
    subscript(group32 index: Int) -> UInt32 {
        get { UInt32(truncatingIfNeeded: self[word: index >> 1] >> UInt64((index & 1) << 5)) }
        set {
            let shift = UInt64((index & 1) << 5)
            let others = self[word: index >> 1] & ~(UInt64(UInt32.max) << shift)
            self[word: index >> 1] = others | UInt64(newValue) << shift
        }
    }

    /// Returns the set with all slots moved up, or down if `distance` is negative. Slots that leave the 256 are dropped.
    @usableFromInline package func shifted(by distance: Int) -> Bits256 {
        if distance == 0 { return self }
        let (words, bits) = (abs(distance) >> 6, UInt64(abs(distance) & 63))
        var result = Bits256()
        for index in 0..<4 {
            let source = distance > 0 ? index - words : index + words
            guard source >= 0, source < 4 else { continue }
            if distance > 0 {
                let carried = bits > 0 && source > 0 ? self[word: source - 1] >> (64 - bits) : 0
                result[word: index] = self[word: source] << bits | carried
            } else {
                let carried = bits > 0 && source < 3 ? self[word: source + 1] << (64 - bits) : 0
                result[word: index] = self[word: source] >> bits | carried
            }
        }
        return result
    }

    /// Returns whether a slot (0 ..< 256) is in the set.
    @inlinable
    package func contains(_ slot: Int) -> Bool { self[word: slot >> 6] >> UInt64(slot & 63) & 1 != 0 }

    /// Adds a slot.
    @inlinable
    package mutating func insert(_ slot: Int) { self[word: slot >> 6] |= 1 << UInt64(slot & 63) }

    /// Removes a slot.
    @inlinable
    package mutating func remove(_ slot: Int) { self[word: slot >> 6] &= ~(1 << UInt64(slot & 63)) }

    /// Returns the number of slots of the set below `slot` (0 ... 256).
    @usableFromInline package func rank(_ slot: Int) -> Int {
        var sum = 0
        for index in 0..<(slot >> 6) { sum += self[word: index].nonzeroBitCount }
        if slot & 63 != 0 { sum += (self[word: slot >> 6] & (1 << UInt64(slot & 63) - 1)).nonzeroBitCount }
        return sum
    }

    /// Returns the slot at position `rank` (0 ..< count) of the set in ascending order.
    @usableFromInline package func select(_ rank: Int) -> Int {
        var rest = rank
        for index in 0..<4 {
            var word = self[word: index]
            let ones = word.nonzeroBitCount
            if rest >= ones {
                rest -= ones
                continue
            }
            for _ in 0..<rest { word &= word - 1 }
            return index << 6 + word.trailingZeroBitCount
        }
        fatalError("rank \(rank) is outside of a set of \(count) slots")
    }

    /// Returns the smallest slot of the set that is at least `slot`, or nil if there is none.
    @inlinable
    package func next(from slot: Int) -> Int? {
        guard slot < 256 else { return nil }
        var index = slot >> 6
        var word = self[word: index] & (~0 << UInt64(slot & 63))
        while word == 0 {
            index += 1
            if index == 4 { return nil }
            word = self[word: index]
        }
        return index << 6 + word.trailingZeroBitCount
    }

    /// The largest slot of the set, or nil if the set is empty.
    var last: Int? {
        for index in (0..<4).reversed() where self[word: index] != 0 {
            return index << 6 + 63 - self[word: index].leadingZeroBitCount
        }
        return nil
    }

    /// Calls `body` with each slot, ascending.
    @usableFromInline package func forEach(_ body: (Int) -> Void) {
        for index in 0..<4 {
            var word = self[word: index]
            while word != 0 {
                body(index << 6 + word.trailingZeroBitCount)
                word &= word - 1
            }
        }
    }

    /// Returns the slots in either set.
    @usableFromInline package static func | (a: Bits256, b: Bits256) -> Bits256 {
        Bits256(
            a.words.0 | b.words.0, a.words.1 | b.words.1, a.words.2 | b.words.2, a.words.3 | b.words.3)
    }

    /// Returns the slots in both sets.
    @usableFromInline package static func & (a: Bits256, b: Bits256) -> Bits256 {
        Bits256(
            a.words.0 & b.words.0, a.words.1 & b.words.1, a.words.2 & b.words.2, a.words.3 & b.words.3)
    }

    /// Returns the slots of the set that are not in `other`.
    @usableFromInline package func subtracting(_ other: Bits256) -> Bits256 {
        Bits256(
            words.0 & ~other.words.0, words.1 & ~other.words.1, words.2 & ~other.words.2,
            words.3 & ~other.words.3)
    }
}
