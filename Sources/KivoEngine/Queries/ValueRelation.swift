/// A comparison between two values of one subject.
@usableFromInline package enum ValueRelation: Sendable {
    case compare(ComparisonOperator, CellOrder)
    case text(TextTest.Operator, folding: TextTest.Folding?)
    /// A comparison as values of any type, to which the closures convert the operands.
    case mixed(ComparisonOperator, @Sendable (Cell) -> Cell, @Sendable (Cell) -> Cell)

    /// Returns whether the relation holds for two values. Null equals null regardless of options. So, unlike in a comparison
    /// with a constant, it is also at least and at most null.
    @usableFromInline package func holds(_ a: Cell, _ b: Cell) -> Bool {
        if a == .null, b == .null { return holdsForEqual }
        switch self {
        case .compare(let comparison, let order): return comparison.holds(a, b, order)
        case .mixed(let comparison, let left, let right):
            return comparison.holds(left(a), right(b), .mixed)
        case .text(let comparison, let folding):
            switch b {
            case .string(let text): return TextTest(comparison, text, folding: folding).holds(a)
            case .bytes(let bytes): return TextTest(comparison, bytes).holds(a)
            default:
                if case .order(let order) = comparison { return order.holds(a, b, .natural) }
                return false
            }
        }
    }

    private var holdsForEqual: Bool {
        switch self {
        case .compare(let comparison, _), .mixed(let comparison, _, _), .text(.order(let comparison), _):
            comparison.holds(0, 0)
        case .text: false
        }
    }
}
