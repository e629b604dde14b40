import KivoEngine

/// Compiles conditions that consist of names into predicates on the elements of a scope. Throws the reason if they do not fit there.
struct QueryCompiler<Scope: QueryScope> {
    typealias Operand = Scope.Path.Operand

    private let scope: Scope

    init(_ scope: Scope) { self.scope = scope }

    func predicate(_ node: QueryNode) throws(QueryMismatch) -> Predicate<Operand> {
        switch node {
        case .constant(let value): .constant(value)
        case .and: .and(try node.chain.map(predicate))
        case .or: .or(try node.chain.map(predicate))
        case .not(let a): .not(try predicate(a))
        case .comparison(let comparison): try predicate(comparison)
        }
    }

    /// Returns the predicate of a condition. Traps with the reason if it does not fit.
    func predicateOrTrap(_ node: QueryNode) -> Predicate<Operand> {
        QueryMismatch.trapping { () throws(QueryMismatch) in try predicate(node) }
    }

    private func predicate(_ comparison: QueryComparison) throws(QueryMismatch) -> Predicate<Operand> {
        if let (path, area) = try comparison.area() {
            return .test(comparison.quantifier, try location(path, area), QueryComparison.isWithin)
        }
        if let (path, test) = try comparison.typeTest() {
            let resolved = try scope.resolve(path)
            try path.checkIsAny(resolved.type)
            return .test(comparison.quantifier, resolved.types, test)
        }
        if let node = try comparison.comparingProperties(in: scope) { return try predicate(node) }
        if let predicate = try containers(comparison) { return predicate }
        switch (comparison.left, comparison.right) {
        case (.value, .path) where comparison.operator == .isIn:
            var turned = comparison
            (turned.left, turned.operator, turned.right) = (comparison.right, .equal, comparison.left)
            return try predicate(turned)
        case (_, .value(let value)):
            let (operand, type) = try operand(
                comparison.left, sumsAreDecimals: QueryComparison.needsDecimalSums(value))
            let test = try comparison.test(type, scope.localized(value, type))
            return .test(comparison.quantifier, operand, test)
        default:
            let (left, leftType) = try operand(comparison.left, sumsAreDecimals: true)
            let (right, rightType) = try operand(comparison.right, sumsAreDecimals: true)
            let relation = try comparison.relation(leftType, rightType)
            return .pair(comparison.quantifier, left, relation, right)
        }
    }

    /// Returns the comparison of values of any type with lists and dictionaries; nil for other comparisons.
    private func containers(_ comparison: QueryComparison) throws(QueryMismatch) -> Predicate<Operand>? {
        guard case .path(let path) = comparison.left, path.aggregate == nil, case .value = comparison.right
        else {
            return nil
        }
        let resolved = try scope.resolve(path)
        guard resolved.type.isAny, let (values, test) = comparison.containerTest else { return nil }
        return .test(comparison.quantifier, scope.isOne(of: values, at: resolved), test)
    }

    // MARK: Operands

    /// Returns the compiled operand of a comparison, and the type of its values.
    private func operand(
        _ operand: QueryOperand, sumsAreDecimals: Bool = false
    ) throws(QueryMismatch) -> (Operand, QueryValueType) {
        switch operand {
        case .value: throw QueryMismatch("A comparison has a property on its left, and a value on its right.")
        case .arithmetic: return try arithmetic(operand)
        case .subquery(let path, let node):
            let resolved = try collection(try scope.resolve(path), path)
            guard let elements = resolved.elements else {
                throw QueryMismatch(
                    "A subquery goes over objects, and '\(path.text)' is a collection of plain values.")
            }
            let predicate = try QueryCompiler<Scope.Path.Elements>(elements).predicate(node)
            return (resolved.count(where: predicate), .scalar(.int))
        case .path(let path):
            let resolved = try scope.resolve(path)
            guard let (function, components) = path.aggregate else { return (resolved.values, resolved.type) }
            return try aggregate(function, resolved, components, path, sumsAreDecimals)
        }
    }

    /// Returns the compiled operand of arithmetic, and the type of its numbers. Long sums are followed without recursion.
    private func arithmetic(_ operand: QueryOperand) throws(QueryMismatch) -> (Operand, QueryValueType) {
        var steps: [(sign: ArithmeticOperator, right: QueryOperand)] = []
        var first = operand
        while case .arithmetic(let left, let sign, let right) = first {
            steps.append((sign, right))
            first = left
        }
        var (result, type) = try number(first, steps.last!.sign)
        for (sign, right) in steps.reversed() {
            let (other, otherType) = try number(right, sign)
            let arithmetic = QueryArithmetic(sign, type, otherType)
            (result, type) = (.computed(result, other, arithmetic.apply), arithmetic.result)
        }
        return (result, .scalar(type))
    }

    /// Returns a compiled operand of arithmetic, and the type of its numbers. Throws if the operand has no numbers.
    private func number(
        _ operand: QueryOperand, _ sign: ArithmeticOperator
    ) throws(QueryMismatch) -> (Operand, ScalarType) {
        if case .value(let value) = operand {
            let (type, cell) = try sign.number(value)
            return (.constant(cell), type)
        }
        let (compiled, type) = try self.operand(operand)
        return (compiled, try sign.numbers(type))
    }

    /// Returns a path that leads to a collection. Throws if it does not.
    private func collection(
        _ resolved: Scope.Path, _ path: QueryPath
    ) throws(QueryMismatch) -> Scope.Path {
        if resolved.isCollection { return resolved }
        throw QueryMismatch("'\(path.text)' is no collection, so there is nothing to count or to add up.")
    }

    private func aggregate(
        _ function: QueryPath.Function, _ resolved: Scope.Path, _ components: [QueryPath.Component],
        _ path: QueryPath, _ sumsAreDecimals: Bool
    ) throws(QueryMismatch) -> (Operand, QueryValueType) {
        if function == .count, !resolved.isCollection, resolved.type.isAny {
            return (resolved.sizes, resolved.type)
        }
        let collection = try collection(resolved, path)
        if function == .count {
            return (collection.aggregate(.count, of: nil, .natural, .saturating), .scalar(.int))
        }
        var value: Scope.Path.Elements.Path?
        if let elements = collection.elements {
            if components.isEmpty {
                throw QueryMismatch(
                    "'@\(function.rawValue)' of the objects in '\(path.text)' needs a property of theirs.")
            }
            value = try elements.resolve(components)
            if value?.isSingle == false {
                throw QueryMismatch(
                    "'@\(function.rawValue)' in '\(path.text)' goes over one collection only.")
            }
        }
        let (scalar, arithmetic, result) = try function.types(
            value?.type ?? collection.type, path, sumsAreDecimals)
        return (collection.aggregate(function.engine, of: value, scalar.order, arithmetic), result)
    }

    /// Returns an operand with a Boolean for each location to which a path leads: whether it is in an area.
    private func location(_ path: QueryPath, _ area: GeoArea) throws(QueryMismatch) -> Operand {
        guard path.aggregate == nil, let location = try scope.resolve(path).elements else {
            throw QueryMismatch("'\(path.text)' leads to no location: GEOWITHIN needs a path to objects.")
        }
        try GeoLocation.check(location.info, path)
        let paths = [
            try scope.resolve(path.components + [.property(GeoLocation.coordinates)]),
            try scope.resolve(path.components + [.property(GeoLocation.type)]),
        ]
        return Scope.Path.derived(paths) { values in
            let numbers = values[0].lazy.map { Double(cell: $0) }
            guard numbers.count >= 2, case .string(let type)? = values[1].first, GeoLocation.isPoint(type)
            else {
                return false.cell
            }
            return area.contains(latitude: numbers[1], longitude: numbers[0]).cell
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

extension QueryPath.Function {
    /// Returns the type of the aggregated values, the arithmetic that adds them, and the type of the result. Throws if the
    /// function does not support such values.
    ///
    /// - Parameter sumsAreDecimals: whether a sum of integers is a decimal, which can hold every sum. Otherwise it is an integer
    ///   that saturates, like all arithmetic in conditions.
    func types(
        _ type: QueryValueType, _ path: QueryPath, _ sumsAreDecimals: Bool
    ) throws(QueryMismatch) -> (
        scalar: ScalarType, arithmetic: Aggregate.Arithmetic, result: QueryValueType
    ) {
        guard case .scalar(let scalar) = type, scalar.allows(self) else {
            throw QueryMismatch("'@\(rawValue)' in '\(path.text)' cannot be made of \(type.text).")
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
    /// Returns a number that is written in a condition. Throws if the value is not a number.
    func number(_ value: Any?) throws(QueryMismatch) -> (type: ScalarType, cell: Cell) {
        guard let number = ScalarType.number(value) else {
            throw QueryMismatch(
                "'\(rawValue)' takes numbers, and was given \(RefusedValue(value).inSentence).")
        }
        return number
    }

    /// Returns the type of an operand's numbers. Throws if the operand has no numbers.
    func numbers(_ type: QueryValueType) throws(QueryMismatch) -> ScalarType {
        guard case .scalar(let scalar) = type, scalar.isNumber || scalar == .any else {
            throw QueryMismatch("'\(rawValue)' takes numbers, and was given \(type.text).")
        }
        return scalar
    }
}

extension QueryPath {
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
