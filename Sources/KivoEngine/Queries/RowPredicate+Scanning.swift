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

extension RowOperand {
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
