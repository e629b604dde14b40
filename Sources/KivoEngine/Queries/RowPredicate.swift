/// A condition on the rows of a table, or on plain values, in which all operands consist of ``RowOperand/element``.
package typealias RowPredicate = Predicate<RowOperand>

extension RowPredicate {
    /// Returns whether a row satisfies the predicate.
    package func holds(_ snapshot: Snapshot, _ row: Row) -> Bool {
        holds(for: RowSubject(snapshot: snapshot, row: row))
    }

    /// Returns whether a plain value of a snapshot satisfies the predicate; nil for a value that is not stored.
    package func holds(_ element: Cell, _ snapshot: Snapshot?) -> Bool {
        holds(for: ElementSubject(element: element, snapshot: snapshot))
    }
}

private struct RowSubject: PredicateSubject {
    let snapshot: Snapshot
    let row: Row

    @inline(__always)
    func forEachValue(of operand: RowOperand, _ body: (Cell) -> Bool) -> Bool {
        operand.forEach(snapshot, row, body)
    }
}

private struct ElementSubject: PredicateSubject {
    let element: Cell
    let snapshot: Snapshot?

    func forEachValue(of operand: RowOperand, _ body: (Cell) -> Bool) -> Bool {
        body(operand.value(of: element, snapshot))
    }
}

/// A closure that returns the slots of a leaf, among candidates, whose rows satisfy a predicate.
typealias LeafScan = (_ leaf: Leaf, _ candidates: Bits256) -> Bits256

extension RowPredicate {
    /// Returns a scan of leaves of a snapshot. A column of words or strings is compared as a whole, links are followed together,
    /// everything else is tested row by row.
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
        case .or(let parts): return ValueTest.scanForOne(of: parts.map { $0.scan(snapshot) })
        case .not(let part):
            let scan = part.scan(snapshot)
            return { leaf, candidates in candidates.subtracting(scan(leaf, candidates)) }
        case .test(let quantifier, let operand, let test):
            if let scan = operand.scanCollections(quantifier, test, snapshot) { return scan }
            guard let scan = operand.scan(test, snapshot) else { break }
            if !quantifier.isNegation { return scan }
            return { leaf, candidates in candidates.subtracting(scan(leaf, candidates)) }
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
    /// Returns a scan for the rows whose single value passes a test; nil if rows have several values, or values that are found
    /// on other ways than over columns and to-one links.
    fileprivate func scan(_ test: ValueTest, _ snapshot: Snapshot) -> LeafScan? {
        guard case .path(let path) = self else { return reader.map { RowOperand.scan(test, $0) } }
        if let (column, kind) = path.directColumn {
            return test.scan(column, kind) ?? reader.map { RowOperand.scan(test, $0) }
        }
        guard let links = LinkPath(path, snapshot) else { return nil }
        if let scan = path.scanLinked(test, snapshot) { return scan }
        return { leaf, candidates in links.matches(leaf, candidates, test) }
    }

    private static func scan(_ test: ValueTest, _ read: @escaping (Leaf, Int) -> Cell) -> LeafScan {
        { leaf, candidates in
            var matches = Bits256()
            candidates.forEach { if test.holds(read(leaf, $0)) { matches.insert($0) } }
            return matches
        }
    }

    /// A closure that reads the value of a slot; nil if the operand depends on more than the row's own columns.
    private var reader: ((Leaf, Int) -> Cell)? {
        switch self {
        case .path(let path):
            guard let (column, kind) = path.directColumn else { return nil }
            return { leaf, slot in leaf.column(column).cell(slot, kind) }
        case .constant(let cell): return { _, _ in cell }
        case .computed(let left, let right, let rule):
            guard let left = left.reader, let right = right.reader else { return nil }
            return { leaf, slot in rule(left(leaf, slot), right(leaf, slot)) }
        case .aggregate, .matching, .element, .inside, .derived: return nil
        }
    }
}
