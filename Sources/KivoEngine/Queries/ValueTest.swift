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

/// A set of values that answers membership in O(1).
@usableFromInline package struct CellSet: Sendable {
    /// The values, each once, in their first order.
    @usableFromInline package let cells: [Cell]
    private let indexes: [UInt64: [Int]]
    let order: CellOrder

    /// Creates a set of values. Doubles are compared as numbers: NaN equals nothing.
    @usableFromInline package init(_ cells: [Cell], _ order: CellOrder) {
        var (kept, indexes): ([Cell], [UInt64: [Int]]) = ([], [:])
        self.order = order
        for cell in cells {
            let hash = CellSet.hash(cell, order)
            let isKnown = indexes[hash]?.contains { ComparisonOperator.equal.holds(kept[$0], cell, order) }
            if isKnown == true { continue }
            indexes[hash, default: []].append(kept.count)
            kept.append(cell)
        }
        self.cells = kept
        self.indexes = indexes
    }

    func contains(_ cell: Cell) -> Bool {
        guard let candidates = indexes[CellSet.hash(cell, order)] else { return false }
        return candidates.contains { ComparisonOperator.equal.holds(cells[$0], cell, order) }
    }

    /// Returns a hash that is equal for values that are equal by the order.
    private static func hash(_ cell: Cell, _ order: CellOrder) -> UInt64 {
        switch (order, cell) {
        case (_, .null): cell.indexHash(seed: Cell.processSeed)
        case (.natural, _): cell.indexHash(seed: Cell.processSeed)
        default: UInt64(bitPattern: order.rank(cell))
        }
    }
}

/// The operator of a comparison of two values.
@usableFromInline package enum ComparisonOperator: Sendable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual

    /// Returns whether the comparison holds for two cells. Null equals null, so that it is also at least and at most null. It differs
    /// from every value, and is neither less nor greater. NaN differs from everything.
    @usableFromInline package func holds(_ a: Cell, _ b: Cell, _ order: CellOrder) -> Bool {
        if a == .null || b == .null {
            return a == b ? holds(0, 0) : self == .notEqual
        }
        if case .mixed = order { return AnyOrder.holds(self, a, b) }
        if case .floatingPoint = order, case .word(let x) = a, case .word(let y) = b {
            return holds(Double(bitPattern: x), Double(bitPattern: y))
        }
        if case .custom = order, order.isNaN(a) || order.isNaN(b) { return self == .notEqual }
        return holds(order.compare(a, b), 0)
    }

    @inline(__always)
    func holds<Value: Comparable>(_ a: Value, _ b: Value) -> Bool {
        switch self {
        case .equal: a == b
        case .notEqual: a != b
        case .less: a < b
        case .lessOrEqual: a <= b
        case .greater: a > b
        case .greaterOrEqual: a >= b
        }
    }
}

extension AnyOrder {
    /// Whether a comparison holds for two any values in a condition. Values whose types are not comparable are neither less nor
    /// greater, and NaN equals nothing.
    static func holds(_ comparison: ComparisonOperator, _ a: Cell, _ b: Cell) -> Bool {
        guard a.anyTag.rank == b.anyTag.rank, !AnyNumber.isNaN(a), !AnyNumber.isNaN(b) else {
            return comparison == .notEqual
        }
        if case .typedLink = a, comparison != .equal, comparison != .notEqual { return false }
        return comparison.holds(compare(a, b), 0)
    }
}

/// A comparison between two values of one subject.
@usableFromInline package enum ValueRelation: Sendable {
    case compare(ComparisonOperator, CellOrder)
    case text(TextTest.Operator, folding: TextTest.Folding?)
    /// A comparison as values of any type, to which the closures convert the operands.
    case mixed(ComparisonOperator, @Sendable (Cell) -> Cell, @Sendable (Cell) -> Cell)

    /// Returns whether the relation holds for two values. Null equals null and is like null, regardless of options.
    @usableFromInline package func holds(_ a: Cell, _ b: Cell) -> Bool {
        if a == .null, b == .null { return holdsForEqual }
        switch self {
        case .compare(let comparison, let order): return comparison.holds(a, b, order)
        case .mixed(let comparison, let left, let right):
            return comparison.holds(left(a), right(b), .mixed)
        case .text(let comparison, let folding):
            switch b {
            case .string(let text): return TextTest(comparison, text, folding: folding).holds(a)
            case .bytes(let bytes): return TextTest(comparison, bytes, folding: folding).holds(a)
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
        case .text(let comparison, _): comparison == .like
        }
    }
}
