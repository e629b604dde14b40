/// A condition on the rows of a table.
public indirect enum RowPredicate: Sendable {
    /// The number of a row's values that must satisfy a test.
    public enum Quantifier: Sendable { case any, all, none }

    /// The operand of a test.
    public indirect enum Operand: Sendable {
        case path(ResolvedPath)
        case aggregate(Aggregate)
        /// The number of elements of a collection that satisfy a predicate.
        case matching(ResolvedPath, RowPredicate)
        /// The element itself, for elements that are plain values.
        case element
        case constant(Cell)
        /// The result of a rule for each pair of values of two operands.
        case computed(Operand, Operand, @Sendable (Cell, Cell) -> Cell)
        /// The result of a rule for objects.
        case derived(Derivation)
    }

    /// A test of a value.
    public indirect enum Test: Sendable {
        case always(Bool)
        case compare(ComparisonOperator, Cell, CellOrder)
        case oneOf(CellSet)
        case text(TextTest)
        /// A rule of the calling layer.
        case rule(@Sendable (Cell) -> Bool)
        case both(Test, Test)
        case either([Test])

        /// Returns whether a value passes the test.
        @inline(__always)
        public func holds(_ cell: Cell) -> Bool {
            switch self {
            case .compare(let comparison, let value, let order): comparison.holds(cell, value, order)
            case .oneOf(let set): set.contains(cell)
            case .text(let test): test.holds(cell)
            case .rule(let rule): rule(cell)
            default: holdsCombined(cell)
            }
        }

        private func holdsCombined(_ cell: Cell) -> Bool {
            switch self {
            case .always(let value): value
            case .both(let a, let b): a.holds(cell) && b.holds(cell)
            case .either(let tests): tests.contains { $0.holds(cell) }
            default: holds(cell)
            }
        }
    }

    /// A comparison between two values of one row.
    public enum Relation: Sendable {
        case compare(ComparisonOperator, CellOrder)
        case text(TextTest.Operator, folding: TextTest.Folding?)
        /// A comparison as values of any type, to which the closures convert the operands.
        case mixed(ComparisonOperator, @Sendable (Cell) -> Cell, @Sendable (Cell) -> Cell)

        /// Returns whether the relation holds for two values. Null equals null regardless of options. So, unlike in a comparison
        /// with a constant, it is also at least and at most null.
        public func holds(_ a: Cell, _ b: Cell) -> Bool {
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

    case constant(Bool)
    case test(Quantifier, Operand, Test)
    case pair(Quantifier, Operand, Relation, Operand)
    case and([RowPredicate])
    case or([RowPredicate])
    case not(RowPredicate)

    /// Returns whether a row satisfies the predicate.
    public func holds(_ snapshot: Snapshot, _ row: Row) -> Bool {
        switch self {
        case .constant(let value): return value
        case .and(let parts): return parts.allSatisfy { $0.holds(snapshot, row) }
        case .or(let parts): return parts.contains { $0.holds(snapshot, row) }
        case .not(let part): return !part.holds(snapshot, row)
        case .test(let quantifier, let operand, let test):
            return quantifier.holds(snapshot, row, operand) { test.holds($0) }
        case .pair(let quantifier, let left, let relation, let right):
            // Here a null link counts as null, like any other value.
            return quantifier.holds(snapshot, row, left) { a in
                var holds = false
                _ = right.forEach(snapshot, row) { b in
                    holds = relation.holds(a == .link(0) ? .null : a, b == .link(0) ? .null : b)
                    return !holds
                }
                return holds
            }
        }
    }

    /// Returns a predicate that holds if all parts hold.
    public static func all(_ parts: [RowPredicate]) -> RowPredicate {
        parts.count == 1 ? parts[0] : .and(parts)
    }
}

extension RowPredicate.Quantifier {
    @inline(__always)
    fileprivate func holds(
        _ snapshot: Snapshot, _ row: Row, _ operand: RowPredicate.Operand, _ test: (Cell) -> Bool
    ) -> Bool {
        // The search ends at the first decisive value: one that passes, or for `all` one that does not.
        let wanted = self != .all
        var isDecided = false
        _ = operand.forEach(snapshot, row) { cell in
            isDecided = test(cell) == wanted
            return !isDecided
        }
        return isDecided == (self == .any)
    }
}

extension RowPredicate.Operand {
    /// Calls `body` with each value of a row until it returns false. Returns false if `body` returned false. Behind a null to-one
    /// link, a value is null and a collection is empty.
    @inline(__always)
    func forEach(_ snapshot: Snapshot, _ row: Row, _ body: (Cell) -> Bool) -> Bool {
        if case .path(let path) = self, let (column, kind) = path.directColumn {
            return body(row.leaf.column(column).cell(row.slot, kind))
        }
        return forEachReached(snapshot, row, body)
    }

    private func forEachReached(_ snapshot: Snapshot, _ row: Row, _ body: (Cell) -> Bool) -> Bool {
        switch self {
        case .path(let path):
            var isReached = false
            let continues = path.forEach(snapshot, row) { cell in
                isReached = true
                return body(cell)
            }
            return isReached || !path.isSingle ? continues : body(path.end.unreached)
        case .aggregate(let aggregate):
            return aggregate.collection.ownerHops.forEachOwner(snapshot, row) { owner in
                body(owner.map { aggregate.result(snapshot, $0) } ?? aggregate.emptyResult)
            }
        case .matching(let collection, let predicate):
            return collection.ownerHops.forEachOwner(snapshot, row) { owner in
                var count: UInt64 = 0
                if let owner {
                    collection.forEachElement(snapshot, owner) {
                        if predicate.holds(snapshot, $0) { count += 1 }
                    }
                }
                return body(.word(count))
            }
        case .element: preconditionFailure("a row is no plain value")
        case .constant(let cell): return body(cell)
        case .computed(let left, let right, let rule):
            return left.forEach(snapshot, row) { a in
                right.forEach(snapshot, row) { b in body(rule(a, b)) }
            }
        case .derived(let derivation):
            return derivation.hops.forEachOwner(snapshot, row) { owner in
                body(owner.map { derivation.value(of: $0) } ?? .null)
            }
        }
    }
}

extension ArraySlice<ResolvedPath.Hop> {
    /// Calls `body` with each row that the hops lead to until it returns false. Returns false if `body` returned false. Calls
    /// `body` with nil if all hops are to-one links and one of them is null.
    fileprivate func forEachOwner(_ snapshot: Snapshot, _ row: Row, _ body: (Row?) -> Bool) -> Bool {
        var isReached = false
        let continues = forEachRow(snapshot, row) { owner in
            isReached = true
            return body(owner)
        }
        return isReached || !allSatisfy { $0.isSingle } ? continues : body(nil)
    }
}
