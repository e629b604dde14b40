import KivoEngine

/// Compiles conditions and key paths that consist of names into predicates and paths of a class's table, or into predicates on
/// plain values. Traps with a message if they are invalid there.
struct QueryCompiler {
    /// The elements to which the conditions apply.
    private enum Subject {
        case objects(TableContext)
        case values(QueryValueType, Catalog)
    }

    private let subject: Subject

    /// Creates a compiler for conditions on objects of a class.
    init(context: TableContext) { subject = .objects(context) }

    /// Creates a compiler for conditions on plain values, in a realm with the tables of a catalog.
    init(values: QueryValueType, _ catalog: Catalog = Catalog()) { subject = .values(values, catalog) }

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
        if let (place, area) = comparison.area {
            return .test(comparison.quantifier, location(place, area), QueryComparison.isWithin)
        }
        if let (typed, test) = comparison.typeTest {
            let (operand, type) = operand(.path(typed))
            typed.checkIsAny(type)
            let tables = tables
            return .test(
                comparison.quantifier, operand, .rule { test.holds(AnyTypeName(of: $0, tables)) })
        }
        switch (comparison.left, comparison.right) {
        case (.value, .path) where comparison.operator == .isIn:
            var turned = comparison
            (turned.left, turned.operator, turned.right) = (comparison.right, .equal, comparison.left)
            return predicate(turned)
        case (.path(let path), .value(let value))
        where path.aggregate == nil && flatten(value) is any _CustomPersistable:
            let resolved = resolve(path.components)
            if let node = comparison.comparingProperties(resolved, resolve) { return predicate(node) }
            return .test(
                comparison.quantifier, .path(resolved.path), comparison.test(resolved.type, value))
        case (_, .value(let value)):
            let (operand, type) = operand(
                comparison.left, sumsAreDecimals: QueryComparison.needsDecimalSums(value))
            return .test(comparison.quantifier, operand, comparison.test(type, localized(value, type)))
        default:
            let (left, leftType) = operand(comparison.left, sumsAreDecimals: true)
            let (right, rightType) = operand(comparison.right, sumsAreDecimals: true)
            return .pair(
                comparison.quantifier, left, comparison.relation(leftType, rightType), right)
        }
    }

    /// The tables of lists and dictionaries inside values of any type.
    private var tables: AnyTables {
        switch subject {
        case .objects(let context): AnyTables(context.instance.catalog)
        case .values(_, let catalog): AnyTables(catalog)
        }
    }

    /// Returns a value, or values, for a comparison with values of any type. Objects of other realms are replaced by a value that
    /// equals nothing.
    private func localized(_ value: Any?, _ type: QueryValueType) -> Any? {
        guard case .scalar(.any) = type, case .objects(let context) = subject else { return value }
        return AnyRealmValue.localized(value, in: context.instance.store)
    }

    /// Returns the compiled operand of a comparison, and the type of its values.
    private func operand(
        _ operand: QueryOperand, sumsAreDecimals: Bool = false
    ) -> (RowPredicate.Operand, QueryValueType) {
        switch operand {
        case .value: trap("A comparison has a property on its left, and a value on its right.")
        case .arithmetic(let left, let sign, let right):
            let ((a, first), (b, second)) = (number(left, sign), number(right, sign))
            let arithmetic = QueryArithmetic(sign, first, second)
            return (.computed(a, b, arithmetic.apply), .scalar(arithmetic.result))
        case .subquery(let path, let node):
            let collection = collection(path)
            guard let elements = collection.target else {
                trap("A subquery goes over objects, and '\(path.text)' is a collection of plain values.")
            }
            return (
                .matching(collection.path, QueryCompiler(context: elements).predicate(node)), .scalar(.int)
            )
        case .path(let path):
            if case .values(let type, _) = subject {
                path.checkIsSelf()
                return (.element, type)
            }
            guard let (function, components) = path.aggregate else {
                let resolved = resolve(path.components)
                return (.path(resolved.path), resolved.type)
            }
            if function == .count, case .objects(let context) = subject {
                var resolved = resolve(path.components)
                if !resolved.path.isCollection, resolved.type.isAny {
                    resolved.path.append([.size], in: context.instance.catalog)
                    return (.path(resolved.path), resolved.type)
                }
            }
            let (aggregate, type) = aggregate(function, components, path, sumsAreDecimals)
            return (.aggregate(aggregate), type)
        }
    }

    /// Returns a compiled operand of arithmetic, and the type of its numbers. Traps if the operand has no numbers.
    private func number(
        _ operand: QueryOperand, _ sign: ArithmeticOperator
    ) -> (RowPredicate.Operand, ScalarType) {
        if case .value(let value) = operand {
            let (type, cell) = sign.number(value)
            return (.constant(cell), type)
        }
        let (compiled, type) = self.operand(operand)
        return (compiled, sign.numbers(type))
    }

    private func resolve(_ components: [QueryPath.Component]) -> PathResolver.Resolved {
        guard case .objects(let context) = subject else {
            QueryPath(components: components).checkIsSelf()
            trap("A plain value is no object.")
        }
        return PathResolver(context: context).resolve(components)
    }

    /// Returns the collection to which a path leads. Traps if the path does not lead to a collection.
    private func collection(_ path: QueryPath) -> PathResolver.Resolved {
        let resolved = resolve(path.components)
        if resolved.path.isCollection { return resolved }
        trap("'\(path.text)' is no collection, so there is nothing to count or to add up.")
    }

    // MARK: Aggregates

    private func aggregate(
        _ function: QueryPath.Function, _ components: [QueryPath.Component], _ path: QueryPath,
        _ sumsAreDecimals: Bool
    ) -> (Aggregate, QueryValueType) {
        let collection = collection(path)
        if function == .count { return (Aggregate(.count, collection.path), .scalar(.int)) }
        var value: ResolvedPath?
        var type = collection.type
        if let elements = collection.target {
            if components.isEmpty {
                trap("'@\(function.rawValue)' of the objects in '\(path.text)' needs a property of theirs.")
            }
            let target = QueryCompiler(context: elements).resolve(components)
            guard target.path.isSingle else {
                trap("'@\(function.rawValue)' in '\(path.text)' goes over one collection only.")
            }
            value = target.path
            type = target.type
        }
        let (scalar, arithmetic, result) = function.types(type, path, sumsAreDecimals)
        let aggregate = Aggregate(
            function.engine, collection.path, value: value, order: scalar.order, arithmetic: arithmetic)
        return (aggregate, result)
    }

    // MARK: Places

    /// Returns an operand with a Boolean for each location to which a path leads: whether it is in an area.
    private func location(_ place: QueryPath, _ area: GeoArea) -> RowPredicate.Operand {
        let resolved = resolve(place.components)
        guard place.aggregate == nil, let location = resolved.target else {
            trap("'\(place.text)' leads to no location: GEOWITHIN needs a path to objects.")
        }
        GeoLocation.check(location.info, place)
        let paths = [GeoLocation.coordinates, GeoLocation.type].map {
            resolve(place.components + [.property($0)]).path
        }
        return .derived(
            Derivation(paths) { values in
                let numbers = values[0].lazy.map { Double(cell: $0) }
                guard numbers.count >= 2, case .string(let type) = values[1][0], GeoLocation.isPoint(type)
                else {
                    return false.cell
                }
                return area.contains(latitude: numbers[1], longitude: numbers[0]).cell
            })
    }

    // MARK: Sorting

    /// Returns the key by which a key path sorts or groups. Traps if the key path does not lead to a single value.
    func sortKey(_ keyPath: String, ascending: Bool) -> SortKey {
        let path = resolve(QueryPath.Component.named(keyPath)).path
        guard path.isSingle else {
            trap(
                "Key path '\(keyPath)' passes through a collection, which has no value to sort or group by.")
        }
        return SortKey(path, path.order, isAscending: ascending)
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

extension QueryPath.Function {
    /// Returns the type of the aggregated values, the arithmetic that adds them, and the type of the result. Traps if the
    /// function does not support such values.
    ///
    /// - Parameter sumsAreDecimals: whether a sum of integers is a decimal, which can hold every sum. Otherwise it is an integer
    ///   that saturates, like all arithmetic in conditions.
    func types(
        _ type: QueryValueType, _ path: QueryPath, _ sumsAreDecimals: Bool
    ) -> (scalar: ScalarType, arithmetic: Aggregate.Arithmetic, result: QueryValueType) {
        guard case .scalar(let scalar) = type, scalar.allows(self) else {
            trap("'@\(rawValue)' in '\(path.text)' cannot be made of \(type.text).")
        }
        if self == .sum, scalar.isInteger, sumsAreDecimals {
            return (scalar, .integer { Decimal128($0).cell }, .scalar(.decimal128))
        }
        let isAverage = self == .average && scalar != .decimal128 && scalar != .any
        return (
            scalar, scalar.isInteger ? .saturating : scalar.arithmetic,
            isAverage || (self == .sum && scalar == .float) ? .scalar(.double) : type
        )
    }
}

extension QueryComparison {
    /// Whether a sum of integers must be a decimal to compare exactly with a value. For a number within the range of integers, a
    /// saturated sum compares like the exact sum, and costs less.
    static func needsDecimalSums(_ value: Any?) -> Bool {
        guard let (type, cell) = ScalarType.number(value) else {
            // Several values, or an integer beyond Int64. A string traps later, with a message about integers.
            return !(flatten(value) is String)
        }
        guard type != .decimal128, case .word(let word) = cell else { return cell != .null }
        if type == .int { return [.min, .max].contains(Int64(bitPattern: word)) }
        return !(Double(bitPattern: word).magnitude < 0x1p63)
    }
}

extension ArithmeticOperator {
    /// Returns a number that is written in a condition. Traps if the value is not a number.
    func number(_ value: Any?) -> (type: ScalarType, cell: Cell) {
        guard let number = ScalarType.number(value) else {
            trap("'\(rawValue)' takes numbers, and was given '\(flatten(value) ?? "nil")'.")
        }
        return number
    }

    /// Returns the type of an operand's numbers. Traps if the operand has no numbers.
    func numbers(_ type: QueryValueType) -> ScalarType {
        guard case .scalar(let scalar) = type, scalar.isNumber || scalar == .any else {
            trap("'\(rawValue)' takes numbers, and was given \(type.text).")
        }
        return scalar
    }
}

extension QueryPath {
    /// Traps unless the path is the plain value itself.
    fileprivate func checkIsSelf() {
        if components.isEmpty, aggregate == nil { return }
        trap("Plain values have no '\(text)': a condition on them is about 'self'.")
    }

    /// The path as it is written in a predicate.
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
        case .index(let index): "[\(index)]"
        case .all: "[*]"
        case .type: "@type"
        }
    }
}
