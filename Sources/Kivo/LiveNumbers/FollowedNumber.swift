import KivoEngine

/// A number of the objects that a query finds, or one for each value of a property, by names.
package struct NumberRequest: Hashable, Sendable {
    let function: QueryPath.Function
    /// The property whose values the function combines; nil for ``QueryPath/Function/count``.
    package let property: String?
    /// The property whose values are the keys of groups; nil for one number of all objects.
    package let key: String?

    /// Returns nil if there is no such function, or no such function of groups.
    ///
    /// - Parameter function: `count`, `min`, `max`, `sum` or `avg`. Groups have no `min` and `max`.
    package init?(_ function: String, of property: String?, by key: String?) {
        guard let function = QueryPath.Function(rawValue: function),
            (function == .count) == (property == nil),
            key == nil || function != .min && function != .max
        else { return nil }
        (self.function, self.property, self.key) = (function, property, key)
    }

    /// The name of the function.
    package var functionName: String { function.rawValue }

    /// The request as text: `sum(amount) by shop`.
    package var title: String {
        functionName + (property.map { "(\($0))" } ?? "") + (key.map { " by \($0)" } ?? "")
    }
}

/// A number of the rows that a query selects, or one for each group of them, that follows change sets outside of a realm.
///
/// Not thread-safe; belongs to its observer. Snapshots are only used during calls.
package final class FollowedNumber {
    /// A value, with the type in which it is stored.
    package typealias Value = (cell: Cell, type: ScalarType)

    /// A number that is not what it was.
    package struct Change {
        /// The value of the key of a group, which is null in the group of objects without one; nil if the number is that of all objects.
        package let key: Value?
        /// The number before; nil if there was none.
        package let before: Value?
        /// The number after; nil if there is none.
        package let after: Value?
    }

    private enum Fold {
        /// A number of all rows, with the last result.
        case number(any NumberFold, last: Cell)
        case groups(GroupFold, key: ScalarType)
    }

    package let request: NumberRequest
    /// The type of the values that the function combines; nil if rows are counted.
    private let type: ScalarType?
    private var fold: Fold
    private let maintained: MaintainedFold

    /// Evaluates a number in a snapshot. O(n).
    init(
        _ request: NumberRequest, _ query: QueryState, _ snapshot: Snapshot, _ catalog: Catalog
    ) throws(QueryMismatch) {
        self.request = request
        var values: QueryState.AggregatedValues?
        if let property = request.property { values = try query.checkedValues(request.function, property) }
        type = values?.type
        let rows = query.query.unordered
        if let name = request.key, let elements = query.elements {
            let key = try RowScope(elements).groupKey(name)
            let state = GroupState(query, by: key, values.map { (request.function, $0) })
            let groups = state.makeFold()
            maintained = MaintainedFold(rows, into: groups, snapshot, catalog, state.dependencies)
            fold = .groups(groups, key: key.type)
        } else {
            let kind = request.property.map { NumberKind.aggregate(request.function, $0) } ?? .count
            let state = NumberState(kind, query)
            let number = state.makeFold()
            maintained = MaintainedFold(rows, into: number, snapshot, catalog, state.dependencies(query))
            fold = .number(number, last: number.result)
        }
    }

    /// The number of groups; 1 for one number of all rows.
    package var count: Int { if case .groups(let groups, _) = fold { groups.count } else { 1 } }

    /// The number, or that of each group, as it becomes known: in the order of the keys.
    package var results: [Change] {
        switch fold {
        case .number(_, let last): return [Change(key: nil, before: nil, after: value(last))]
        case .groups(let groups, let type): return sorted(groups.changesFromNone, type)
        }
    }

    /// The number, or that of each group, as it ends: in the order of the keys.
    package var resultsThatEnd: [Change] {
        results.map { Change(key: $0.key, before: $0.after, after: nil) }
    }

    /// Applies the changes since a snapshot, at which the number must be. Returns the numbers that differ, in the order of the keys.
    package func update(_ traversals: ChangeTraversals, old: Snapshot) -> [Change] {
        maintained.update(traversals, old: old)
        switch fold {
        case .number(let number, let last):
            fold = .number(number, last: number.result)
            return changes(from: last, to: number.result)
        case .groups(let groups, let type): return sorted(groups.takeChanges(), type)
        }
    }

    /// Returns what differs in another number of the same request, which takes the place of this one. O(groups).
    package func changes(to next: FollowedNumber) -> [Change] {
        switch (fold, next.fold) {
        case (.number(_, let before), .number(_, let after)) where type == next.type:
            return changes(from: before, to: after)
        case (.groups(let before, let key), .groups(let after, let nextKey))
        where key == nextKey && type == next.type:
            return sorted(before.changes(to: after), key)
        default:
            return resultsThatEnd + next.results
        }
    }

    private func changes(from before: Cell, to after: Cell) -> [Change] {
        ScalarType.areSame(before, after, type)
            ? [] : [Change(key: nil, before: value(before), after: value(after))]
    }

    /// Returns the changes of groups in the order of the keys. A group without a number, of which all values are null, is none.
    private func sorted(_ changes: [GroupFold.Change], _ keyType: ScalarType) -> [Change] {
        changes.filter { !ScalarType.areSame($0.before, $0.after, type) }
            .sorted { keyType.order.compare($0.key, $1.key) < 0 }
            .map {
                Change(
                    key: ($0.key, keyType), before: $0.before.flatMap(value), after: $0.after.flatMap(value))
            }
            .filter { $0.before != nil || $0.after != nil }
    }

    private func value(_ cell: Cell) -> Value? {
        guard let type else { return (cell, .int) }
        if cell == .null { return request.function == .sum ? (.word(0), .int) : nil }
        return (cell, type.result(of: request.function, cell))
    }
}

extension CheckedQuery {
    /// Returns a number of the objects that a query finds in a snapshot of a catalog, which follows change sets.
    ///
    /// - Throws: ``QueryMistake``, or an error of opening the realm in memory that knows the tables.
    package static func follow(
        _ request: NumberRequest, of query: TextQuery, _ snapshot: Snapshot, _ catalog: Catalog
    ) throws -> FollowedNumber {
        try compiling(query.className, in: catalog) { state throws(QueryMismatch) in
            let filtered = state.with(try state.query(where: query.condition))
            return try FollowedNumber(request, filtered, snapshot, catalog)
        }
    }
}
