/// A closure that returns the slots of a leaf, among candidates, whose rows satisfy a predicate.
typealias LeafScan = (_ leaf: Leaf, _ candidates: Bits256) -> Bits256

extension RowPredicate {
    /// Returns a scan of leaves of a snapshot. A column of words or strings is compared as a whole, everything else row by row.
    ///
    /// Called once for many leaves: the predicate is analysed here, so that scanning only reads numbers.
    func scan(_ snapshot: Snapshot) -> LeafScan {
        switch self {
        case .constant(let value): return { _, candidates in value ? candidates : Bits256() }
        case .and(let parts):
            let scans = parts.map { $0.scan(snapshot) }
            return { leaf, candidates in
                var remaining = candidates
                for scan in scans where !remaining.isEmpty { remaining = scan(leaf, remaining) }
                return remaining
            }
        case .or(let parts):
            let scans = parts.map { $0.scan(snapshot) }
            return { leaf, candidates in
                var (matches, remaining) = (Bits256(), candidates)
                for scan in scans where !remaining.isEmpty {
                    matches = matches | scan(leaf, remaining)
                    remaining = remaining.subtracting(matches)
                }
                return matches
            }
        case .not(let part):
            let scan = part.scan(snapshot)
            return { leaf, candidates in candidates.subtracting(scan(leaf, candidates)) }
        case .test(let quantifier, .path(let path), let test):
            if let (column, kind) = path.directColumn, let scan = test.scan(column, kind) {
                if quantifier != .none { return scan }
                return { leaf, candidates in candidates.subtracting(scan(leaf, candidates)) }
            }
        case .test(let quantifier, let operand, let test):
            guard case .computed = operand, let read = operand.reader else { break }
            return { leaf, candidates in
                var matches = Bits256()
                candidates.forEach { slot in
                    if test.holds(read(leaf, slot)) == (quantifier != .none) { matches.insert(slot) }
                }
                return matches
            }
        case .pair: break
        }
        return { leaf, candidates in
            var matches = Bits256()
            leaf.forEachRow(in: candidates) { slot, key in
                if holds(snapshot, Row(leaf, slot, key)) { matches.insert(slot) }
            }
            return matches
        }
    }
}

extension RowPredicate.Operand {
    /// A closure that reads the value of a slot; nil if the operand depends on more than the row's own columns.
    fileprivate var reader: ((Leaf, Int) -> Cell)? {
        switch self {
        case .path(let path):
            guard let (column, kind) = path.directColumn else { return nil }
            return { leaf, slot in leaf.column(column).cell(slot, kind) }
        case .constant(let cell): return { _, _ in cell }
        case .computed(let left, let right, let rule):
            guard let left = left.reader, let right = right.reader else { return nil }
            return { leaf, slot in rule(left(leaf, slot), right(leaf, slot)) }
        case .aggregate, .matching, .element, .derived: return nil
        }
    }
}

extension RowPredicate.Test {
    /// Returns a scan of a column, or nil if the test cannot compare it as a whole.
    fileprivate func scan(_ column: Int, _ kind: ColumnKind) -> LeafScan? {
        switch self {
        case .always(let value): return { _, candidates in value ? candidates : Bits256() }
        case .both(let a, let b):
            guard let first = a.scan(column, kind), let second = b.scan(column, kind) else { return nil }
            return { leaf, candidates in second(leaf, first(leaf, candidates)) }
        case .compare(let comparison, let cell, let order):
            return RowPredicate.Test.scan(column, kind, comparison, cell, order)
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
