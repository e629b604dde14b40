/// A test of one value.
///
/// ``holds(_:)`` defines the meaning of each case. `ValueTest+Scanning.swift` has the kernels that compare a whole column at once.
@usableFromInline package indirect enum ValueTest: Sendable {
    case always(Bool)
    case compare(ComparisonOperator, Cell, CellOrder)
    case oneOf(CellSet)
    case text(TextTest)
    /// A rule of the calling layer.
    case rule(@Sendable (Cell) -> Bool)
    case both(ValueTest, ValueTest)
    case either([ValueTest])

    /// Returns whether a value passes the test.
    @inline(__always)
    @usableFromInline package func holds(_ cell: Cell) -> Bool {
        switch self {
        case .compare(let comparison, let value, let order): comparison.holds(cell, value, order)
        case .oneOf(let set): set.contains(cell)
        case .text(let test): test.holds(cell)
        case .rule(let rule): rule(cell)
        case .always(let value): value
        case .both(let a, let b): ValueTest.hold(a, b, cell)
        case .either(let tests): ValueTest.holdsOne(of: tests, cell)
        }
    }

    private static func hold(_ a: ValueTest, _ b: ValueTest, _ cell: Cell) -> Bool {
        a.holds(cell) && b.holds(cell)
    }

    private static func holdsOne(of tests: [ValueTest], _ cell: Cell) -> Bool {
        tests.contains { $0.holds(cell) }
    }
}
