import Foundation
import KivoEngine

/// Turns conditions and key paths of names into predicates and paths of a class's table. Traps in words on what does
/// not make sense for the class.
struct QueryCompiler {
    let context: TableContext

    func predicate(_ node: QueryNode) -> RowPredicate {
        switch node {
        case .constant(let value): .constant(value)
        case .and(let a, let b): .and([predicate(a), predicate(b)])
        case .or(let a, let b): .or([predicate(a), predicate(b)])
        case .not(let a): .not(predicate(a))
        case .comparison(let comparison): predicate(comparison)
        }
    }

    private func predicate(_ comparison: QueryComparison) -> RowPredicate {
        switch (comparison.left, comparison.right) {
        case (.value(let value), .path(let path)) where comparison.operator == .isIn:
            let (operand, type) = operand(.path(path))
            return .test(
                comparison.quantifier.predicate, operand, equality(.equal, value, type, comparison.options))
        case (_, .value(let value)):
            let (operand, type) = operand(comparison.left)
            return test(comparison, operand, type, value)
        default: return pair(comparison)
        }
    }

    /// What a comparison looks at, and what the values there are.
    private func operand(_ operand: QueryOperand) -> (RowPredicate.Operand, QueryValueType) {
        switch operand {
        case .value: trap("A comparison has a property on its left, and a value on its right.")
        case .subquery(let path, let node):
            let (collection, elements) = resolve(path.components).collection(path)
            guard let elements else {
                trap("A subquery goes over objects, and '\(path.text)' is a collection of plain values.")
            }
            return (.matching(collection, QueryCompiler(context: elements).predicate(node)), .scalar(.int))
        case .path(let path):
            guard let (function, components) = path.aggregate else {
                let resolved = resolve(path.components)
                return (.path(resolved.valuePath), resolved.type)
            }
            let (aggregate, type) = aggregate(function, components, path)
            return (.aggregate(aggregate), type)
        }
    }

    // MARK: Comparing with a value

    private func test(
        _ comparison: QueryComparison, _ operand: RowPredicate.Operand, _ type: QueryValueType, _ value: Any?
    ) -> RowPredicate {
        let quantifier = comparison.quantifier.predicate
        let options = comparison.options
        switch comparison.operator {
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
            return .test(quantifier, operand, equality(comparison.operator.order!, value, type, options))
        case .between:
            guard let bounds = KeyValueCoding.elements(of: value), bounds.count == 2 else {
                trap("BETWEEN needs two values, and was given '\(value ?? "nil")'.")
            }
            return .test(
                quantifier, operand,
                .both(
                    equality(.greaterOrEqual, bounds[0], type, options),
                    equality(.lessOrEqual, bounds[1], type, options)))
        case .isIn:
            guard let values = KeyValueCoding.elements(of: value) else {
                trap("IN needs a collection of values, and was given '\(value ?? "nil")'.")
            }
            return .test(quantifier, operand, membership(values, type, options))
        case .beginsWith, .endsWith, .contains, .like:
            return .test(quantifier, operand, text(comparison, type, value))
        }
    }

    private func text(
        _ comparison: QueryComparison, _ type: QueryValueType, _ value: Any?
    ) -> RowPredicate.Test {
        let sign = comparison.operator.text!
        switch (type, flatten(value)) {
        // Nothing begins with nothing, or contains it.
        case (.scalar(.string), nil), (.scalar(.data), nil): return .always(false)
        case (.scalar(.string), let text as String):
            return .text(TextTest(sign, text, folding: comparison.options.folding))
        case (.scalar(.data), let data as Data) where sign != .like:
            return .text(TextTest(sign, [UInt8](data)))
        case (.scalar(.string), _), (.scalar(.data), _): break
        // A collection that contains a value.
        default: if sign == .contains { return equality(.equal, value, type, comparison.options) }
        }
        trap(
            """
            \(comparison.operator.rawValue) compares strings, and was given \(type.text) and \
            '\(flatten(value) ?? "nil")'.
            """)
    }

    private func equality(
        _ comparison: ComparisonOperator, _ value: Any?, _ type: QueryValueType, _ options: StringOptions
    ) -> RowPredicate.Test {
        if !options.isEmpty, let text = flatten(value) as? String {
            guard type.isString else { trap("Only strings are compared with options, not \(type.text).") }
            return .text(TextTest(.order(comparison), text, folding: options.folding))
        }
        return type.test(comparison, value)
    }

    private func membership(
        _ values: [Any], _ type: QueryValueType, _ options: StringOptions
    ) -> RowPredicate.Test {
        if !options.isEmpty {
            return .either(values.map { equality(.equal, $0, type, options) })
        }
        return .oneOf(CellSet(values.compactMap { type.cell(of: $0) }, type.order))
    }

    // MARK: Comparing two paths

    private func pair(_ comparison: QueryComparison) -> RowPredicate {
        let (left, leftType) = operand(comparison.left)
        let (right, rightType) = operand(comparison.right)
        let relation: RowPredicate.Relation
        let sign = comparison.operator == .isIn ? .equal : comparison.operator
        if sign == .between { trap("BETWEEN compares with two values, not with a property.") }
        if leftType.isText, rightType.isText, let text = sign.text ?? sign.order.map({ .order($0) }),
            sign.order == nil || !comparison.options.isEmpty
        {
            relation = .text(text, folding: comparison.options.folding)
        } else if let order = sign.order, let common = leftType.relation(order, rightType) {
            relation = common
        } else {
            trap("\(leftType.text) and \(rightType.text) cannot be compared by \(sign.rawValue).")
        }
        return .pair(comparison.quantifier.predicate, left, relation, right)
    }

    // MARK: Aggregates

    private func aggregate(
        _ function: QueryPath.Function, _ components: [QueryPath.Component], _ path: QueryPath
    ) -> (Aggregate, QueryValueType) {
        let resolved = resolve(path.components)
        let (collection, elements) = resolved.collection(path)
        if function == .count { return (Aggregate(.count, collection), .scalar(.int)) }
        var value: ValuePath?
        var type = resolved.type
        if let elements {
            if components.isEmpty {
                trap("'@\(function.rawValue)' of the objects in '\(path.text)' needs a property of theirs.")
            }
            let target = QueryCompiler(context: elements).resolve(components)
            guard target.valuePath.isSingle else {
                trap("'@\(function.rawValue)' in '\(path.text)' goes over one collection only.")
            }
            value = target.valuePath
            type = target.type
        }
        guard case .scalar(let scalar) = type, scalar.allows(function) else {
            trap("'@\(function.rawValue)' in '\(path.text)' cannot be made of \(type.text).")
        }
        let aggregate = Aggregate(
            function.engine, collection, value: value, order: scalar.order, arithmetic: scalar.arithmetic)
        let isAverage = function == .average && scalar != .decimal128
        return (aggregate, isAverage || (function == .sum && scalar == .float) ? .scalar(.double) : type)
    }

    // MARK: Sorting

    /// The key that a key path sorts or groups by. Traps if it leads to no single value.
    func sortKey(_ keyPath: String, ascending: Bool) -> SortKey {
        let resolved = resolve(QueryPath.Component.named(keyPath))
        guard resolved.valuePath.isSingle else {
            trap(
                "Key path '\(keyPath)' passes through a collection, which has no value to sort or group by.")
        }
        let path = resolved.valuePath
        return SortKey(path, path.order, isAscending: ascending)
    }
}

extension QueryComparison.Quantifier {
    fileprivate var predicate: RowPredicate.Quantifier {
        switch self {
        case .any: .any
        case .all: .all
        case .none: .none
        }
    }
}

extension QueryComparison.Operator {
    fileprivate var order: ComparisonOperator? {
        switch self {
        case .equal: .equal
        case .notEqual: .notEqual
        case .less: .less
        case .lessOrEqual: .lessOrEqual
        case .greater: .greater
        case .greaterOrEqual: .greaterOrEqual
        default: nil
        }
    }

    fileprivate var text: TextTest.Operator? {
        switch self {
        case .beginsWith: .begins
        case .endsWith: .ends
        case .contains: .contains
        case .like: .like
        default: nil
        }
    }
}

extension QueryPath.Function {
    var engine: Aggregate.Function {
        switch self {
        case .count: .count
        case .min: .min
        case .max: .max
        case .sum: .sum
        case .average: .average
        }
    }
}

extension QueryPath {
    /// The path as it would be written.
    var text: String {
        let tail = aggregate.map { function, components in
            [".@\(function.rawValue)"] + components.map { ".\($0.text)" }
        }
        return (components.map(\.text).joined(separator: ".")) + (tail ?? []).joined()
    }
}

extension QueryPath.Component {
    var text: String {
        switch self {
        case .property(let name): name
        case .keys: "@keys"
        case .values: "@values"
        case .key(let key): "['\(key)']"
        }
    }
}
