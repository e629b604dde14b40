extension ValueTest {
    /// Returns a scan of a column, or nil if the test cannot compare it as a whole.
    func scan(_ column: Int, _ kind: ColumnKind) -> LeafScan? {
        switch self {
        case .always(let value): return { _, candidates in value ? candidates : Bits256() }
        case .both(let a, let b):
            guard let first = a.scan(column, kind), let second = b.scan(column, kind) else { return nil }
            return { leaf, candidates in second(leaf, first(leaf, candidates)) }
        case .compare(let comparison, let cell, let order):
            return ValueTest.scan(column, kind, comparison, cell, order)
        case .oneOf(let set): return set.scan(column, kind)
        case .text(let test): return kind == .string ? test.scan(column) : nil
        case .either(let tests):
            let scans = tests.compactMap { $0.scan(column, kind) }
            return scans.count == tests.count ? ValueTest.scanForOne(of: scans) : nil
        case .rule: return nil
        }
    }

    /// Returns a scan for what one of several scans finds. Each is asked only for what the others did not find.
    static func scanForOne(of scans: [LeafScan]) -> LeafScan {
        { leaf, candidates in
            var (matches, remaining) = (Bits256(), candidates)
            for scan in scans where !remaining.isEmpty {
                matches = matches | scan(leaf, remaining)
                remaining = remaining.subtracting(matches)
            }
            return matches
        }
    }

    private static func scan(
        _ column: Int, _ kind: ColumnKind, _ comparison: ComparisonOperator, _ cell: Cell, _ order: CellOrder
    ) -> LeafScan? {
        switch (kind, cell) {
        case (.word, .null), (.wide, .null):
            return scanForNull(comparison) { leaf, candidates in leaf.column(column).nulls & candidates }
        case (.string, .null):
            return scanForNull(comparison) { leaf, candidates in
                leaf.column(column).nullStrings(candidates)
            }
        case (.word, .word(let word)):
            switch order {
            case .natural: return comparison.scan(column, Int64(bitPattern: word))
            case .floatingPoint: return comparison.scan(column, Double(bitPattern: word))
            case .custom, .mixed: return nil
            }
        case (.link, .link(let key)):
            return { leaf, candidates in
                let buffer = leaf.column(column)
                let keys = buffer.data.assumingMemoryBound(to: ObjectKey.self)
                return comparison.matches(keys, buffer.capacity, key) & candidates
            }
        case (.wide, .wide(let high, let low)):
            guard case .natural = order, comparison == .equal || comparison == .notEqual else { return nil }
            let isInverted = comparison == .notEqual
            return { leaf, candidates in
                let matches = leaf.column(column).slots(candidates, holding: (high, low))
                return isInverted ? candidates.subtracting(matches) : matches
            }
        case (.string, .string(let string)): return TextTest(.order(comparison), string).scan(column)
        default: return nil
        }
    }

    /// Returns a scan that compares with null, which equals only null and is neither less nor greater than anything.
    private static func scanForNull(
        _ comparison: ComparisonOperator, _ nulls: @escaping LeafScan
    ) -> LeafScan {
        switch comparison {
        case .equal, .lessOrEqual, .greaterOrEqual: nulls
        case .notEqual: { leaf, candidates in candidates.subtracting(nulls(leaf, candidates)) }
        case .less, .greater: { _, _ in Bits256() }
        }
    }
}

extension ColumnBuffer {
    /// Returns the candidates whose string is null.
    fileprivate func nullStrings(_ candidates: Bits256) -> Bits256 {
        let words = data.assumingMemoryBound(to: (UInt64, UInt64).self)
        let isKnown = StringLayout.current.isKnown
        var result = Bits256()
        candidates.forEach { slot in
            if isKnown ? words[slot].1 == 0 : cell(slot, .string) == .null { result.insert(slot) }
        }
        return result
    }

    /// Returns the candidates whose 16 bytes are a pair of words.
    fileprivate func slots(_ candidates: Bits256, holding pair: (UInt64, UInt64)) -> Bits256 {
        var result = Bits256()
        candidates.subtracting(nulls).forEach { slot in
            if ColumnValues.wide(data, slot) == pair { result.insert(slot) }
        }
        return result
    }
}

extension CellSet {
    /// Returns a scan of a column for the members, or nil if only one value after the other can be compared.
    fileprivate func scan(_ column: Int, _ kind: ColumnKind) -> LeafScan? {
        let isFloating: Bool
        switch order {
        case .natural: isFloating = false
        case .floatingPoint where kind == .word: isFloating = true
        case .floatingPoint, .custom, .mixed: return nil
        }
        switch kind {
        case .word:
            var members = cells.compactMap { if case .word(let word) = $0 { word } else { nil } }
            if isFloating { members = CellSet.words(of: members.map { Double(bitPattern: $0) }) }
            let words = WordSet(members)
            let hasNull = cells.contains(.null)
            return { leaf, candidates in
                let buffer = leaf.column(column)
                let nulls = buffer.nulls & candidates
                let matches = words.matches(buffer, candidates.subtracting(nulls))
                return hasNull ? matches | nulls : matches
            }
        case .link:
            let keys = WordSet(
                cells.compactMap { if case .link(let key) = $0 { UInt64(bitPattern: key) } else { nil } })
            return { leaf, candidates in keys.matches(leaf.column(column), candidates) }
        case .string:
            let scan = StringScan(StringSetKernel(self), nil, .oneOf(self))
            return { leaf, candidates in scan.matches(leaf.column(column), candidates) }
        case .wide: return scanOfPairs(column)
        case .bytes, .any, .sequence, .keySet: return nil
        }
    }

    /// Returns the words of the doubles that equal one of some doubles: both zeros for each, none for NaN.
    private static func words(of doubles: [Double]) -> [UInt64] {
        let numbers = doubles.filter { !$0.isNaN }
        return numbers.map { $0.bitPattern } + (numbers.contains(0) ? [(-0.0).bitPattern, 0] : [])
    }

    private func scanOfPairs(_ column: Int) -> LeafScan? {
        var pairs: [(UInt64, UInt64)] = []
        for case .wide(let high, let low) in cells {
            if low == 0 { return nil }
            pairs.append((high, low))
        }
        let (set, hasNull) = (WordPairSet(pairs), cells.contains(.null))
        return { leaf, candidates in
            let buffer = leaf.column(column)
            let nulls = buffer.nulls & candidates
            var matches = hasNull ? nulls : Bits256()
            candidates.subtracting(nulls).forEach { slot in
                let pair = ColumnValues.wide(buffer.data, slot)
                if pair.1 != 0, set.contains(pair) { matches.insert(slot) }
            }
            return matches
        }
    }
}

/// A set of words. Most words are excluded by the bounds of the set, which are compared for a whole column at once.
private struct WordSet {
    private let words: WordPairSet
    private let least: UInt64
    private let width: UInt64
    private let isEmpty: Bool

    init(_ words: [UInt64]) {
        self.words = WordPairSet(words.map { ($0, 1) })
        let signed = words.map { Int64(bitPattern: $0) }
        isEmpty = words.isEmpty
        least = UInt64(bitPattern: signed.min() ?? 0)
        width = UInt64(bitPattern: signed.max() ?? 0) &- least
    }

    /// Returns the candidates whose words are in the set.
    func matches(_ buffer: ColumnBuffer, _ candidates: Bits256) -> Bits256 {
        if isEmpty { return Bits256() }
        let data = buffer.data.assumingMemoryBound(to: UInt64.self)
        var possible = candidates
        if buffer.capacity == 256 {
            possible = possible & ComparisonOperator.scan(data) { $0 &- least <= width }
        }
        var matches = Bits256()
        for index in 0..<4 {
            var rest = possible[word: index]
            var found: UInt64 = 0
            while rest != 0 {
                let slot = rest.trailingZeroBitCount
                rest &= rest &- 1
                if words.contains((data[index &* 64 &+ slot], 1)) { found |= 1 &<< UInt64(slot) }
            }
            matches[word: index] = found
        }
        return matches
    }
}

extension ComparisonOperator {
    /// Returns the slots whose link is null.
    static func nullLinks(_ buffer: ColumnBuffer) -> Bits256 {
        equal.matches(buffer.data.assumingMemoryBound(to: ObjectKey.self), buffer.capacity, 0)
    }

    /// Returns a scan of a column of words, interpreted as values of a type.
    @inline(__always)
    fileprivate func scan<Value: Comparable>(_ column: Int, _ value: Value) -> LeafScan {
        // Null differs from every value and is neither less nor greater.
        let matchesNull = self == .notEqual
        return { leaf, candidates in
            let buffer = leaf.column(column)
            let matches = self.matches(
                buffer.data.assumingMemoryBound(to: Value.self), buffer.capacity, value)
            let nulls = buffer.nulls
            return (matchesNull ? matches | nulls : matches.subtracting(nulls)) & candidates
        }
    }

    @inline(__always)
    fileprivate func matches<Value: Comparable>(
        _ data: UnsafeMutablePointer<Value>, _ capacity: Int, _ value: Value
    ) -> Bits256 {
        if capacity < 256 { return fewMatches(data, capacity, value) }
        return switch self {
        case .equal: ComparisonOperator.scan(data) { $0 == value }
        case .notEqual: ComparisonOperator.scan(data) { $0 != value }
        case .less: ComparisonOperator.scan(data) { $0 < value }
        case .lessOrEqual: ComparisonOperator.scan(data) { $0 <= value }
        case .greater: ComparisonOperator.scan(data) { $0 > value }
        case .greaterOrEqual: ComparisonOperator.scan(data) { $0 >= value }
        }
    }

    /// Returns the matching slots of a small leaf, compared value by value.
    private func fewMatches<Value: Comparable>(
        _ data: UnsafeMutablePointer<Value>, _ capacity: Int, _ value: Value
    ) -> Bits256 {
        var bits = Bits256()
        for slot in 0..<capacity {
            let isFound =
                switch self {
                case .equal: data[slot] == value
                case .notEqual: data[slot] != value
                case .less: data[slot] < value
                case .lessOrEqual: data[slot] <= value
                case .greater: data[slot] > value
                case .greaterOrEqual: data[slot] >= value
                }
            if isFound { bits.insert(slot) }
        }
        return bits
    }

    @inline(__always)
    fileprivate static func scan<Value>(
        _ data: UnsafeMutablePointer<Value>, _ test: (Value) -> Bool
    ) -> Bits256 {
        var bits = Bits256()
        for index in 0..<4 {
            var word: UInt64 = 0
            // Eight at a time, so that most shifts are by constants.
            for eight in 0..<8 {
                let values = data + (index &* 64 &+ eight &* 8)
                let low =
                    bit(values, 0, test) | bit(values, 1, test) | bit(values, 2, test) | bit(values, 3, test)
                let high =
                    bit(values, 4, test) | bit(values, 5, test) | bit(values, 6, test) | bit(values, 7, test)
                word |= (low | high) &<< UInt64(eight &* 8)
            }
            bits[word: index] = word
        }
        return bits
    }

    @inline(__always)
    private static func bit<Value>(
        _ values: UnsafeMutablePointer<Value>, _ index: Int, _ test: (Value) -> Bool
    ) -> UInt64 {
        (test(values[index]) ? 1 : 0) &<< UInt64(index)
    }
}
