/// Predicates on plain values, in which all operands consist of ``RowPredicate/Operand/element``.
extension RowPredicate {
    /// Returns whether a plain value satisfies the predicate.
    public func holds(_ element: Cell) -> Bool {
        switch self {
        case .constant(let value): value
        case .and(let parts): parts.allSatisfy { $0.holds(element) }
        case .or(let parts): parts.contains { $0.holds(element) }
        case .not(let part): !part.holds(element)
        case .test(let quantifier, let operand, let test):
            test.holds(operand.value(of: element)) == (quantifier != .none)
        case .pair(let quantifier, let left, let relation, let right):
            relation.holds(left.value(of: element), right.value(of: element)) == (quantifier != .none)
        }
    }
}

extension RowPredicate.Operand {
    fileprivate func value(of element: Cell) -> Cell {
        switch self {
        case .element: element
        case .constant(let cell): cell
        case .computed(let left, let right, let rule):
            rule(left.value(of: element), right.value(of: element))
        case .path, .aggregate, .matching, .derived: preconditionFailure("a plain value is no row")
        }
    }
}
