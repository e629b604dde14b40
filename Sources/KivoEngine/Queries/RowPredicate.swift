/// A condition on the rows of a table, or on plain values, in which all operands consist of ``RowOperand/element``.
package typealias RowPredicate = Predicate<RowOperand>

extension RowPredicate {
    /// Returns whether a row satisfies the predicate.
    package func holds(_ snapshot: Snapshot, _ row: Row) -> Bool {
        holds(for: RowSubject(snapshot: snapshot, row: row))
    }

    /// Returns whether a plain value satisfies the predicate.
    package func holds(_ element: Cell) -> Bool { holds(for: ElementSubject(element: element)) }
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

    func forEachValue(of operand: RowOperand, _ body: (Cell) -> Bool) -> Bool {
        body(operand.value(of: element))
    }
}
