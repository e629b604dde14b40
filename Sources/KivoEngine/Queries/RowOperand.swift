/// An operand of a condition on rows or on plain values.
package indirect enum RowOperand: Sendable {
    case path(ResolvedPath)
    case aggregate(Aggregate)
    /// The number of elements of a collection that satisfy a predicate.
    case matching(ResolvedPath, RowPredicate)
    /// The element itself, for elements that are plain values.
    case element
    /// The value to which steps lead from the element itself, for elements that are any values. The steps lead to one value.
    case inside([AnyStep], AnyTables)
    case constant(Cell)
    /// The result of a rule for each pair of values of two operands.
    case computed(RowOperand, RowOperand, @Sendable (Cell, Cell) -> Cell)
    /// The value that a derivation computes from several properties of an object.
    case derived(Derivation)
}

extension RowOperand {
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
        case .element, .inside: preconditionFailure("a row is no plain value")
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

extension RowOperand {
    /// Returns the operand's value for a plain value of a snapshot; nil for a value that is not stored.
    func value(of element: Cell, _ snapshot: Snapshot?) -> Cell {
        switch self {
        case .element: return element
        case .inside(let steps, let tables):
            var value = Cell.null
            guard let snapshot else { return value }
            _ = tables.forEach(element, steps[...], snapshot) { cell in
                value = cell
                return false
            }
            return value
        case .constant(let cell): return cell
        case .computed(let left, let right, let rule):
            return rule(left.value(of: element, snapshot), right.value(of: element, snapshot))
        case .path, .aggregate, .matching, .derived: preconditionFailure("a plain value is no row")
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

/// A value that a rule of the calling layer computes from several properties of an object.
package struct Derivation: Sendable {
    /// The paths to the properties. They lead to the same objects and end with columns of these.
    let paths: [ResolvedPath]
    private let rule: @Sendable ([[Cell]]) -> Cell

    /// Creates a derivation from paths that differ only in their ends. The rule receives the values of each path: one value of a
    /// column, all elements of a list.
    package init(_ paths: [ResolvedPath], _ rule: @escaping @Sendable ([[Cell]]) -> Cell) {
        precondition(!paths.isEmpty && paths.allSatisfy { $0.hops == paths[0].hops })
        self.paths = paths
        self.rule = rule
    }

    /// The hops to the objects.
    var hops: ArraySlice<ResolvedPath.Hop> { paths[0].hops[...] }

    /// Returns the value of one of the objects.
    func value(of row: Row) -> Cell { rule(paths.map { $0.end.cells(of: row) }) }
}

extension ResolvedPath.End {
    fileprivate func cells(of row: Row) -> [Cell] {
        switch self {
        case .column(let column, let kind): return [row.leaf.column(column).cell(row.slot, kind)]
        case .elements(let column, let element):
            var cells: [Cell] = []
            row.sequence(column, element).forEach { cells.append($0) }
            return cells
        case .entry(let entry, let element): return [entry.cell(row, element) ?? .null]
        case .object: return [.link(row.key)]
        case .nested, .position: preconditionFailure("the inputs of a rule are whole properties")
        }
    }
}
