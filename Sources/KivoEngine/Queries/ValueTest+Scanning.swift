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
        case .oneOf, .text, .rule, .either: return nil
        }
    }

    private static func scan(
        _ column: Int, _ kind: ColumnKind, _ comparison: ComparisonOperator, _ cell: Cell, _ order: CellOrder
    ) -> LeafScan? {
        switch (kind, cell) {
        case (.word, .null):
            // Null is neither less nor greater than anything.
            switch comparison {
            case .equal: return { leaf, candidates in leaf.column(column).nulls & candidates }
            case .notEqual:
                return { leaf, candidates in candidates.subtracting(leaf.column(column).nulls) }
            default: return { _, _ in Bits256() }
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
        case (.string, .string(let string)):
            guard comparison == .equal || comparison == .notEqual else { return nil }
            let needle = StringNeedle(string)
            return { leaf, candidates in
                let matches = needle.scan(leaf.column(column), candidates)
                return comparison == .equal ? matches & candidates : candidates.subtracting(matches)
            }
        default: return nil
        }
    }
}

extension ComparisonOperator {
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
    private static func scan<Value>(
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
